import { randomUUID } from 'node:crypto'
import { reactionScore } from '../../config/reactions.ts'
import type { ConversationRef, ReplyStream } from '../../core/stream/outlet.ts'
import type { Event } from '../../core/types.ts'
import type { Adapter } from '../adapter.ts'
import { type Input, readLine } from './line.ts'
import { openScreen } from './screen.ts'

const PLATFORM = 'terminal'
const BOT = 'claw'

const HELP = `+ or -          a thumb up or down for the last reply; an emoji does as well
/new            a fresh conversation
/as NAME        go on as somebody else
/claw help      what has been learned, and how to steer it
/quit           leave (so do Ctrl-C and Ctrl-D)
Anything else is said to the bot. To correct it, just say so: "shorter please".`

const GREETING = '+ or - marks a reply; to correct one, just say so. /help shows the rest.'

export interface TerminalOptions {
  readonly workspace: string
  readonly person: string
  /** A name goes on with that conversation; without one each start is a fresh one. */
  readonly conversation?: string
  readonly input?: Parameters<typeof openScreen>[0]
  readonly output?: Parameters<typeof openScreen>[1]
}

export interface Terminal extends Adapter {
  /** `left` when the person left or the input ended, every line handled; `stopped` at Ctrl-C and `stop`. */
  readonly ended: Promise<'left' | 'stopped'>
}

export function openTerminal(options: TerminalOptions): Terminal {
  const screen = openScreen(options.input ?? process.stdin, options.output ?? process.stdout)
  const { workspace } = options
  let person = options.person
  let conversation = options.conversation ?? freshConversation()
  /** The reply that a reaction is meant for, and the reaction each person has given it. */
  let last: { readonly message: string; readonly reactions: Map<string, string> } | undefined
  /** What the person's last line must bring before the next line is read. */
  let expected: { kind: 'reply' | 'answer'; arrived: () => void } | undefined
  let deliver: (event: Event) => Promise<void>
  let end = (_how: 'left' | 'stopped') => {}
  let fail = (_error: unknown) => {}
  const ended = new Promise<'left' | 'stopped'>((resolve, reject) => {
    end = resolve
    fail = reject
  })

  async function stop(): Promise<void> {
    screen.close()
    end('stopped')
  }
  void screen.interrupted.then(stop)

  const here = (to: ConversationRef) => to.workspace === workspace && to.conversation === conversation
  const event = () => ({
    id: randomUUID(),
    platform: PLATFORM,
    workspace,
    conversation,
    person: { id: person.toLowerCase(), name: person, kind: 'human' as const },
    at: Date.now(),
  })

  /** Delivers an event and waits for what it brings. */
  async function expect(kind: 'reply' | 'answer', event: Event): Promise<void> {
    const arrival = new Promise<void>((arrived) => {
      expected = { kind, arrived }
    })
    await deliver(event)
    await arrival
    expected = undefined
  }

  async function react(emoji: string): Promise<void> {
    if (last === undefined) return screen.hint('there is no reply to react to yet')
    const { message, reactions } = last
    const before = reactions.get(person)
    if (before === emoji) return screen.hint(`${emoji} stands already`)
    if (before !== undefined) await deliver({ ...event(), type: 'reaction_removed', message, emoji: before })
    await deliver({ ...event(), type: 'reaction', message, emoji })
    reactions.set(person, emoji)
    screen.hint(`${emoji} for the last reply`)
  }

  async function handle(input: Input): Promise<boolean> {
    switch (input.type) {
      case 'message':
        await expect('reply', { ...event(), type: 'message', message: randomUUID(), text: input.text })
        break
      case 'command':
        await expect('answer', { ...event(), type: 'command', text: input.text })
        break
      case 'reaction':
        await react(input.emoji)
        break
      case 'new':
        conversation = freshConversation()
        last = undefined
        screen.hint('a fresh conversation')
        break
      case 'as':
        if (input.text !== '') person = input.text
        screen.hint(`you are ${person}`)
        break
      case 'help':
        screen.say(HELP)
        break
      case 'quit':
        return false
    }
    return true
  }

  async function converse(): Promise<void> {
    screen.ask(person)
    for await (const line of screen.lines) {
      if (!line.shown) screen.echo(person, line.text)
      if (!(await handle(readLine(line.text, (emoji) => reactionScore(emoji) !== undefined)))) break
      screen.ask(person)
    }
  }

  /** A reply to the conversation on the screen grows there; one to an earlier conversation comes as a whole. */
  function reply(to: ConversationRef, turn: string): ReplyStream {
    const message = `reply-${turn}`
    if (!here(to)) {
      return {
        write() {},
        async finish(text) {
          screen.say(`${BOT} (in ${to.conversation})> ${text}`)
          return [message]
        },
        async fail() {},
      }
    }
    const growing = screen.grow(BOT)
    let shown = ''
    const finish = (rest: string) => {
      growing.write(rest)
      growing.end()
      if (expected?.kind === 'reply') expected.arrived()
    }
    return {
      write(text) {
        shown += text
        growing.write(text)
      },
      async finish(text) {
        last = { message, reactions: new Map() }
        finish(text.startsWith(shown) ? text.slice(shown.length) : shown.startsWith(text) ? '' : `\n${text}`)
        return [message]
      },
      async fail(notice) {
        finish(shown === '' ? notice : `\n${notice}`)
      },
    }
  }

  return {
    platform: PLATFORM,
    ended,
    async start(to) {
      deliver = to
      if (screen.attended) screen.hint(`You are ${person}. ${GREETING}`)
      converse().then(() => end('left'), fail)
    },
    stop,
    reply,
    async notify(to, text) {
      if (!here(to)) return
      if (expected?.kind !== 'answer') return screen.hint(text)
      screen.say(text)
      expected.arrived()
    },
    /** Who sits at the machine owns it. */
    isAdmin: async () => true,
  }
}

/** Readable, sortable, and never used twice. */
function freshConversation(): string {
  return `${new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', '')}-${randomUUID().slice(0, 4)}`
}
