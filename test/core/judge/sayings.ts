import { describe, expect, test } from 'vitest'
import { judge } from '../../../core/judge/judge.ts'

/** What people may say after a reply, by what it says of the reply. One saying a line of each list. */
export interface Sayings {
  readonly request: string
  readonly reply: string
  readonly satisfied?: string
  /** Without a word on what would be right. */
  readonly turnedDown?: string
  readonly corrected?: string
  /** A question, an answer, the next request, talk of something else. */
  readonly nothing?: string
}

export function verdictOn(request: string, reply: string, content: string) {
  const signals = [{ id: '1', turn: '1', type: 'message' as const, person: 'ada', content, at: 0 }]
  return judge({ request, reply, asker: 'ada', signals })
}

function lines(sayings: string | undefined): string[] {
  return (sayings ?? '').split('\n').flatMap((line) => line.trim() || [])
}

/** Checks what the judge makes of each: the score, and whether there is a hint. */
export function said(all: readonly Sayings[]): void {
  describe.each(all)('$request → $reply', ({ request, reply, satisfied, turnedDown, corrected, nothing }) => {
    const rows = [
      ...lines(satisfied).map((text) => [text, 1, false] as const),
      ...lines(turnedDown).map((text) => [text, -1, false] as const),
      ...lines(corrected).map((text) => [text, -1, true] as const),
      ...lines(nothing).map((text) => [text, 0, false] as const),
    ]
    test.each(rows)('%s → %i', (text, score, hint) => {
      const verdict = verdictOn(request, reply, text)
      expect([verdict.score, verdict.hint !== null]).toEqual([score, hint])
    })
  })
}
