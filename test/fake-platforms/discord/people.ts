import type { Effects } from './effects.ts'
import type { Interactions } from './interactions.ts'
import type { Commands } from './routes.ts'
import { CHANNEL, type Channel, emojiOf, type Json, type Message, type User } from './shapes.ts'
import {
  addChannel,
  addMessage,
  addUser,
  attachmentsOf,
  directWith,
  findMessage,
  guildOf,
  openThread,
  type World,
} from './world.ts'

export interface Words {
  readonly replyTo?: string
  readonly files?: readonly string[]
}

/** What people do, in Discord's own ids. Whatever is not there throws. */
export interface People {
  /** Returns the message's id. */
  say(channel: string, person: string, text: string, words?: Words): string
  edit(channel: string, message: string, text: string): void
  /** A link's preview has loaded: the message is updated, and nobody has edited it. */
  unfurl(channel: string, message: string): void
  /** Several at once are a bulk deletion. */
  remove(channel: string, ...messages: readonly string[]): void
  react(channel: string, person: string, message: string, emoji: string, burst?: boolean): void
  unreact(channel: string, person: string, message: string, emoji: string, burst?: boolean): void
  /** Takes off all reactions, or all of one emoji. */
  clear(channel: string, message: string, emoji: string | null): void
  /** Opens a thread, on a message or by itself, and returns its id. */
  open(channel: string, person: string, name: string, from?: string): string
  /** The direct conversation of a person with the bot. */
  direct(person: string): string
  /** `/claw` with these words, as the person picks them. Returns the interaction's id. */
  command(channel: string, person: string, text: string): string
  /** A button by its label, its emoji or its id. */
  press(channel: string, person: string, message: string, button: string): string
  /** Fills the form that the person was shown last, and sends it. */
  submit(person: string, text: string): string
  /** Takes the bot out of a guild, lets it in again, or makes the guild unavailable for a while. */
  kick(guild: string): void
  invite(guild: string): void
  outage(guild: string, on: boolean): void
  /** A channel that the bot may not see, or not write in. */
  addChannel(guild: string, name: string, deny?: bigint): string
  addPerson(guild: string, name: string, bot?: boolean): User
  /** The bot's messages there that people still see, oldest first. */
  shown(channel: string): readonly Message[]
}

export interface PeopleOptions {
  readonly world: World
  readonly effects: Effects
  readonly interactions: Interactions
  readonly commands: Commands
}

export function createPeople({ world, effects, interactions, commands }: PeopleOptions): People {
  const there = <T>(value: T | undefined, what: string): T => {
    if (value === undefined) throw new Error(`there is no such ${what}`)
    return value
  }
  const channelOf = (id: string) => there(world.channels.get(id), 'channel')
  const userOf = (id: string) => there(world.users.get(id), 'person')
  const guildAt = (id: string) => there(world.guilds.get(id), 'guild')
  const messageOf = (channel: string, id: string) => there(findMessage(world, channel, id), 'message')

  function member(channel: Channel, person: string): User {
    const user = userOf(person)
    const inside = guildOf(world, channel)?.members.has(person) ?? channel.recipients?.some(({ id }) => id === person)
    return there(inside ? user : undefined, 'member')
  }

  return {
    say(id, person, text, { replyTo, files = [] } = {}) {
      const channel = channelOf(id)
      const attachments = attachmentsOf(
        world,
        files.map((name) => ({ name, text: '' })),
      )
      const author = member(channel, person)
      if (replyTo !== undefined) messageOf(id, replyTo)
      const words = { author, content: text, attachments, ...(replyTo === undefined ? {} : { replies: replyTo }) }
      const message = addMessage(world, channel, words)
      effects.posted(channel, message)
      return message.id
    },
    edit(channel, id, text) {
      const message = messageOf(channel, id)
      message.content = text
      message.edited_timestamp = new Date(world.now()).toISOString()
      effects.updated(channelOf(channel), message)
    },
    unfurl(channel, id) {
      const message = messageOf(channel, id)
      message.embeds = [{ type: 'link', url: 'https://example.com', title: 'Example' }]
      effects.updated(channelOf(channel), message)
    },
    remove(channel, ...ids) {
      const list = world.messages.get(channel) ?? []
      for (const id of ids) list.splice(list.indexOf(messageOf(channel, id)), 1)
      effects.removed(channelOf(channel), ids)
    },
    react(channel, person, message, emoji, burst = false) {
      const at = channelOf(channel)
      effects.reacted(at, messageOf(channel, message), member(at, person).id, emojiOf(emoji), burst)
    },
    unreact(channel, person, message, emoji, burst = false) {
      effects.unreacted(channelOf(channel), messageOf(channel, message), person, emojiOf(emoji), burst)
    },
    clear(channel, message, emoji) {
      effects.cleared(channelOf(channel), messageOf(channel, message), emoji === null ? null : emojiOf(emoji))
    },
    open(channel, person, name, from) {
      const parent = channelOf(channel)
      const thread = openThread(world, parent, name, member(parent, person).id, from)
      effects.threadOpened(thread)
      return thread.id
    },
    direct: (person) => directWith(world, userOf(person)).id,
    command(id, person, text) {
      const channel = channelOf(id)
      const registered = [...(commands.get(channel.guild_id ?? '') ?? []), ...(commands.get('') ?? [])]
      const claw = there(registered.find(({ name }) => name === 'claw') as Registered | undefined, 'command')
      const context = channel.type === CHANNEL.dm ? 1 : 0
      if (claw.contexts?.includes(context) === false) throw new Error('the command is not to be had there')
      const options = pick(claw.options ?? [], text.trim().split(/\s+/))
      return interactions.begin(2, channel, member(channel, person), { id: claw.id, name: claw.name, type: 1, options })
    },
    press(id, person, messageId, wanted) {
      const channel = channelOf(id)
      const message = there(
        world.messages.get(id)?.find((each) => each.id === messageId && (each.only ?? person) === person),
        'message',
      )
      const button = there(
        buttonsOf(message).find((each) => namesOf(each).includes(wanted)),
        `button ${wanted}`,
      )
      const data = { custom_id: button.custom_id, component_type: 2 }
      return interactions.begin(3, channel, member(channel, person), data, message)
    },
    submit(person, text) {
      const at = interactions.modals.findIndex(({ user }) => user === person)
      const [modal] = at < 0 ? [] : interactions.modals.splice(at, 1)
      const { custom_id, channel, on, fields } = there(modal, 'form')
      const components = fields.map((field, index) => ({
        type: 18,
        id: index + 1,
        component: { type: 4, id: index + 11, custom_id: field, value: text },
      }))
      return interactions.begin(5, channel, userOf(person), { custom_id, components }, on ?? undefined)
    },
    kick(id) {
      const guild = guildAt(id)
      guild.members.delete(world.bot.id)
      effects.guildLeft(guild, false)
      guild.joined = false
    },
    invite(id) {
      const guild = guildAt(id)
      guild.members.set(
        world.bot.id,
        guild.roles.filter(({ tags }) => tags?.bot_id === world.bot.id).map((each) => each.id),
      )
      guild.joined = true
      guild.joined_at = new Date(world.now()).toISOString()
      effects.guildJoined(guild)
    },
    outage(id, on) {
      const guild = guildAt(id)
      guild.unavailable = on
      if (on) effects.guildLeft(guild, true)
      else effects.guildJoined(guild)
    },
    addChannel(guild, name, deny = 0n) {
      // The bot's role is allowed everything it needs in the guild; only its own overwrite takes that away.
      const own = { id: world.bot.id, type: 1 as const, allow: '0', deny: String(deny) }
      const fields = { type: CHANNEL.text, guild_id: guildAt(guild).id, name, permission_overwrites: [own] }
      return addChannel(world, fields).id
    },
    addPerson(guild, name, bot = false) {
      const user = addUser(world, name, bot)
      guildAt(guild).members.set(user.id, [])
      return user
    },
    shown: (channel) => (world.messages.get(channel) ?? []).filter(({ author }) => author.id === world.bot.id),
  }
}

interface Registered {
  readonly id: string
  readonly name: string
  readonly contexts?: readonly number[]
  readonly options?: readonly Option[]
}

interface Option {
  readonly type: number
  readonly name: string
  readonly required?: boolean
  readonly options?: readonly Option[]
  readonly choices?: readonly { readonly value: string | number }[]
}

/** Options as a person picks them: subcommands by name, then the values in order. */
function pick(options: readonly Option[], words: readonly string[]): Json[] {
  const [name, ...rest] = words
  const nested = options.filter(({ type }) => type <= 2)
  if (nested.length > 0) {
    const chosen = nested.find((option) => option.name === name)
    if (chosen === undefined) throw new Error(`Discord offers ${nested.map((option) => option.name).join(', ')} there`)
    return [{ type: chosen.type, name: chosen.name, options: pick(chosen.options ?? [], rest) }]
  }
  const left = words.filter((word) => word !== '')
  if (left.length > options.length) throw new Error(`there is no option for ${left.at(-1)}`)
  return options.slice(0, left.length).map(({ type, name: option, choices }, at) => {
    const word = left[at] ?? ''
    if (choices?.every(({ value }) => String(value) !== word)) throw new Error(`${option} has no choice ${word}`)
    return { type, name: option, value: type === 4 ? Number(word) : type === 5 ? word !== 'no' : word }
  })
}

interface Button {
  readonly custom_id: string
  readonly label?: string
  readonly emoji?: { readonly name: string }
}

export const buttonsOf = ({ components }: Message): readonly Button[] =>
  components.flatMap((row) => (row.components ?? []) as Button[])

const namesOf = ({ custom_id, label, emoji }: Button): readonly (string | undefined)[] => [
  custom_id,
  label,
  emoji?.name,
]
