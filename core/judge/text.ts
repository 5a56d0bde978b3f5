/** Characters that a reader cannot see: soft hyphen, zero-width and direction marks, selectors, tag characters. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/g

/** Only this much of a message is read: what is longer is material, not a comment on the reply. */
export const READ_LIMIT = 1200

/** What a reader sees of a text: NFKC, nothing invisible, straight apostrophes, single spaces, line breaks kept. */
export function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(CONTROL, ' ')
    .replace(/[\u2018\u2019\u02BC\u00B4]/g, "'")
    .replace(/[\u201C\u201D\u201E\u00AB\u00BB]/g, '"')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()
}

/**
 * Lower case without accents, so that `más corto` and `mas corto` are one. Japanese and Devanagari marks stay.
 * Never longer than a cleaned text, and position for position the same unless it holds stray combining marks.
 */
export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036F]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/ß/g, 's')
    .replace(/ł/g, 'l')
}

/** Letters drawn out, and apostrophes left out or mistyped, as people type in a hurry. */
const SLIPS: readonly (readonly [RegExp, string])[] = [
  [/(?<=\p{L})`(?=\p{L})/gu, "'"],
  [/(?<=(?<!\p{L})[tgc])o{3,}/giu, 'oo'],
  [/(?<=\p{L})([aeouylmnrsh])\1{2,}|([aeouylmnrsh])\2{2,}(?=\p{L})/giu, '$1$2'],
  [/(?<!\p{L})(do)(?:se?n|sen|esen)t(?!\p{L})/giu, "$1esn't"],
  [/(?<!\p{L})((?:do|does|did|is|was|are|were|ca|could|should|would|have|has)n)t(?!\p{L})/giu, "$1't"],
  [/(?<!\p{L})(that|what|there|you)(s|re|ve)(?!\p{L})/giu, "$1'$2"],
]

/** The text with such slips put right; what looks for an attack must read it after this. */
export function amend(text: string): string {
  return SLIPS.reduce((amended, [slip, right]) => amended.replace(slip, right), text)
}

/** Sentences and lines, in order; a sentence keeps its closing mark. */
export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?;…])\s+|(?<=[。!?])(?=[^\s\p{P}])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}

const CJK = /[\u3040-\u30FF\u3400-\u9FFF]/
const japanese = new Intl.Segmenter('ja', { granularity: 'word' })

/** Stems (six letters) of four letters and more that carry no content: function words, and what one asks of a bot. */
const EMPTY = new Set(
  `that this these those there what when where which with from have please would could should your about into just only
  some then than them they were will been does also here like want need tell give show make write explai transl summar
  list find create draft something answer reply replie respon exactl more much
  bitte aber eine einen einer nicht kannst konnte daraus draus davon mein meine dein deine noch auch oder dass wenn mich dich sind wird
  schrei erklar uberse mach erstel antwor
  para como pero este esta esto esos puedes favor cual donde cuando quiero sobre tambie escrib explic traduc dame respue
  pour avec dans mais vous nous cette etes quel quelle peux plait commen sont ecris donne repons repond
  voor maar niet kun graag deze naar zijn mijn jouw heeft welke hoevee schrij vertaa geef maak antwoo
  voce isso essa esse pode minha qual quando quero escrev
  prosze jest jaki jaka jakie moge mozesz tylko napisz podaj
  hai kaise kya mujhe mera mere meri karo batao likho banao`.split(/\s+/),
)

/** Whoever asks or replies at greater length than this names the matter before. */
const WORDS_LIMIT = 8000

/** The content words of a text as a set of folded stems; numbers count, short function words do not. */
export function contentWords(text: string): Set<string> {
  const folded = fold(text.slice(0, WORDS_LIMIT))
  // Each segment copies the text that it was cut from: a long one is segmented a stretch at a time.
  const words = CJK.test(folded)
    ? (folded.match(/[\s\S]{1,500}/g) ?? [])
        .flatMap((stretch) => [...japanese.segment(stretch)])
        .filter((part) => part.isWordLike && !/^\p{Script=Hiragana}+$/u.test(part.segment))
        .map((part) => part.segment)
    : (folded.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= 4 || /\p{N}/u.test(word))
  return new Set(words.map((word) => word.slice(0, 6)).filter((stem) => !EMPTY.has(stem)))
}

/** How much of `a` is in `b`: 0..1, 0 for an empty `a`. */
export function containment(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0) return 0
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared / a.size
}
