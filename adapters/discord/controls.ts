import { ButtonStyle, ComponentType, TextInputStyle } from 'discord.js'
import type { Part } from '../adapter.ts'

/** A button of the bot's, or a form. Discord keeps the id with the message and gives it back when it is pressed. */
export type Control =
  | { readonly name: 'up' | 'down' }
  /** Of the reply whose part has this key. */
  | { readonly name: 'stop'; readonly key: string }
  /** Opens the form about a reply, or is that form, filled. */
  | { readonly name: 'ask' | 'correct'; readonly about: About }

/** A reply, wherever the button about it is. */
export interface About {
  readonly workspace: string
  readonly conversation: string
  readonly message: string
}

/** At most 100 characters. */
export function controlId(control: Control): string {
  if ('key' in control) return `claw stop ${control.key}`
  if (!('about' in control)) return `claw ${control.name}`
  const { workspace, conversation, message } = control.about
  return `claw ${control.name} ${workspace} ${conversation} ${message}`
}

export function readControl(id: string): Control | null {
  const [claw, name, first, conversation, message] = id.split(' ')
  if (claw !== 'claw') return null
  if (name === 'up' || name === 'down') return { name }
  if (name === 'stop' && first !== undefined) return { name, key: first }
  if (name !== 'ask' && name !== 'correct') return null
  const workspace = first
  if (workspace === undefined || conversation === undefined || message === undefined) return null
  return { name, about: { workspace, conversation, message } }
}

type Row = { readonly type: ComponentType.ActionRow; readonly components: readonly unknown[] }

const row = (...components: readonly unknown[]): Row => ({ type: ComponentType.ActionRow, components })

const button = (control: Control, shown: { readonly label?: string; readonly emoji?: { readonly name: string } }) => ({
  type: ComponentType.Button,
  style: ButtonStyle.Secondary,
  custom_id: controlId(control),
  ...shown,
})

/** What stands under a message. */
export function controlsOf({ thumbs, stop, key }: Part): readonly Row[] {
  if (stop) return [row(button({ name: 'stop', key }, { label: 'Stop' }))]
  if (!thumbs) return []
  return [row(button({ name: 'up' }, { emoji: { name: '👍' } }), button({ name: 'down' }, { emoji: { name: '👎' } }))]
}

export const askButton = (about: About): readonly Row[] => [row(button({ name: 'ask', about }, { label: 'Answer' }))]

/** The longest answer that fits the form. */
const ANSWER = 1_000

/** The form that asks what a reply should have been. */
export const correctionForm = (about: About) => ({
  custom_id: controlId({ name: 'correct', about }),
  title: 'What should it have been?',
  components: [
    {
      type: ComponentType.Label,
      label: 'Your words',
      component: {
        type: ComponentType.TextInput,
        custom_id: 'words',
        style: TextInputStyle.Paragraph,
        max_length: ANSWER,
        required: true,
      },
    },
  ],
})
