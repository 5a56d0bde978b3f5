import { randomUUID } from 'node:crypto'
import { reactionScore } from '../../../config/reactions.ts'
import { turnId } from '../../../core/stream/turns.ts'
import type { Client, Update } from '../protocol.ts'
import { PLATFORM } from '../said.ts'
import { type Input, readLine } from './line.ts'
import { type Growing, openScreen } from './screen.ts'

const BOT = 'claw'

/** What a command waits for. */
const ANSWER = 'answer'

const HELP = `+ or -          a thumb up or down for the last reply; an emoji does as well
/new            a fresh conversation
/as NAME        go on as somebody else
/claw help      what has been learned, and how to steer it
/quit           leave (so do Ctrl-C and Ctrl-D)
Anything else is said to the bot. To correct it, just say so: "shorter please".`

const GREETING = '+ or - marks a reply; to correct one, just say so. /help shows the rest.'

export interface TerminalOptions {
  readonly client: Client
  readonly person: string
  /** Nobody else talks to the bot: replies to conversations of earlier runs are shown as well. */
  readonly alone: boolean
  /** A name goes on with that conversation; without one each start is a fresh one. */
  readonly conversation?: string
  readonly input?: Parameters<typeof openScreen>[0]
  readonly output?: Parameters<typeof openScreen>[1]
}

export interface Terminal {
  /** Reads lines and talks, until the person leaves or `stop`. */
  start(): void
  /** The bot is gone: the conversation ends with this error. */
  fail(error: unknown): void
  stop(): Promise<void>
  /** `left` when the person left or the input ended, every line handled; `stopped` at Ctrl-C and `stop`. */
  readonly ended: Promise<'left' | 'stopped'>
}

/** A client of the playground for one screen. */
export function openTerminal(options: TerminalOptions): Terminal {
  const screen = openScreen(options.input ?? process.stdin, options.output ?? process.stdout)
  const { client, alone } = options
  let person = options.person
  let conversation = options.conversation ?? freshConversation()
  /** The reply that a reaction is meant for, and the reaction each person has given it. */
  let last: { readonly message: string; readonly reactions: Map<string, string> } | undefined
  /** What the person's last line must bring before the next line is read. */
  let expected: { readonly what: string; readonly arrived: () => void } | undefined
  /** Replies that grow on the screen, with what is shown of them. */
  const growing = new Map<string, { readonly text: Growing; shown: string }>()
  /** Messages that this terminal has sent: it need not hear them. */
  const own = new Set<string>()
  let end = (_how: 'left' | 'stopped') => {}
  let fail = (_error: unknown) => {}
  const ended = new Promise<'left' | 'stopped'>((resolve, reject) => {
    end = resolve
    fail = reject
  })

  async function stop(): Promise<void> {
    unlisten()
    screen.close()
    end('stopped')
  }
  void screen.interrupted.then(stop)

  const said = () => ({
    id: randomUUID(),
    conversation,
    person: { id: person.toLowerCase(), name: person },
  })

  /** Says something and waits for what it brings: a reply's turn, or an answer. */
  async function expect(what: string, telling: Parameters<Client['tell']>[0]): Promise<void> {
    const arrival = new Promise<void>((arrived) => {
      expected = { what, arrived }
    })
    await client.tell(telling)
    await arrival
    expected = undefined
  }

  function arrive(what: string): void {
    if (expected?.what === what) expected.arrived()
  }

  async function react(emoji: string): Promise<void> {
    if (last === undefined) return screen.hint('there is no reply to react to yet')
    const { message, reactions } = last
    const before = reactions.get(person)
    if (before === emoji) return screen.hint(`${emoji} stands already`)
    if (before !== undefined) await client.tell({ ...said(), type: 'reaction_removed', message, emoji: before })
    await client.tell({ ...said(), type: 'reaction', message, emoji })
    reactions.set(person, emoji)
    screen.hint(`${emoji} for the last reply`)
  }

  async function handle(input: Input): Promise<boolean> {
    switch (input.type) {
      case 'message': {
        const message = randomUUID()
        const about = said()
        own.add(message)
        const turn = turnId({ platform: PLATFORM, workspace: client.workspace, id: about.id })
        await expect(turn, { ...about, type: 'message', message, text: input.text })
        break
      }
      case 'command':
        await expect(ANSWER, { ...said(), type: 'command', text: input.text })
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

  function grow(turn: string) {
    const grown = growing.get(turn) ?? { text: screen.grow(BOT), shown: '' }
    growing.set(turn, grown)
    return grown
  }

  /** The reply is whole, or will not come: what is not on the screen yet follows. */
  function finish(turn: string, text: string): void {
    const { text: grown, shown } = grow(turn)
    grown.write(text.startsWith(shown) ? text.slice(shown.length) : shown.startsWith(text) ? '' : `\n${text}`)
    grown.end()
    growing.delete(turn)
    arrive(turn)
  }

  /** A reply to the conversation on the screen grows there; one to an earlier conversation comes as a whole. */
  function hear(update: Update): void {
    const here = 'conversation' in update && update.conversation === conversation
    switch (update.type) {
      case 'message':
        if (here && !own.delete(update.message)) screen.say(`${update.person.name}> ${update.text}`)
        break
      case 'writing': {
        if (!here) break
        const grown = grow(update.turn)
        const fresh = update.text.slice(Math.max(0, grown.shown.length - update.from))
        grown.text.write(fresh)
        grown.shown += fresh
        break
      }
      case 'reply':
        if (here) {
          last = { message: update.turn, reactions: new Map() }
          finish(update.turn, update.text)
        } else if (alone) screen.say(`${BOT} (in ${update.conversation})> ${update.text}`)
        break
      case 'failed':
        if (here) finish(update.turn, update.text)
        break
      case 'notice':
        if (!here || (update.only !== null && update.only !== person.toLowerCase())) break
        if (expected?.what === ANSWER) {
          screen.say(update.text)
          arrive(ANSWER)
        } else screen.hint(update.text)
        break
      case 'reset':
        void look()
        break
    }
  }
  /** What is waited for may have come while the connection was gone. */
  async function look(): Promise<void> {
    if (expected === undefined) return
    const { what } = expected
    if (what === ANSWER) {
      screen.hint('the connection was lost for a moment: ask again')
      return arrive(ANSWER)
    }
    const turn = await client.turn(what).catch(() => null)
    if (turn !== null && expected?.what === what) hear({ type: 'reply', conversation, turn: what, text: turn.text })
  }
  const unlisten = client.listen(hear)

  return {
    ended,
    fail,
    start() {
      if (screen.attended) screen.hint(`You are ${person}. ${GREETING}`)
      converse().then(() => end('left'), fail)
    },
    stop,
  }
}

/** Readable, sortable, and never used twice. */
function freshConversation(): string {
  return `${new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', '')}-${randomUUID().slice(0, 4)}`
}
