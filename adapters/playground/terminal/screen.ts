import { clearLine, clearScreenDown, createInterface, cursorTo } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'

export interface Line {
  readonly text: string
  /** Whether the screen showed it while it was typed; piped lines and those typed during a reply were not. */
  readonly shown: boolean
}

/** Text that grows on the screen. */
export interface Growing {
  write(text: string): void
  /** Ends the text; what waited for its end follows. */
  end(): void
}

export interface Screen {
  /** Whether a person sits at it, rather than a pipe. */
  readonly attended: boolean
  /** Lines in the order they were entered; ends with the input and with `close`. */
  readonly lines: AsyncIterable<Line>
  /** Resolves at Ctrl-C. */
  readonly interrupted: Promise<void>
  /** Asks for a line. A screen that no person sits at shows no prompt. */
  ask(label: string): void
  /** Shows a line that was not shown while it was typed. */
  echo(label: string, text: string): void
  grow(label: string): Growing
  /** Shows a whole text, never in the middle of another one. */
  say(text: string): void
  /** The same in one dim line. */
  hint(text: string): void
  close(): void
}

type Input = NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY'>>
type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'hasColors' | 'columns'>>

/** Control characters could move the cursor, rename the window or fill the clipboard: a model's words never may. */
const harmless = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '')

export function openScreen(input: Input, output: Output): Screen {
  const attended = input.isTTY === true && output.isTTY === true
  const colour = output.isTTY === true && output.hasColors?.() === true
  const dim = (text: string) => (colour ? `\x1b[2m${text}\x1b[22m` : text)
  const bold = (text: string) => (colour ? `\x1b[1m${text}\x1b[22m` : text)

  let closed = false
  let growing = false
  /** A line is wanted; its prompt is on the screen unless a text grows there. */
  let wanted = false
  const waiting: string[] = []
  const lines = new PassThrough({ objectMode: true })

  // What is typed during a reply is kept but not echoed into it.
  const echoed = new Writable({
    write(chunk, _encoding, done) {
      if (wanted && !growing) output.write(chunk)
      done()
    },
  })
  Object.defineProperty(echoed, 'columns', { get: () => output.columns ?? 80 })
  const readline = createInterface({ input, output: echoed, terminal: attended, historySize: 200 })
  readline.on('line', (text) => {
    lines.write({ text, shown: attended && wanted && !growing } satisfies Line)
    wanted = false
  })
  const interrupted = new Promise<void>((resolve) => {
    readline.on('SIGINT', resolve)
  })
  readline.on('close', () => lines.end())

  const prompted = () => attended && wanted && !growing

  function erasePrompt(): void {
    cursorTo(output, 0)
    clearScreenDown(output)
  }

  function show(text: string): void {
    if (closed) return
    // Over several rows the prompt cannot be put back; such a text waits for the line.
    if (growing || (prompted() && readline.getCursorPos().rows > 0)) {
      waiting.push(text)
      return
    }
    if (prompted()) erasePrompt()
    output.write(`${text}\n`)
    if (prompted()) readline.prompt(true)
  }

  return {
    attended,
    lines,
    interrupted,
    ask(label) {
      if (closed) return
      for (const text of growing ? [] : waiting.splice(0)) show(text)
      wanted = true
      readline.setPrompt(`${bold(label)}> `)
      if (prompted()) readline.prompt(true)
    },
    echo(label, text) {
      show(`${bold(label)}> ${harmless(text)}`)
    },
    grow(label) {
      const head = `${bold(label)}> `
      let begun = false
      const begin = () => {
        if (begun) return
        begun = true
        if (attended) {
          cursorTo(output, 0)
          clearLine(output, 0)
        }
        output.write(head)
      }
      if (prompted()) erasePrompt()
      growing = true
      if (attended && !closed) output.write(`${head}${dim('…')}`)
      return {
        write(text) {
          if (closed) return
          begin()
          output.write(harmless(text))
        },
        end() {
          if (closed) return
          begin()
          output.write('\n')
          growing = false
          for (const text of waiting.splice(0)) show(text)
          if (prompted()) readline.prompt(true)
        },
      }
    },
    say: (text) => show(harmless(text)),
    hint: (text) => show(dim(`  ${harmless(text).replace(/\s+/g, ' ').trim()}`)),
    close() {
      if (closed) return
      if (attended) output.write('\n')
      closed = true
      readline.close()
    },
  }
}
