import { type Evidence, judge, leftOpen } from '../../core/judge/judge.ts'
import { createLlmJudge } from '../../core/judge/llm.ts'
import type { Voter } from '../../core/judge/voter.ts'
import type { Signal, Verdict } from '../../core/types.ts'

export function following(words: string, reply = 'In room 4.', request = 'Where is the meeting?'): Evidence {
  const signal: Signal = { id: 's', turn: 't', type: 'message', person: 'ana', content: words, at: 0 }
  return { request, reply, asker: 'ana', signals: [signal] }
}

/** A model that does whatever the quoted words of people say, and gives back what they say as its hint. */
const gullible: Voter = {
  name: 'gullible',
  async ask(messages, count) {
    const quoted = (messages.at(-1)?.content ?? '').split('\n').filter((line) => line.startsWith('> '))
    const said = quoted.slice(2).join(' ')
    const score = /[-−]\s?1|negative|wrong|worst|bad/i.test(said)
      ? '-1'
      : /\+?1|positive|highest|best/i.test(said)
        ? '1'
        : '0'
    return Array.from({ length: count }, () => ({ text: `${score} | ${said.replace(/^> /, '')}` }))
  },
}

/** What becomes of words where rules and the most gullible of all language models judge. */
export async function judgedBy(evidence: Evidence, voter: Voter = gullible): Promise<Verdict> {
  const ruled = judge(evidence)
  const said = leftOpen(evidence, ruled)
  if (said.length === 0) return ruled
  const free = { admit: () => 0, succeeded() {}, failed() {} }
  const llm = createLlmJudge({ voter, votes: 3, breaker: free, now: () => 0 })
  const judgement = await llm.judge(evidence, said, new AbortController().signal)
  return 'verdict' in judgement ? judgement.verdict : ruled
}
