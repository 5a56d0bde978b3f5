import {
  type APIInteraction,
  type APIModalSubmitInteraction,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
} from 'discord.js'
import type { EventOf } from '../../core/types.ts'
import { commandWords } from './commands.ts'
import { type About, type Control, controlId, readControl } from './controls.ts'
import { directWorkspace, PLATFORM, personOf } from './events.ts'
import type { Self } from './words.ts'

/** What somebody wants who used a command, a button or a form. */
export type Asked =
  | { readonly type: 'command'; readonly event: EventOf<'command'> }
  /** Pressing the same again takes it back, which the event does not know. */
  | { readonly type: 'thumb'; readonly event: EventOf<'button'> }
  | { readonly type: 'correction'; readonly event: EventOf<'correction'> }
  | { readonly type: 'form'; readonly about: About }
  /** An empty form. */
  | { readonly type: 'nothing' }
  /** The key of a part of the reply that this person does not want any more. */
  | { readonly type: 'stop'; readonly key: string; readonly person: string }

const EPOCH = 1_420_070_400_000n

/** Milliseconds since the epoch at which Discord made an id. */
export const idTime = (id: string): number => Number((BigInt(id) >> 22n) + EPOCH)

/** An id that everything made since then is after. */
export const idAt = (ms: number): string => String((BigInt(Math.max(0, Math.floor(ms))) - EPOCH) << 22n)

/** What an interaction asks for; null where it is none of the bot's. */
export function askedOf(interaction: APIInteraction, self: Self): Asked | null {
  const user = interaction.member?.user ?? interaction.user
  const channel = interaction.channel
  if (user === undefined || channel === undefined) return null
  const thread = 'parent_id' in channel && 'thread_metadata' in channel ? (channel.parent_id ?? null) : null
  const common = {
    platform: PLATFORM,
    workspace: interaction.guild_id ?? directWorkspace(user.id),
    conversation: channel.id,
    ...(interaction.guild_id === undefined ? {} : { channel: thread ?? channel.id }),
    id: `interaction:${interaction.id}`,
    person: personOf(user, self, interaction.member?.nick ?? null),
    at: idTime(interaction.id),
  }
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      const { data } = interaction
      if (data.type !== ApplicationCommandType.ChatInput || data.name !== 'claw') return null
      return { type: 'command', event: { ...common, type: 'command', text: commandWords(data.options) } }
    }
    case InteractionType.MessageComponent: {
      const control = readControl(interaction.data.custom_id)
      const message = interaction.message.id
      if (control === null || control.name === 'correct') return null
      if (control.name === 'stop') return { type: 'stop', key: control.key, person: user.id }
      if (control.name === 'ask') return { type: 'form', about: control.about }
      return { type: 'thumb', event: { ...common, type: 'button', message, value: control.name } }
    }
    case InteractionType.ModalSubmit: {
      const control = readControl(interaction.data.custom_id)
      if (control?.name !== 'correct' || !hangsOn(interaction, { ...control, name: 'ask' })) return null
      const { workspace, conversation, message } = control.about
      const text = wordsOf(interaction)
      if (text === '') return { type: 'nothing' }
      const { channel: _, ...asked } = common
      return { type: 'correction', event: { ...asked, type: 'correction', workspace, conversation, message, text } }
    }
    default:
      return null
  }
}

interface Row {
  readonly components?: readonly { readonly custom_id?: string }[]
}

/** A form's id is what its sender says; the message that it was opened from is what Discord says, and has the button. */
function hangsOn({ message }: APIModalSubmitInteraction, button: Control): boolean {
  const rows = (message?.components ?? []) as readonly Row[]
  return rows.some(({ components = [] }) => components.some(({ custom_id }) => custom_id === controlId(button)))
}

function wordsOf({ data }: APIModalSubmitInteraction): string {
  const inputs = data.components.flatMap((part) =>
    part.type === ComponentType.Label ? [part.component] : part.type === ComponentType.ActionRow ? part.components : [],
  )
  return inputs
    .map((input) => ('value' in input && typeof input.value === 'string' ? input.value : ''))
    .join('\n')
    .trim()
}
