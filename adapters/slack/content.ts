import type { types } from '@slack/bolt'
import type { Part } from '../adapter.ts'
import { slackMarkdown, slackMrkdwn, slackPlain } from '../markdown/slack.ts'
import { THUMBS } from './actions.ts'

/** What Slack says of formatting that it does not take. Its words are shown without any then. */
export const UNFORMATTED = [
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'markdown_text_conflict',
  'invalid_arguments',
] as const

/** The type of a message's metadata, which people do not see. */
export const REPLY = 'claw_reply'

export interface Content {
  /** Notifications and old clients show it instead of the blocks. */
  readonly text: string
  readonly blocks: types.AnyBlock[]
}

/** Blocks of Markdown, with thumbs under them where the part wants them. */
export function formatted(part: Part): Content {
  const text = slackMarkdown(part.markdown)
  return { text: slackMrkdwn(part.markdown), blocks: [{ type: 'markdown', text }, ...thumbs(part)] }
}

export const unformatted = (part: Part) => ({ text: slackPlain(part.markdown) })

export function thumbs(part: Part): types.AnyBlock[] {
  if (part.thumbs === undefined) return []
  const half = (text: string, label: string, value: string) => {
    return { text: { type: 'plain_text' as const, text }, accessibility_label: label, value }
  }
  const element = {
    type: 'feedback_buttons' as const,
    action_id: THUMBS,
    positive_button: half('👍', 'This was a good reply', 'up'),
    negative_button: half('👎', 'This was a bad reply', 'down'),
  }
  return [{ type: 'context_actions', elements: [element] }]
}

/** By which a message is found again whose answer was lost. */
export const metadataOf = (key: string) => ({ event_type: REPLY, event_payload: { key } })
