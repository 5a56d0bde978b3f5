import { withNotes } from '../core/memory/notes.ts'
import { BASE_POLICY } from '../core/policy/engine.ts'
import type { PolicyRef } from '../core/types.ts'
import type { TrainerParts } from './parts.ts'
import { RECIPE } from './recipe.ts'
import { freshReplies, type Lesson, type ModelReply, type Question, teacherReplies } from './steps.ts'

/** What idle time learns from: questions already asked, answered again. */
export interface Rehearsal {
  /** What people asked and what they wished, newest first. */
  questions(ref: PolicyRef): Promise<Question[]>
  /** Fresh replies of the policy itself, for the teacher to correct. */
  studentReplies(ref: PolicyRef, version: number, questions: readonly Question[]): Promise<Lesson[]>
  /** Some fresh replies of the hinted base to `drawn`, with those of earlier rounds to the same wishes. */
  teacherReplies(
    ref: PolicyRef,
    questions: readonly Question[],
    drawn: readonly Question[],
    salt: number,
  ): Promise<readonly ModelReply[]>
}

interface Taught {
  readonly key: string
  readonly question: Question
  readonly reply: ModelReply
}

export function startRehearsal({ engine, policy, store, model }: TrainerParts): Rehearsal {
  /** Replies of the hinted base, newest first. Lost with the process: then rehearsal makes others. */
  let taught: readonly Taught[] = []

  /** Keeps some for each weights, and so many in all; none to a question that is not asked any more. */
  function keep(key: string, asked: ReadonlySet<string>, replies: readonly Taught[]): void {
    let own = 0
    const stays = (one: Taught) =>
      one.key !== key || (asked.has(wish(one.question)) && ++own <= RECIPE.keptTeacherReplies)
    taught = [...replies, ...taught].filter(stays).slice(0, RECIPE.keptTeacherRepliesInAll)
  }

  return {
    async questions(ref) {
      const asked = await store.recentQuestions(ref, RECIPE.questions)
      return asked
        .filter(({ notes }) => notes.length > 0)
        .map(({ promptIds, request, notes }) => ({
          promptIds,
          teacherPromptIds: model.tokenizer.prompt(withNotes(request, notes)),
        }))
    },

    async studentReplies(ref, version, questions) {
      const record = version === 0 ? null : await store.findVersion(ref, version)
      const name = record === null ? BASE_POLICY : `rehearsal/${record.directory}`
      if (record !== null) await policy.load(name, record.directory)
      try {
        const prompts = questions.map(({ promptIds }) => promptIds)
        const replies = await freshReplies(policy, name, prompts, version)
        return replies.flatMap((responseIds, i): Lesson[] =>
          responseIds === null ? [] : [{ ...questions[i]!, responseIds, advantage: null }],
        )
      } finally {
        await policy.unload(name)
      }
    },

    async teacherReplies(ref, questions, drawn, salt) {
      const key = JSON.stringify([ref.platform, ref.workspace, ref.scope ?? null])
      const fresh = await teacherReplies(engine, policy, drawn, salt)
      keep(
        key,
        new Set(questions.map(wish)),
        fresh.flatMap((reply, i) => (reply === null ? [] : [{ key, question: drawn[i]!, reply }])),
      )
      const replies = taught.flatMap(({ key: of, reply }) => (of === key ? [reply] : []))
      return wholeOnes(replies, RECIPE.stepSize, model.tokenizer.endOfTurn)
    },
  }
}

function wish({ teacherPromptIds }: Question): string {
  return teacherPromptIds.join(' ')
}

/** Those that came to their end, where there are enough of them: an end is part of the example. */
function wholeOnes(replies: readonly ModelReply[], enough: number, ends: ReadonlySet<number>): readonly ModelReply[] {
  const whole = replies.filter(({ responseIds }) => ends.has(responseIds.at(-1)!))
  return whole.length >= enough ? whole : replies
}
