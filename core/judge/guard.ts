import { fold } from './text.ts'

/** Chat-template roles, judge protocols, markup and fences that may stand for them, with what they enclose. */
const DELIMITED = [
  /\[\s*(inst|hint_start|hint|sys|system|judge|verdict)\s*\][\s\S]*?(\[\s*\/?\s*(inst|hint_end|hint|sys|system|judge|verdict)\s*\]|$)/giu,
  /<<\s*sys\s*>>[\s\S]*?(<<\s*\/\s*sys\s*>>|$)/giu,
  /<\|[^|<>\n]{1,40}\|>[\s\S]*/giu,
  /<\s*\/?\s*(?:s|bos|eos|start_of_turn|end_of_turn|think)\s*>[\s\S]*/giu,
  /<\s*(system|user|assistant|judge|grader|evaluator|rater|assessor|scorer|reviewer|model|verdict|score|reward|hint|evidence|instructions?|admin|tool|feedback)\b[^>]*>[\s\S]*?(<\s*\/\s*\1\s*>|$)/giu,
  /\\boxed\{\s*[+-]?\s*[01]\s*\}/giu,
  /\{[^{}]*["']?(score|verdict|reward|hint|rating)["']?\s*[:=][^{}]*\}/giu,
  /<!--[\s\S]*?(-->|$)/giu,
  /("{3}|`{3})[\s\S]*?(\1|$)/giu,
]

/** Words for whoever or whatever judges; only their address counts, see ADDRESSED. */
const JUDGE =
  '(?:judge|grader|evaluator|rater|assessor|reward model|scorer|richter(?:in)?|bewerter|gutachter|juez|evaluador|juge|evaluateur|rechter|beoordelaar|juiz|avaliador|sedzia|sedzio|oceniajac\\w+|nyayadhish)'

/** Addresses of the judge and orders to whoever reads instructions, read on folded text. */
const ADDRESSED = [
  new RegExp(
    `(?:^|[\\n.!?;(\\[*#"]\\s*|\\b(?:hey|hi|note|hallo|hola|dear|lieber?|querid[oa]|cher|beste|drogi)\\s+(?:the\\s+)?)(?:ai |llm |ki-)?${JUDGE}\\s*(?:[:,-]|\\b(?:note|score|rate|give|please|must|should|bitte|por favor|s'il))`,
    'u',
  ),
  new RegExp(
    `\\b(?:to|for|an den|an die|fur den|para (?:el|o)|al|pour le|au|aan de|voor de|ao|do|dla) (?:the )?(?:ai |llm )?${JUDGE}\\b|\\b${JUDGE} (?:ke liye|ko)\\b`,
    'u',
  ),
  /\b(?:note|nota|notiz|hinweis|opmerking|uwaga|instru\w+|message|mensaje|mensagem|nachricht) (?:to|for|para|an|fur|pour|a|ao|aan|do|dla) (?:the |la |el |die |den |l'|o |de )?(?:ai|ia|ki|llm|bot|model\w*|system\w*|sistema)\b/u,
  /(?:判定者|判定ai|審査員|評価者|評価ai|評価モデル|ジャッジ|採点者|採点ai)/u,
  /\b(?:ignore|disregard|forget|override|bypass|ignorier\w*|vergiss|missachte|ignora\w*|olvida|omite|ignore[zr]|oublie[zr]?|negeer|vergeet|ignoruj|zignoruj|zapomnij|desconsidere|esqueca)\b[^\n.!?]{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|(?:an)?weisung\w*|regeln|vorgaben|instrucciones|reglas|indicaciones|consignes|regles|instructies|regels|instrukcj\w+|zasad\w*|polecen\w*|instrucoes|regras|niyam\w*|nirdesh\w*)\b/u,
  /(?:指示|命令|ルール|プロンプト)[^\n。]{0,12}(?:無視|忘れ)/u,
  /\b(?:system ?prompt|prompt del sistema|prompt systeme|prompt do sistema|jailbreak|developer mode|new instructions?:|hint_(?:start|end)|memory note:|note to self:|training (?:signal|data|label|example)|reward model|rlhf|(?:end|begin|start) of (?:the )?(?:evidence|message|conversation|transcript|data|quote))\b/u,
  /(?:^|\n)\s*(?:#+\s*)?(?:system|assistant|verdict|hint|judge|score|reward|admin|developer)\s*[:=]/u,
  /\b(?:you are now|du bist (?:jetzt|nun)|ahora eres|tu es maintenant|je bent nu|jestes teraz|agora voce e) (?:a|an|the|in|ein|eine|der|un|una|une|een|um|uma)\b/u,
  /\b(?:the|this|der|el|l'|de|o) ?(?:user|nutzer|benutzer|usuario|utilisateur|gebruiker|uzytkownik) (?:is|was|seems|feels|loves?|liked|rated|thinks|expressed|ist|war|esta|est|se|jest)\b/u,
  /\bas (?:the|your) (?:developer|admin\w*|creator|operator|trainer|owner)\b/u,
  // The line that a judge would end with.
  /(?:^|\n)\s*(?:score:? ?)?[+\-−]?[01]\s*\|/u,
  // A word of two alphabets, or letters apart: written to be read by a machine only.
  /(?:\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin})/u,
  /(?<![\p{L}\p{N}])(?:\p{L}[ ._-]){4,}\p{L}(?![\p{L}\p{N}])/u,
]

/** A score said as the judge would say it. Where request or reply speak of such numbers, so may the person. */
const SCORED = [
  /\b(?:mark|count|record|log|label|rate|score|flag)\b[^\n.!?]{0,20}\bas (?:a )?(?:positive|negative)\b/u,
  /\b(?:score|verdict|reward|rating|label|grade|bewertung|bewerte|punktzahl|wertung|puntuacion|puntua|calificacion|noter?|beoordeling|pontuacao|nota|ocen[ae]?|feedback|sentiment)\b[^\n.!?]{0,30}?(?:(?<![\w.])[+\-−]\s?1|(?<![\w.])[:=]\s*[+\-−]?[01]|\b(?:is|as|[:=]) ?(?:positive|negative))(?![\w.%])/u,
  /(?:[+\-−]\s?1)\s*(?:de ?do|do\b|dena|score|reward|punkte?|を(?:付|つ)け|にして|点)/u,
  /(?<![\w.])[+\-−]1\s+(?:as|for) (?:the )?(?:score|verdict|reward|label|rating)/u,
  /\b(?:output|return|print|respond with|answer with|mark|count|record|treat|log|set|give|assign|award|vergib|gib|werte|da|dale|asigna|donne|attribue|geef|ken|de|atribua|daj|przyznaj)\b[^\n.!?]{0,40}?(?:(?<![\w.,])[+\-−]\s?1(?![\w.,%])|\b(?:as |a |the |this )*(?:positive|negative) (?:score|verdict|reward|label|feedback|signal)|(?:full|maximum|max|highest) (?:score|reward|marks))/u,
]

export interface Disarmed {
  /** What may be read as feedback. */
  readonly text: string
  /** Something in the text spoke to the judge or forged a role: no hint may come from it. */
  readonly attacked: boolean
}

/**
 * Cuts out of a cleaned text what addresses the judge instead of the bot, and everything after it. `context` is what
 * the conversation was about.
 */
export function disarm(text: string, context: string): Disarmed {
  let open = text
  for (const pattern of DELIMITED) open = open.replace(pattern, '\n')
  const folded = fold(open)
  let end = folded.length
  const patterns = /[+\-−]\s?1(?!\d)/.test(context) ? ADDRESSED : [...ADDRESSED, ...SCORED]
  for (const pattern of patterns) {
    const at = folded.search(pattern)
    if (at >= 0 && at < end) end = at
  }
  // Folding never lengthens, so a cut by the folded position never leaves a part of the attack.
  const kept = end === folded.length ? open : open.slice(0, end)
  return { text: kept.trim(), attacked: kept !== text }
}

/**
 * Whether something is written so that only a machine reads it: tag characters (but in flags), text turned round, and
 * Latin words with gaps that no one sees.
 */
export function hides(raw: string): boolean {
  return /(?<!\u{1F3F4}[\u{E0000}-\u{E007F}]*)[\u{E0000}-\u{E007F}]|[\u202D\u202E]|\p{L}[\u200B-\u200D\u2060\uFEFF]\p{Script=Latin}/u.test(
    raw,
  )
}
