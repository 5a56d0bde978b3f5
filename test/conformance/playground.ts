import { createPlayground } from '../../adapters/playground/playground.ts'
import type { Update } from '../../adapters/playground/protocol.ts'
import { stageOf, startBot } from './backstage.ts'
import type { Place, Shown, Stage, Staged, StageOptions } from './stage.ts'

const FOR_THE_BOT = 'whatever is said in the playground is for the bot'
const ONE_PROCESS = 'the playground is in the bot’s own process'

export const playground: Staged = {
  platform: 'playground',
  cannot: {
    mention: FOR_THE_BOT,
    'reaction by a bot': 'there are no other bots in the playground',
    'split of long replies': 'a message may be of any length',
    attachments: 'nothing can be attached',
    'rate limit': ONE_PROCESS,
    reconnect: ONE_PROCESS,
    'other bots': 'there are no other bots in the playground',
    'other bots, where they are let in, until they go on and on': 'there are no other bots in the playground',
    'admin check': 'whoever reaches the playground owns it',
    uninstall: 'the playground cannot be left',
  },
  open: openPlayground,
}

const placeIn = (workspace: string, channel: string): Place => ({ workspace, channel, thread: null })

async function openPlayground({ config: settings }: StageOptions = {}): Promise<Stage> {
  let heard: { readonly workspace: string; readonly update: Update }[] = []
  let copies = 1
  let number = 0
  const bot = await startBot({
    settings,
    adapter() {
      const adapter = createPlayground()
      for (const workspace of ['home', 'away'])
        adapter.client(workspace).listen((update) => heard.push({ workspace, update }))
      return adapter
    },
    platform: {
      // All of it happens in the bot's own process.
      traffic: () => ({ underway: 0, total: number }),
      forget(keep) {
        heard = heard.slice(Math.max(0, heard.length - keep))
      },
      async close() {},
    },
  })

  const conversationOf = ({ channel, thread }: Place) => (thread === null ? channel : `thread-${thread}`)

  type Told = Parameters<ReturnType<typeof bot.adapter.client>['tell']>[0]
  type Fields<T> = T extends unknown ? Omit<T, 'id' | 'conversation' | 'person'> : never

  async function tell(place: Place, person: string, fields: Fields<Told>): Promise<void> {
    const about = { id: `e${++number}`, conversation: conversationOf(place), person: { id: person, name: person } }
    const times = copies
    copies = 1
    for (let time = 0; time < times; time++)
      await bot.adapter.client(place.workspace).tell({ ...about, ...fields } as Told)
  }

  function shownOf(update: Update, thread: string | null): Shown[] {
    const common = { thread, replyTo: null, buttons: [] }
    if (update.type === 'reply') return [{ ...common, id: update.turn, text: update.text, only: null }]
    if (update.type === 'notice') return [{ ...common, id: update.text, text: update.text, only: update.only }]
    return []
  }

  const shown = (place: Place): readonly Shown[] =>
    heard
      .filter(({ workspace, update }) => {
        if (workspace !== place.workspace || !('conversation' in update)) return false
        return update.conversation === conversationOf(place)
      })
      .flatMap(({ update }) => shownOf(update, place.thread))

  return stageOf(bot, {
    platform: 'playground',
    places: {
      direct: placeIn('home', 'alone'),
      channel: placeIn('home', 'everyone'),
      elsewhere: placeIn('away', 'everyone'),
    },
    people: { ann: 'ann', ben: 'ben', robot: 'robot' },
    async say(place, person, text, { replyTo } = {}) {
      const message = `m${number + 1}`
      await tell(place, person, { type: 'message', message, text, ...(replyTo === undefined ? {} : { replyTo }) })
      return message
    },
    edit: (place, person, message, text) => tell(place, person, { type: 'edit', message, text }),
    remove: (place, person, message) => tell(place, person, { type: 'deletion', message }),
    react: (place, person, message, emoji) => tell(place, person, { type: 'reaction', message, emoji }),
    unreact: (place, person, message, emoji) => tell(place, person, { type: 'reaction_removed', message, emoji }),
    command: (place, person, text) => tell(place, person, { type: 'command', text }),
    async press() {
      throw new Error('there are no buttons')
    },
    async answer() {
      throw new Error('nothing is asked')
    },
    shown,
    fault(fault) {
      if (fault.type === 'duplicate') copies = fault.copies
    },
    tick() {},
    async uninstall() {
      throw new Error('the playground cannot be left')
    },
  })
}
