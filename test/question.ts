import type { ConversationRef, ReplyTo } from '../core/stream/outlet.ts'

/** The question that a turn answers, with nothing of the answer delivered yet. */
export function questionOf({ platform, workspace, conversation }: ConversationRef, turn: string): ReplyTo {
  const delivery = { parts: [], sending: async () => {}, sent: async () => {}, refused: async () => {} }
  return { platform, workspace, conversation, turn, message: `asks ${turn}`, person: 'ada', delivery }
}
