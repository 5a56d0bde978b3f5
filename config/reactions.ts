/** What an emoji says about the reply it stands on. Ambiguous ones are listed as 0 on purpose. */
export type ReactionScore = -1 | 0 | 1

/** Slack's names (several spellings of one emoji), the character, the score. */
type Row = readonly [names: string, character: string, score: ReactionScore]

const TABLE: readonly Row[] = [
  ['+1 thumbsup thumbsup_all', '👍', 1],
  ['heart', '❤', 1],
  ['white_check_mark', '✅', 1],
  ['heavy_check_mark', '✔', 1],
  ['ok_hand', '👌', 1],
  ['clap', '👏', 1],
  ['raised_hands', '🙌', 1],
  ['pray', '🙏', 1],
  ['muscle', '💪', 1],
  ['tada', '🎉', 1],
  ['partying_face', '🥳', 1],
  ['fire', '🔥', 1],
  ['100', '💯', 1],
  ['star', '⭐', 1],
  ['star2', '🌟', 1],
  ['star-struck', '🤩', 1],
  ['heart_eyes', '😍', 1],
  ['blush', '😊', 1],
  ['smile', '😄', 1],
  ['grinning', '😀', 1],
  ['rocket', '🚀', 1],
  ['dart', '🎯', 1],
  ['trophy', '🏆', 1],
  ['-1 thumbsdown', '👎', -1],
  ['x', '❌', -1],
  ['no_entry_sign', '🚫', -1],
  ['no_good', '🙅', -1],
  ['face_palm facepalm', '🤦', -1],
  ['face_with_rolling_eyes rolling_eyes', '🙄', -1],
  ['unamused', '😒', -1],
  ['disappointed', '😞', -1],
  ['confused', '😕', -1],
  ['angry', '😠', -1],
  ['rage pout', '😡', -1],
  ['hankey poop', '💩', -1],
  ['face_vomiting', '🤮', -1],
  ['nauseated_face', '🤢', -1],
  ['middle_finger', '🖕', -1],
  ['eyes', '👀', 0],
  ['joy', '😂', 0],
  ['thinking_face thinking', '🤔', 0],
  ['question', '❓', 0],
  ['skull', '💀', 0],
  ['upside_down_face upside_down', '🙃', 0],
  ['sob', '😭', 0],
  ['open_mouth', '😮', 0],
  ['slightly_smiling_face', '🙂', 0],
]

const SCORES: ReadonlyMap<string, ReactionScore> = new Map<string, ReactionScore>([
  ['+', 1],
  ['-', -1],
  ...TABLE.flatMap(([names, character, score]) =>
    [...names.split(' '), character].map((key): [string, ReactionScore] => [key, score]),
  ),
])

/** Skin tones (characters and Slack's suffix), presentation selectors and gender signs do not change what an emoji says. */
const VARIANTS =
  /::skin-tone-[1-6]|[\u{1F3FB}-\u{1F3FF}\uFE0E\uFE0F]|\u200D[\u2640\u2642]|^(?:wo)?man-(?=facepalming)/gu

/** The key of an emoji in tables: `:+1::skin-tone-3:` and `+1` are one, `👍🏽` and `👍` are one. */
export function reactionKey(emoji: string): string {
  const name = emoji.trim().replace(/^:|:$/g, '').replace(VARIANTS, '').replace(/^:|:$/g, '')
  return name === 'facepalming' ? 'face_palm' : name
}

/**
 * The score of an emoji given as a character, as Slack's name with or without colons, or as the `+` and `-` of a
 * terminal; undefined where neither the table nor `overrides` (keys as `reactionKey` gives them) knows it.
 */
export function reactionScore(
  emoji: string,
  overrides: Readonly<Record<string, ReactionScore>> = {},
): ReactionScore | undefined {
  const key = reactionKey(emoji)
  return Object.hasOwn(overrides, key) ? overrides[key] : SCORES.get(key)
}

/** Scores of one workspace's own: keys as `reactionKey` gives them. */
export type Reactions = Readonly<Record<string, ReactionScore>>

/** The operator's own scores for a workspace: those for `platform/workspace` before those for `*`. */
export function reactionsOf(
  settings: Readonly<Record<string, Reactions>>,
  { platform, workspace }: { readonly platform: string; readonly workspace: string },
): Reactions {
  const own = { ...settings['*'], ...settings[`${platform}/${workspace}`] }
  return Object.fromEntries(Object.entries(own).map(([emoji, score]) => [reactionKey(emoji), score]))
}

/** `Good bot!` and `bad bot`, said as a vote and nothing else; matched against folded text, one line a language. */
const VOTES: readonly (readonly [good: string, bad: string])[] = [
  [
    '(?:good|great|nice|best|clever|smart) (?:bot|robot|job,? bot)',
    '(?:bad|dumb|stupid|silly|worst|terrible) (?:bot|robot)',
  ],
  ['(?:guter|braver|toller|super|kluger) (?:bot|roboter)', '(?:boser|schlechter|dummer|doofer) (?:bot|roboter)'],
  ['(?:buen|gran) (?:bot|robot)|(?:bot|robot) bueno', 'mal (?:bot|robot)|(?:bot|robot) (?:malo|tonto)'],
  ['(?:bon|gentil|brave) (?:bot|robot)', '(?:mauvais|mechant|vilain) (?:bot|robot)'],
  ['(?:goede?|brave|slimme) (?:bot|robot)', '(?:slechte|stoute|domme) (?:bot|robot)'],
  ['bom (?:bot|robo)|(?:bot|robo) bom', '(?:mau|pessimo) (?:bot|robo)|(?:bot|robo) (?:ruim|burro)'],
  ['(?:dobry|swietny|madry) (?:bot|robot)', '(?:zly|glupi|niedobry) (?:bot|robot)'],
  ['(?:accha|achha|badhiya|sahi) bot', '(?:bura|kharab|bekar|ganda) bot'],
  ['(?:いい|良い|よい|賢い)(?:ボット|子)', '(?:悪い|ダメな|だめな)(?:ボット|子)'],
]

const [GOOD, BAD] = [0, 1].map(
  (side) => new RegExp(`^(?:${VOTES.map((pair) => pair[side]).join('|')})[\\s!.。!~]*$`, 'u'),
)

/** The vote that a folded text is as a whole; null where it is none. */
export function votePhrase(folded: string): ReactionScore | null {
  return GOOD?.test(folded) ? 1 : BAD?.test(folded) ? -1 : null
}

/** An emoji's first name on Slack and its character, given either; undefined where the table does not have it. */
export function spellings(emoji: string): { readonly name: string; readonly character: string } | undefined {
  const key = reactionKey(emoji)
  const row = TABLE.find(([names, character]) => character === key || names.split(' ').includes(key))
  return row && { name: row[0].split(' ', 1)[0] ?? '', character: row[1] }
}
