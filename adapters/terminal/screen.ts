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
  /** Lines in the order they were entered; ends with the input, with Ctrl-C and with `close`. */
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

  let state: 'idle' | 'asking' | 'growing' | 'closed' = 'idle'
  const waiting: string[] = []
  const lines = new PassThrough({ objectMode: true })

  // What is typed during a reply is kept but not echoed into it.
  const echoed = new Writable({
    write(chunk, _encoding, done) {
      if (state === 'asking') output.write(chunk)
      done()
    },
  })
  Object.defineProperty(echoed, 'columns', { get: () => output.columns ?? 80 })
  const readline = createInterface({ input, output: echoed, terminal: attended, historySize: 200 })
  readline.on('line', (text) => {
    lines.write({ text, shown: attended && state === 'asking' } satisfies Line)
    if (state === 'asking') state = 'idle'
  })
  const interrupted = new Promise<void>((resolve) => {
    readline.on('SIGINT', () => {
      readline.close()
      resolve()
    })
  })
  readline.on('close', () => lines.end())

  function show(text: string): void {
    if (state === 'closed') return
    const wrapped = state === 'asking' && attended && readline.getCursorPos().rows > 0
    if (state === 'growing' || wrapped) {
      waiting.push(text)
      return
    }
    if (state === 'asking' && attended) {
      cursorTo(output, 0)
      clearScreenDown(output)
      output.write(`${text}\n`)
      readline.prompt(true)
    } else output.write(`${text}\n`)
  }

  function settle(next: 'idle' | 'asking'): void {
    state = 'idle'
    for (const text of waiting.splice(0)) show(text)
    state = next
  }

  return {
    attended,
    lines,
    interrupted,
    ask(label) {
      if (state === 'closed') return
      settle('asking')
      if (!attended) return
      readline.setPrompt(`${bold(label)}> `)
      readline.prompt(true)
    },
    echo(label, text) {
      show(`${bold(label)}> ${harmless(text)}`)
    },
    grow(label) {
      const head = `${bold(label)}> `
      let begun = false
      const begin = () => {
        if (attended && !begun) {
          cursorTo(output, 0)
          clearLine(output, 0)
        }
        if (!begun) output.write(head)
        begun = true
      }
      if (state !== 'closed') state = 'growing'
      if (attended) output.write(`${head}${dim('…')}`)
      return {
        write(text) {
          if (state === 'closed') return
          begin()
          output.write(harmless(text))
        },
        end() {
          if (state === 'closed') return
          begin()
          output.write('\n')
          settle('idle')
        },
      }
    },
    say: (text) => show(harmless(text)),
    hint: (text) => show(dim(`  ${harmless(text).replace(/\s+/g, ' ').trim()}`)),
    close() {
      if (state === 'closed') return
      if (attended) output.write('\n')
      state = 'closed'
      readline.close()
    },
  }
}
