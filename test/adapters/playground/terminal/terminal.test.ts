import { PassThrough } from 'node:stream'
import { setImmediate as tick } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { createPlayground, type Playground } from '../../../../adapters/playground/playground.ts'
import { openTerminal, type Terminal } from '../../../../adapters/playground/terminal/terminal.ts'
import { turnId } from '../../../../core/stream/turns.ts'
import type { Event, EventOf } from '../../../../core/types.ts'
import { questionOf } from '../../../question.ts'

interface Session {
  readonly terminal: Terminal
  readonly playground: Playground
  readonly events: Event[]
  type(text: string): void
  end(): void
  shown(): string
}

/** A terminal on streams, a client of a real playground; `answer` plays the runtime and may take its time, as the real one does. */
function session(
  answer: (event: Event, playground: Playground) => Promise<void>,
  { person = false, colour = false, name = 'Ada' } = {},
): Session {
  const input = Object.assign(new PassThrough(), { isTTY: person, setRawMode: () => input })
  const output = Object.assign(new PassThrough(), { isTTY: person, hasColors: () => colour, columns: 80 })
  const chunks: string[] = []
  output.on('data', (chunk) => chunks.push(String(chunk)))
  const playground = createPlayground()
  const client = playground.client('home')
  const terminal = openTerminal({ client, alone: true, person: name, conversation: 'c1', input, output })
  const events: Event[] = []
  void playground.start(async (event) => {
    events.push(event)
    void tick().then(() => answer(event, playground))
  })
  terminal.start()
  return {
    terminal,
    playground,
    events,
    type: (text) => input.write(text),
    end: () => input.end(),
    shown: () => chunks.join(''),
  }
}

async function echoing(event: Event, playground: Playground): Promise<void> {
  if (event.type === 'command') await playground.notify(event, { text: `status:\n  version 0` })
  if (event.type !== 'message') return
  const stream = playground.reply(questionOf(event, turnId(event)))
  for (const word of `you said ${event.text}`.split(/(?= )/)) {
    stream.write(word)
    await tick()
  }
  await stream.finish(`you said ${event.text}`)
}

const messages = (events: Event[]) => events.filter((event): event is EventOf<'message'> => event.type === 'message')

test('a piped session handles every line in order, waits for the replies and ends', async () => {
  const { terminal, events, type, end, shown } = session(echoing)
  type('hello\n+\nshorter please\n/claw status\n-\n')
  end()
  await terminal.ended
  expect(shown()).toBe(
    [
      'Ada> hello',
      'claw> you said hello',
      'Ada> +',
      '  👍 for the last reply',
      'Ada> shorter please',
      'claw> you said shorter please',
      'Ada> /claw status',
      'status:',
      '  version 0',
      'Ada> -',
      '  👎 for the last reply',
      '',
    ].join('\n'),
  )
  expect(events.map((event) => event.type)).toEqual(['message', 'reaction', 'message', 'command', 'reaction'])
  expect(new Set(events.map((event) => event.id)).size).toBe(events.length)
  expect(events.every((event) => event.person.id === 'ada' && event.person.kind === 'human')).toBe(true)
})

test('a reaction names the message that carries the reply, and a second one replaces the first', async () => {
  const { terminal, events, type, end } = session(async (event, playground) => {
    if (event.type === 'message') await playground.reply(questionOf(event, turnId(event))).finish('ok')
  })
  type('hi\n+\n+\n-\n')
  end()
  await terminal.ended
  expect(events.slice(1).map((event) => [event.type, 'emoji' in event && event.emoji])).toEqual([
    ['reaction', '👍'],
    ['reaction_removed', '👍'],
    ['reaction', '👎'],
  ])
  const turn = turnId(events[0]!)
  expect(events.flatMap((event) => ('emoji' in event ? [event.message] : []))).toEqual([turn, turn, turn])
})

test('a second person’s reaction leaves the first one’s alone', async () => {
  const { terminal, events, type, end } = session(echoing)
  type('hi\n+\n/as Ben\n-\n')
  end()
  await terminal.ended
  expect(events.slice(1).map((event) => [event.type, event.person.id, 'emoji' in event && event.emoji])).toEqual([
    ['reaction', 'ada', '👍'],
    ['reaction', 'ben', '👎'],
  ])
})

test('/new starts a fresh conversation, in which there is nothing to react to; /as switches the person', async () => {
  const { terminal, events, type, end, shown } = session(echoing)
  type('one\n/new\n+\n/as Ben\ntwo\n')
  end()
  await terminal.ended
  const [one, two] = messages(events)
  expect(one?.conversation).toBe('c1')
  expect(two?.conversation).not.toBe('c1')
  expect([one?.person.id, two?.person.id]).toEqual(['ada', 'ben'])
  expect(events.map((event) => event.type)).toEqual(['message', 'message'])
  expect(shown()).toContain('there is no reply to react to yet')
  expect(shown()).toContain('Ben> two\n')
})

test('a notice waits until the reply is whole, and is one line', async () => {
  const { terminal, type, end, shown } = session(async (event, playground) => {
    const stream = playground.reply(questionOf(event, turnId(event)))
    stream.write('first ')
    await playground.notify(event, { text: 'learned:\n  shorter' })
    await stream.finish('first second')
  })
  type('hi\n')
  end()
  await terminal.ended
  expect(shown()).toBe('Ada> hi\nclaw> first second\n  learned: shorter\n')
})

test('a reply to an earlier conversation comes as a whole', async () => {
  const { terminal, type, end, shown } = session(async (event, playground) => {
    const earlier = playground.reply(questionOf({ ...event, conversation: 'c0' }, 't0'))
    earlier.write('never alone')
    await earlier.finish('from before')
    await echoing(event, playground)
  })
  type('hi\n')
  end()
  await terminal.ended
  expect(shown()).toBe('Ada> hi\nclaw (in c0)> from before\nclaw> you said hi\n')
})

test('a reply that fails ends the wait with its notice', async () => {
  const { terminal, type, end, shown } = session((event, playground) =>
    playground.reply(questionOf(event, turnId(event))).fail('no reply: stopped'),
  )
  type('hi\n')
  end()
  await terminal.ended
  expect(shown()).toBe('Ada> hi\nclaw> no reply: stopped\n')
})

test('a failing delivery ends the conversation with its error', async () => {
  const { terminal, type } = session(async () => {})
  await terminal.stop()
  const playground = createPlayground()
  await playground.start(() => Promise.reject(new Error('disk full')))
  const broken = openTerminal({
    client: playground.client('w'),
    alone: true,
    person: 'p',
    input: new PassThrough().end('hi\n'),
    output: new PassThrough(),
  })
  broken.start()
  await expect(broken.ended).rejects.toThrow('disk full')
  type('late\n')
})

test('escape sequences in a reply never reach the screen', async () => {
  const attack = 'a\x1b]0;owned\x07b\x1b[2Jc\u009b31md\r\be\n\tf'
  const { terminal, type, end, shown } = session((event, playground) =>
    playground
      .reply(questionOf(event, turnId(event)))
      .finish(attack)
      .then(() => undefined),
  )
  type('hi\n')
  end()
  await terminal.ended
  expect(shown()).toBe('Ada> hi\nclaw> a]0;ownedb[2Jc31mde\n\tf\n')
})

test('at a screen with a person: prompt, waiting dots, typed-ahead lines, Ctrl-C', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { terminal, events, type, shown } = session(
    async (event, playground) => {
      if (event.type === 'message' && event.text === 'one') {
        const stream = playground.reply(questionOf(event, turnId(event)))
        await held
        return void (await stream.finish('first'))
      }
      await echoing(event, playground)
    },
    { person: true },
  )
  type('one\r')
  await until(() => shown().includes('claw> …'))
  type('two\r')
  release()
  await until(() => shown().includes('you said two'))
  const text = stripVTControlCharacters(shown())
  expect(text.indexOf('first')).toBeLessThan(text.indexOf('Ada> two'))
  expect(text.match(/two/g)).toHaveLength(2)
  type('\x03')
  await terminal.ended
  await terminal.stop()
  expect(events).toHaveLength(2)
})

test('Ctrl-C during a reply ends at once', async () => {
  const { terminal, type, shown } = session(
    async (event, playground) => playground.reply(questionOf(event, turnId(event))).write('and so on'),
    {
      person: true,
    },
  )
  type('one\r')
  await until(() => shown().includes('and so on'))
  type('\x03')
  await terminal.ended
})

test('a notice at the prompt keeps what was typed', async () => {
  const { terminal, playground, type, shown } = session(echoing, { person: true })
  type('half a li')
  await until(() => shown().includes('half a li'))
  await playground.notify(
    { platform: 'playground', workspace: 'home', conversation: 'c1' },
    { text: 'version 3 is live' },
  )
  expect(stripVTControlCharacters(shown()).endsWith('  version 3 is live\nAda> half a li')).toBe(true)
  type('\x03')
  await terminal.ended
})

test('a reply that nobody waits for takes the prompt’s place and gives it back', async () => {
  const { terminal, playground, type, shown } = session(echoing, { person: true })
  type('half a li')
  await until(() => shown().includes('half a li'))
  const late = playground.reply(questionOf({ platform: 'playground', workspace: 'home', conversation: 'c1' }, 't9'))
  late.write('from ')
  type('n')
  await tick()
  await late.finish('from before')
  expect(stripVTControlCharacters(shown()).endsWith('claw> from before\nAda> half a lin')).toBe(true)
  type('\x03')
  await terminal.ended
})

test('colours only where the screen has them', async () => {
  for (const colour of [true, false]) {
    const { terminal, type, shown } = session(echoing, { person: true, colour })
    type('/help\r')
    await until(() => shown().includes('/quit'))
    type('\x04')
    await terminal.ended
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
    expect(/\x1b\[[0-9;]*m/.test(shown())).toBe(colour)
  }
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await tick()
}
