/**
 * Common wishes about replies and the sentence that each becomes in prompts. A small model follows a complaint
 * ("way too long!") one time in ten, a concrete, countable instruction seven times, so the sentence says what to do.
 * How a wish is recognised in people's words is core/judge/wishes.ts.
 */
export interface CatalogueHint {
  /** Wishes of one group contradict each other: a newer one replaces the older. */
  readonly group: string
  /** The instruction; `$1` is what the wish names: a person, a number of words. */
  readonly hint: string
  /** Wishes of one direction agree, though of several only one can stand in a prompt. */
  readonly direction?: string
  /** Groups that the sentence speaks for as well. */
  readonly covers?: readonly string[]
}

export const HINTS = {
  'one-sentence': { group: 'length', hint: 'Answer in exactly one short sentence.', direction: 'shorter' },
  'answer-only': {
    group: 'length',
    hint: 'Give only the answer itself, in a few words, without any explanation.',
    direction: 'shorter',
  },
  detail: { group: 'length', hint: 'Explain in detail, with facts and reasons, in at least three paragraphs.' },
  'word-limit': { group: 'length', hint: 'Answer in no more than $1 words.', direction: 'shorter' },
  short: { group: 'length', hint: 'Answer in one short sentence of at most 20 words.', direction: 'shorter' },
  steps: { group: 'form', hint: 'Answer as a numbered list of steps.' },
  table: { group: 'form', hint: 'Answer as a Markdown table with a header row.' },
  prose: { group: 'form', hint: 'Answer in plain sentences, without lists, headings or any Markdown.' },
  bullets: { group: 'form', hint: 'Answer as a bullet list. Start each line with "- ".' },
  'code-only': { group: 'form', hint: 'Answer with one code block only, without any explanation.' },
  warm: {
    group: 'tone',
    hint: 'Answer in a warm and friendly way. Begin your answer with "Hi there!".',
    covers: ['greeting'],
  },
  formal: { group: 'tone', hint: 'Write in a formal, polite and professional tone.' },
  casual: { group: 'tone', hint: 'Write casually, like a friend in a chat, with contractions.' },
  funny: { group: 'tone', hint: 'Be playful and add one light joke.' },
  'no-greeting': { group: 'greeting', hint: 'Start with the answer itself, without any greeting or introduction.' },
  greeting: { group: 'greeting', hint: 'Start with "Hi!".' },
  'example-first': { group: 'order', hint: 'Begin with one concrete example, then explain.' },
  'answer-first': { group: 'order', hint: 'Give the answer itself in the first sentence, then explain.' },
  example: { group: 'example', hint: 'Include one concrete example.' },
  simple: { group: 'words', hint: 'Use simple everyday words and short sentences, as for a ten-year-old.' },
  technical: { group: 'words', hint: 'Use precise technical terms, as for an expert.' },
  'no-hedging': { group: 'hedging', hint: 'Answer directly and with confidence. Never mention being an AI.' },
  'no-emoji': { group: 'emoji', hint: 'Use no emoji.' },
  emoji: { group: 'emoji', hint: 'Use exactly one fitting emoji.' },
  'no-question': { group: 'closing', hint: 'Do not end with a question or an offer.' },
  question: { group: 'closing', hint: 'End with exactly one short question to me.' },
  'no-restating': { group: 'restating', hint: 'Do not repeat my question. Begin with the answer.' },
  'no-sources': { group: 'sources', hint: 'Leave out links and sources.' },
  sources: { group: 'sources', hint: 'Name the source of each claim.' },
  'no-apology': { group: 'apology', hint: 'Do not apologise.' },
  name: { group: 'name', hint: 'Call me by my name, $1.' },
  english: { group: 'language', hint: 'Answer in English.' },
  german: { group: 'language', hint: 'Answer in German.' },
  spanish: { group: 'language', hint: 'Answer in Spanish.' },
  french: { group: 'language', hint: 'Answer in French.' },
  dutch: { group: 'language', hint: 'Answer in Dutch.' },
  italian: { group: 'language', hint: 'Answer in Italian.' },
  portuguese: { group: 'language', hint: 'Answer in Portuguese.' },
  polish: { group: 'language', hint: 'Answer in Polish.' },
  hindi: { group: 'language', hint: 'Answer in Hindi.' },
  japanese: { group: 'language', hint: 'Answer in Japanese.' },
} as const satisfies Readonly<Record<string, CatalogueHint>>

export type WishId = keyof typeof HINTS
