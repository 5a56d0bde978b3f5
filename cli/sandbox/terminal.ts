import { setTimeout as sleep } from 'node:timers/promises'
import { type Growing, openScreen } from '../../adapters/playground/terminal/screen.ts'
import { PLATFORMS, type PlatformName } from '../../config/tokens.ts'
import { FAULTS, type Input, readLine } from './line.ts'
import { isThumb, type Scene, type Seen, type Spot } from './scene.ts'

const HELP = `/slack /discord /telegram   go there
/dm /channel /thread        the direct conversation, the channel, the thread of the bot's last message
/as NAME                    be somebody else: ann is an admin, ben is not
+ - :tada: 🔥               a reaction on the bot's last reply; the same again takes it back
/press up|down|LABEL        a button under it
/edit WORDS, /delete        your last message
/claw help                  what has been learned, and how to steer it
/answer WORDS               answers what the bot asked you privately
/fault KIND                 ${FAULTS}
/calls                      the last calls of the bot
/quit                       leave (so do Ctrl-C and Ctrl-D); the platforms go with you
Anything else is said. In the channel the bot listens when it is addressed: @claw …`

/** How often the platforms are looked at, in milliseconds. */
const LOOK = 100

/** How long a message must stay as it is to be taken as whole, in milliseconds: with buttons, else, and once it has grown. */
const QUIET = { buttons: 300, else: 2_000, grown: 4_000 }

/** How long a line that wants an answer waits for its beginning, and for its end, where nobody sits at the screen. */
const PATIENCE = { begin: 60_000, end: 180_000, nothing: 1_000 }

const LAST_CALLS = 12

export interface TerminalOptions {
  readonly scenes: ReadonlyMap<PlatformName, Scene>
  readonly input?: Parameters<typeof openScreen>[0]
  readonly output?: Parameters<typeof openScreen>[1]
}

export interface Terminal {
  /** Resolves when the person left or the input ended. */
  readonly ended: Promise<void>
  stop(): void
}

/** What the screen knows of a message. */
interface Shown {
  text: string
  changedAt: number
  grown: boolean
  /** What of it stands on the screen; null: nothing yet. */
  said: string | null
  growing: Growing | null
}

/** One screen for a person on all three platforms. */
export function openTerminal({ scenes, input, output }: TerminalOptions): Terminal {
  const screen = openScreen(input ?? process.stdin, output ?? process.stdout)
  let platform: PlatformName = 'slack'
  const spots = new Map<PlatformName, Spot>(
    PLATFORMS.map((name) => [name, { person: 'ann', place: 'dm', thread: null }]),
  )
  const shown = new Map<string, Shown>()
  /** By platform and person: the last message that was said there. */
  const own = new Map<string, string>()
  /** By platform: the bot's last message that the person may see. */
  const last = new Map<PlatformName, Seen>()
  /** And its last reply, as far as buttons tell it from what is no reply. */
  const reply = new Map<PlatformName, Seen>()
  const reactions = new Set<string>()
  const connected = new Set<PlatformName>()
  /** Messages of the bot that came or changed so far. */
  let news = 0

  const scene = () => scenes.get(platform)!
  const spot = () => spots.get(platform)!
  const stand = (change: Partial<Spot>) => spots.set(platform, { ...spot(), ...change })

  const where = ({ place, thread }: Pick<Spot, 'place' | 'thread'>, name = platform): string =>
    `${name} ${place === 'dm' ? 'dm' : scenes.get(name)?.channel}${thread === null ? '' : ' thread'}`
  const prompt = () => `${where(spot())} as ${spot().person}`

  /** `claw`, and where it speaks, unless the person stands there. */
  function label(name: PlatformName, message: Seen): string {
    const here = name === platform && message.place === spot().place && message.thread === spot().thread
    const notes = [
      ...(here ? [] : [where(message, name)]),
      ...(message.only === null ? [] : [`only ${message.only} sees this`]),
    ]
    return `claw${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
  }

  function hear(name: PlatformName, message: Seen, now: number): void {
    const key = `${name} ${message.id}`
    let known = shown.get(key)
    if (known === undefined) {
      known = { text: message.text, changedAt: now, grown: false, said: null, growing: null }
      shown.set(key, known)
      news += 1
      last.set(name, message)
    } else if (known.text !== message.text) {
      known.grown = message.text.startsWith(known.text)
      known.text = message.text
      known.changedAt = now
      news += 1
    }
    if (last.get(name)?.id === message.id) last.set(name, message)
    if (message.buttons.length > 0 && message.only === null) reply.set(name, message)
    if (known.said === message.text && known.growing === null) return
    const ended = message.buttons.length > 0 || message.only !== null
    const quiet = ended ? QUIET.buttons : known.grown ? QUIET.grown : QUIET.else
    const whole = !message.writing && now - known.changedAt >= quiet
    // What grows is shown while it does, one text at a time.
    if (screen.attended && known.said === null && ![...shown.values()].some(({ growing }) => growing !== null)) {
      known.growing = screen.grow(label(name, message))
      known.said = ''
    }
    if (known.growing !== null && message.text.startsWith(known.said ?? '')) {
      known.growing.write(message.text.slice(known.said?.length ?? 0))
      known.said = message.text
    }
    if (!whole) return
    known.growing?.end()
    known.growing = null
    if (known.said !== message.text) {
      const more = known.said !== null && message.text.startsWith(known.said)
      const how = known.said === null ? '' : more ? ' goes on' : ' changed to'
      screen.echo(`${label(name, message)}${how}`, more ? message.text.slice(known.said?.length) : message.text)
    }
    known.said = message.text
    if (message.buttons.length > 0) screen.hint(message.buttons.map((button) => `[${button}]`).join(' '))
  }

  function look(): void {
    const now = Date.now()
    for (const [name, { shown: messages, connected: isConnected }] of scenes) {
      if (isConnected() && !connected.has(name)) screen.hint(`the bot is connected to ${name}`)
      if (isConnected()) connected.add(name)
      else if (connected.delete(name)) screen.hint(`the bot has left ${name}`)
      for (const message of messages()) hear(name, message, now)
    }
  }
  const looking = setInterval(look, LOOK)

  const writing = () => [...shown.values()].some(({ text, said, growing }) => growing !== null || said !== text)

  /** Where nobody sits at the screen, the next line waits for what this one brings. */
  async function settle(before: number, expected: boolean): Promise<void> {
    if (screen.attended) return
    const begin = Date.now() + (expected ? PATIENCE.begin : PATIENCE.nothing)
    while (news === before && Date.now() < begin) await sleep(LOOK)
    const end = Date.now() + PATIENCE.end
    for (let quiet = 0; quiet < 5 && Date.now() < end; quiet++) {
      await sleep(LOOK)
      if (writing()) quiet = 0
    }
  }

  function lastOfBot(): Seen | null {
    const message = last.get(platform) ?? null
    if (message === null) screen.hint('there is no message of the bot here yet')
    return message
  }

  const replyOfBot = (): Seen | null => reply.get(platform) ?? lastOfBot()

  async function react(emoji: string): Promise<void> {
    const message = replyOfBot()
    if (message === null) return
    const key = `${platform} ${message.id} ${spot().person} ${emoji}`
    const on = !reactions.delete(key)
    if (on) reactions.add(key)
    await scene().react(placeOf(message), message.id, emoji, on)
    screen.hint(`${on ? emoji : `no ${emoji} any more`} for the last reply`)
  }

  const placeOf = ({ place, thread }: Seen): Spot => ({ person: spot().person, place, thread })

  async function change(text: string | null): Promise<void> {
    const message = own.get(`${platform} ${spot().person}`)
    if (message === undefined) return screen.hint('you have said nothing here yet')
    if (text === null) await scene().remove(spot(), message)
    else await scene().edit(spot(), message, text)
  }

  function openThread(): void {
    const message = lastOfBot()
    const thread = message && scene().openThread(spot(), message)
    if (message === null) return
    if (thread === null) screen.hint(`${platform} has no thread there`)
    else stand({ place: message.place, thread })
  }

  /** Returns whether an answer is expected. */
  async function handle(line: Input): Promise<boolean> {
    switch (line.type) {
      case 'message': {
        own.set(`${platform} ${spot().person}`, await scene().say(spot(), line.text))
        return spot().place === 'dm' || spot().thread !== null || line.text.includes('@claw')
      }
      case 'command':
        await scene().command(spot(), line.text)
        return true
      case 'reaction':
        await react(line.emoji)
        return false
      case 'press': {
        const message = isThumb(line.text) ? replyOfBot() : lastOfBot()
        if (message !== null) await scene().press(placeOf(message), message.id, line.text)
        return false
      }
      case 'edit':
      case 'delete':
        await change(line.type === 'edit' ? line.text : null)
        return false
      case 'answer':
        await scene().answer(spot(), line.text)
        return false
      case 'platform':
        platform = line.platform
        return false
      case 'dm':
      case 'channel':
        stand({ place: line.type, thread: null })
        return false
      case 'thread':
        openThread()
        return false
      case 'as':
        if (scene().people.includes(line.text)) stand({ person: line.text, thread: null })
        else screen.hint(`there are ${scene().people.join(' and ')}`)
        return false
      case 'fault':
        scene().fault(line.fault)
        screen.hint('so be it, once')
        return false
      case 'calls':
        screen.say(scene().calls().slice(-LAST_CALLS).join('\n'))
        return false
      case 'help':
        screen.say(HELP)
        return false
      case 'mistake':
        screen.hint(line.text)
        return false
      default:
        return false
    }
  }

  async function converse(): Promise<void> {
    screen.ask(prompt())
    for await (const { text, shown: seen } of screen.lines) {
      const line = readLine(text)
      if (line.type === 'quit') break
      if (!seen && line.type !== 'nothing') screen.echo(prompt(), text)
      if (!screen.attended) while (!scene().connected()) await sleep(LOOK)
      const before = news
      try {
        await settle(before, await handle(line))
      } catch (error) {
        screen.hint(error instanceof Error ? error.message : String(error))
      }
      screen.ask(prompt())
    }
  }

  let stopped = () => {}
  const told = new Promise<void>((resolve) => {
    stopped = resolve
  })
  if (screen.attended) screen.hint('ann and ben sit here; the bot comes with `claw start` in another terminal. /help')
  return {
    ended: Promise.race([converse(), screen.interrupted, told]).finally(() => {
      clearInterval(looking)
      screen.close()
    }),
    stop: stopped,
  }
}
