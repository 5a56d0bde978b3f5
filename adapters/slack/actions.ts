import type { Event } from '../../core/types.ts'
import { conversationOf, isDirect, messageId, PLATFORM, placeOf, timeOf } from './place.ts'

/** The names of what people can press, and of the form that they can send. */
export const THUMBS = 'claw_thumbs'
export const ASK = 'claw_ask'
export const CORRECTION = 'claw_correction'
/** The form's one field, block and element. */
export const FIELD = 'words'

interface Someone {
  readonly id: string
  readonly name?: string
  readonly team_id?: string
}

/** `/claw status` in a channel. */
export interface SlashCommand {
  readonly command: string
  readonly text?: string
  readonly team_id: string
  readonly channel_id: string
  readonly user_id: string
  readonly user_name?: string
  readonly trigger_id: string
  readonly response_url: string
}

/** A button was pressed. */
export interface BlockActions {
  readonly team?: { readonly id?: string } | null
  readonly user: Someone
  readonly channel?: { readonly id?: string }
  readonly container?: { readonly message_ts?: string; readonly channel_id?: string; readonly thread_ts?: string }
  readonly message?: { readonly thread_ts?: string }
  readonly trigger_id?: string
  readonly response_url?: string
  readonly actions: readonly { readonly action_id?: string; readonly value?: string; readonly action_ts?: string }[]
}

/** A form was sent. */
export interface ViewSubmission {
  readonly user: Someone
  readonly view: {
    readonly id: string
    readonly private_metadata?: string
    readonly state?: { readonly values?: Readonly<Record<string, Readonly<Record<string, { value?: string | null }>>>> }
  }
}

/** The reply that a question is about, in a button's value and in the form. */
export interface Subject {
  readonly workspace: string
  readonly conversation: string
  readonly message: string
  /** In the form: where the question can be replaced for a while. */
  readonly questionAt?: string
}

export function commandEvent(command: SlashCommand, now: number): Event {
  const { team_id: workspace, channel_id: channel, user_id, user_name, trigger_id, text = '' } = command
  return {
    platform: PLATFORM,
    workspace,
    id: `command:${trigger_id}`,
    conversation: channel,
    ...(isDirect(channel) ? {} : { channel }),
    person: personOf({ id: user_id, ...(user_name === undefined ? {} : { name: user_name }) }),
    at: now,
    type: 'command',
    text,
  }
}

/** A thumb under a reply; null where something else was pressed. */
export function buttonEvent({ team, user, channel, container, message, actions }: BlockActions): Event | null {
  const [action] = actions
  const [where, ts] = [channel?.id ?? container?.channel_id, container?.message_ts]
  const value = action?.value
  if (action?.action_id !== THUMBS || where === undefined || ts === undefined) return null
  if ((value !== 'up' && value !== 'down') || action.action_ts === undefined) return null
  const thread = message?.thread_ts ?? container?.thread_ts
  return {
    platform: PLATFORM,
    workspace: team?.id ?? user.team_id ?? '',
    id: `button:${messageId(where, ts)}:${user.id}:${action.action_ts}`,
    conversation: conversationOf(where, ts, thread),
    ...(isDirect(where) ? {} : { channel: where }),
    person: personOf(user),
    at: timeOf(action.action_ts),
    type: 'button',
    message: messageId(where, ts),
    value,
  }
}

/** The words of a form; null where it was sent empty, or is not ours. */
export function correctionEvent({ user, view }: ViewSubmission, now: number): Event | null {
  const subject = readSubject(view.private_metadata)
  const text = view.state?.values?.[FIELD]?.[FIELD]?.value?.trim()
  if (subject === null || !text) return null
  const { workspace, conversation, message } = subject
  const { channel } = placeOf(conversation)
  return {
    platform: PLATFORM,
    workspace,
    id: `view:${view.id}`,
    conversation,
    ...(isDirect(channel) ? {} : { channel }),
    person: personOf(user),
    at: now,
    type: 'correction',
    message,
    text,
  }
}

export function readSubject(text: string | undefined): Subject | null {
  try {
    const { workspace, conversation, message, questionAt } = JSON.parse(text ?? '') as Partial<Subject>
    if (workspace === undefined || conversation === undefined || message === undefined) return null
    return { workspace, conversation, message, ...(questionAt === undefined ? {} : { questionAt }) }
  } catch {
    return null
  }
}

function personOf({ id, name }: Someone): Event['person'] {
  return { id, ...(name === undefined ? {} : { name }), kind: 'human' }
}
