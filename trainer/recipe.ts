/** What measured best (docs/learning.md). One recipe for all wishes. */
export const RECIPE = {
  rank: 8,
  alpha: 16,
  adam: { learningRate: 7e-4, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxNorm: 1 },
  /** Samples in one step. */
  stepSize: 4,
  /** Steps on the new lessons, then steps on a draw from all that the line of versions has learned. */
  freshSteps: 1,
  drawnSteps: 1,
  /** Rehearsal, in random order: steps on replies of the hinted base, on fresh replies of the policy, on praised ones. */
  rehearsal: { teacherSteps: 4, teacherReplies: 6, studentSteps: 2, studentReplies: 4, praisedSteps: 1 },
  /** Replies of the hinted base that are kept, newest first: many different ones, or their quirks are learned. */
  keptTeacherReplies: 48,
  /** Of all weights together, about 25 kB each. */
  keptTeacherRepliesInAll: 1024,
  /** Samples whose log-probabilities at first sight are kept, of all weights together, half a kB each. */
  keptFirstSights: 8192,
  /** A note is checked on so many questions, each answered with it and without. */
  checkedQuestions: 8,
  /** Questions that rehearsal remembers. */
  questions: 64,
  temperature: 0.7,
  topP: 0.95,
  /** Of a reply, what is trained. Long enough to meet the ends of replies, or the policy forgets how to stop. */
  trainedTokens: 96,
  /** A reply that repeats itself more than this is not distilled: a loop is what its teacher finds probable next. */
  distilledRepetition: 0.15,
} as const

/** The gate asks as people ask: a greedy reply of a small model repeats itself where a sampled one does not. */
export const GATE = {
  prompts: [
    'How do I tie a tie?',
    'What is a rainbow?',
    'Give me tips for a picnic.',
    'Tell me about the moon.',
    'What does a baker do?',
    'How can I stay warm in winter?',
  ],
  maxTokens: 64,
  limits: { degenerate: 0.34, drift: 4 },
} as const
