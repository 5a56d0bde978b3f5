import type { Hint } from '../types.ts'
import { BUT, EDIT, ORDER } from './corrections.ts'
import { COMMAND } from './lexicon.ts'
import { clean, fold, sentences } from './text.ts'
import { besides, findWishes, type Wish } from './wishes.ts'

/** Characters of a hint at most. */
export const HINT_LIMIT = 200

/** Links, addresses and mentions never enter a prompt by way of a hint; nor does talk of secrets. Read on folded text. */
export const UNFIT =
  /https?:|www\.|\b[\w.+-]+@[\w-]+\.\w|\b[\w-]+\.(?:com|net|org|io|example|test|ru|cn|xyz)\b|<?@[\w!&]|\b(?:api[- ]?keys?|passwor\w*|passwd|otps?|tokens?|secrets?|credentials?|credit cards?|iban|kennwort|contrasena\w*|mot de passe|wachtwoord\w*|senhas?|haslo|hasla)\b/u

/** Words that only lead in. A `no` goes only with its comma: without it, it may negate what follows. */
const LEAD =
  /^(?:(?:no+|nope|nah|nein|ne|non|nee|nao|nie|nahi|いや|いいえ)\s*[,.!:;–—-]+\s*|(?:ok(?:ay)?|well|hm+|hey|um|uh|oh|lol|so|but|and|aber|und|pero|y|mais|et|maar|en|mas|ale|please|pls|plz|bitte|por favor|s'il (?:te|vous) plait|stp|svp|alsjeblieft|aub|graag|prosze|sorry|thanks|thank you|danke|gracias|merci|bedankt|thx|arre|bhai|claw|bot|man|dude|mate|bro)(?:[\s,.!:;–—-]+|$))+/u
const TAIL =
  /(?:[\s,]+(?:please|pls|plz|bitte|por favor|s'il (?:te|vous) plait|stp|svp|alsjeblieft|aub|thanks|thank you|danke|gracias|merci|bedankt|thx|bhai|bro|mate|man|dude|bot|ok(?:ay)?))*[\s,.!?;:。…]*$/u

const FACT = 'Keep in mind: '

/** Whether the hint tells how replies should be, and not only what this one should have said. */
export function lasts({ text }: Hint): boolean {
  return !text.startsWith(FACT)
}

/**
 * A hint from someone's words, which must be cleaned and disarmed: the catalogue's sentences for the wishes in them, as
 * many as fit (the first one names the hint), else the person's own words as one imperative sentence; null when there
 * is nothing concrete in them.
 */
export function hintFrom(words: string): Hint | null {
  const wishes = sentences(words).flatMap((sentence) => findWishes(sentence).filter((wish) => about(wish, sentence)))
  const [first] = wishes
  if (first !== undefined) return { text: together(wishes), wish: first.id }
  const own = sentences(clean(words))
    .map(bare)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .join('; ')
  const folded = fold(own)
  if (own === '' || UNFIT.test(folded)) return null
  const orders = [COMMAND, ORDER, EDIT].some((marker) => marker.test(folded))
  const text = orders ? own.charAt(0).toUpperCase() + own.slice(1) : `${FACT}${own}`
  return { text: `${shorten(text, HINT_LIMIT - 1)}.`, wish: null }
}

/** Whether the wish is what its clause is about: "the names should stay in English" asks for no English reply. */
function about(wish: Wish, sentence: string): boolean {
  return besides(wish, sentence).size <= (wish.group === 'language' ? 1 : 3)
}

/** One sentence of each group, as long as they fit. */
function together(wishes: readonly Wish[]): string {
  const groups = new Set<string>()
  let text = ''
  for (const { group, hint } of wishes) {
    const longer = text === '' ? hint : `${text} ${hint}`
    if (groups.has(group) || longer.length > HINT_LIMIT) continue
    groups.add(group)
    text = longer
  }
  return text
}

/** A sentence without its `no,`, what it praises before a `but`, its `please`, its closing mark, and markup. */
function bare(sentence: string): string {
  const words = sentence.split(/(?<=[\s,;])/)
  const but = words.findIndex((word, i) => i > 0 && BUT.test(fold(word)) && words.length - i > 2)
  const after = (but > 0 ? words.slice(but + 1).join('') : sentence).replace(/<\/?[\w|][^<>]*>?/g, '')
  const rest = after.slice(LEAD.exec(fold(after))?.[0].length ?? 0)
  return rest.slice(0, TAIL.exec(fold(rest))?.index ?? rest.length).trim()
}

/** Cuts at a word's end. */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  const space = cut.lastIndexOf(' ')
  return (space > limit / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:]+$/, '')
}
