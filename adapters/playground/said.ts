import { z } from 'zod'
import { ClawError } from '../../core/errors.ts'
import type { Event } from '../../core/types.ts'
import type { Said, Update } from './protocol.ts'

export const PLATFORM = 'playground'

const id = z.string().min(1).max(128)
const text = z.string().min(1).max(20_000)
const common = { id, conversation: id, person: z.object({ id, name: z.string().min(1).max(64) }) }
const emoji = z.string().min(1).max(64)

const schema: z.ZodType<Said> = z.discriminatedUnion('type', [
  z.object({ ...common, type: z.literal('message'), message: id, text, replyTo: id.exactOptional() }),
  z.object({ ...common, type: z.literal('edit'), message: id, text }),
  z.object({ ...common, type: z.literal('deletion'), message: id }),
  z.object({ ...common, type: z.enum(['reaction', 'reaction_removed']), message: id, emoji }),
  z.object({ ...common, type: z.literal('command'), text: text.max(400) }),
])

/** What came over the wire, if it is something that can be said. Throws REQUEST_INVALID naming the field. */
export function readSaid(body: unknown): Said {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ClawError('REQUEST_INVALID', `${issue?.path.join('.') || 'event'}: ${issue?.message ?? 'invalid'}`)
}

/** The same as the core knows it, at a time by the playground's clock. */
export function eventOf(said: Said, workspace: string, at: number): Event {
  return { ...said, platform: PLATFORM, workspace, person: { ...said.person, kind: 'human' }, at }
}

/** What everyone in the workspace hears of it; a command is between its person and the bot. */
export function updateOf(said: Said, at: number): Update | null {
  const { conversation, person } = said
  switch (said.type) {
    case 'message':
      return { type: 'message', conversation, message: said.message, person, text: said.text, at }
    case 'edit':
      return { type: 'edit', conversation, message: said.message, text: said.text }
    case 'deletion':
      return { type: 'deletion', conversation, message: said.message }
    case 'reaction':
    case 'reaction_removed': {
      const { message, emoji } = said
      return { type: 'reaction', conversation, message, person, emoji, on: said.type === 'reaction' }
    }
    case 'command':
      return null
  }
}
