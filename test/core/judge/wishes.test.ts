import { expect, test } from 'vitest'
import { WISHES } from '../../../cli/demo/wishes.ts'
import { HINTS, type WishId } from '../../../config/hints.ts'
import { findWishes } from '../../../core/judge/wishes.ts'

/** Each wish as people say it: terse, polite, in five languages. */
const SAID: Readonly<Record<WishId, readonly string[]>> = {
  'one-sentence': [
    'One sentence please',
    'in einem Satz bitte',
    'en una frase',
    'une seule phrase',
    'in één zin graag',
  ],
  'answer-only': [
    'just the answer',
    'nur das Ergebnis',
    'solo la respuesta',
    'juste le chiffre',
    'alleen het antwoord',
  ],
  detail: ['more details please', 'too short', 'länger bitte', 'más largo', 'plus détaillé', 'meer uitleg graag'],
  'word-limit': [
    'at most 40 words',
    'höchstens 40 Wörter',
    'menos de 40 palabras',
    'moins de 40 mots',
    'max 40 woorden',
  ],
  short: [
    'shorter please',
    'Way too long!',
    'tl;dr',
    'Could you keep your answers short?',
    'kürzer bitte',
    'Viel zu lang.',
    'más corto',
    'Demasiado largo.',
    'plus court',
    "c'est trop long",
    'korter',
    'veel te lang',
  ],
  steps: ['step by step please', 'Schritt für Schritt', 'paso a paso', 'étape par étape', 'stap voor stap'],
  table: ['as a table', 'als Tabelle bitte', 'en una tabla', 'sous forme de tableau', 'in een tabel'],
  prose: ['no bullet points please', 'ohne Listen', 'sin listas', 'pas de listes', 'geen opsommingen', 'no markdown'],
  bullets: ['bullet points please', 'als Stichpunkte', 'en viñetas', 'avec des puces', 'als opsomming'],
  'code-only': ['only the code', 'nur den Code', 'solo el código', 'juste le code', 'alleen de code'],
  warm: ['friendlier please', 'so cold!', 'freundlicher bitte', 'más amable', 'plus chaleureux', 'vriendelijker graag'],
  formal: ['more formal', 'too casual', 'förmlicher bitte', 'más formal', 'plus formel', 'zakelijker graag'],
  casual: ['too formal', 'lockerer bitte', 'demasiado formal', 'trop formel', 'te formeel'],
  funny: ['make it funnier', 'lustiger bitte', 'más divertido', 'plus drôle', 'grappiger'],
  'no-greeting': ['skip the intro', 'ohne Einleitung', 'sin saludos', 'sans introduction', 'zonder inleiding'],
  greeting: ['say hi first', 'sag erst hallo', 'saluda primero', 'dis bonjour', 'zeg eerst hallo'],
  'example-first': ['start with an example', 'erst ein Beispiel', 'empieza con un ejemplo', 'eerst een voorbeeld'],
  'answer-first': ['answer first', 'Ergebnis zuerst', 'respuesta primero', "la réponse d'abord", 'antwoord eerst'],
  example: ['with an example please', 'mit Beispiel', 'con un ejemplo', 'avec un exemple', 'met een voorbeeld'],
  simple: ['simpler please', 'in plain English', 'einfacher bitte', 'más sencillo', 'plus simple', 'eenvoudiger'],
  technical: ['more technical', 'fachlicher bitte', 'más técnico', 'plus technique', 'te oppervlakkig'],
  english: ['in English please', 'auf Englisch', 'en inglés', 'en anglais', 'in het Engels graag'],
  german: ['in German please', 'auf Deutsch', 'en alemán', 'en allemand', 'Duits graag'],
  spanish: ['in Spanish please', 'auf Spanisch', 'en español', 'en espagnol', 'Spaans graag'],
  french: ['in French please', 'auf Französisch', 'en francés', 'en français', 'Frans graag'],
  dutch: ['in Dutch please', 'auf Niederländisch', 'en néerlandais', 'Nederlands graag'],
  italian: ['in Italian please', 'auf Italienisch', 'en italien'],
  portuguese: ['in Portuguese please', 'auf Portugiesisch', 'en portugués'],
  polish: ['in Polish please', 'auf Polnisch', 'en polonais'],
  hindi: ['in Hindi please'],
  japanese: ['in Japanese please', 'auf Japanisch'],
  'no-hedging': ['Stop saying "as an AI"', 'no disclaimers', 'ohne Floskeln', 'sin rodeos ni advertencias'],
  'no-emoji': ['no emojis please', 'keine Emojis', 'sin emojis', "pas d'emojis", 'geen emoji'],
  emoji: ['add an emoji', 'mit Emoji', 'usa emojis', 'avec des emojis', 'met emoji'],
  'no-question': ["don't end with a question", 'keine Gegenfragen', 'sin preguntas', 'geen wedervragen'],
  question: ['end with a question', 'eine Rückfrage am Ende: mit einer Gegenfrage', 'eindig met een vraag'],
  'no-restating': ["don't repeat my question", 'no repitas mi pregunta'],
  'no-sources': ['no links please', 'ohne Quellen', 'sin enlaces', 'sans liens', 'zonder bronnen'],
  sources: ['cite your sources', 'mit Quellen', 'con fuentes', 'avec les sources', 'met bronnen'],
  'no-apology': ['stop apologizing', 'ohne Entschuldigungen', 'deja de disculparte', 'geen excuses'],
  name: ['call me Sam', 'nenn mich Sam', 'llámame Sam', 'appelle-moi Sam', 'noem me Sam'],
}

test.each(Object.entries(SAID).flatMap(([id, texts]) => texts.map((text) => [text, id])))('%s → %s', (text, id) => {
  expect(findWishes(text)[0]?.id).toBe(id)
})

test.each(Object.values(WISHES).flatMap((wish) => wish.corrections.map((text) => [wish.name, text] as const)))(
  "the demo's person wants %s: %s",
  (name, text) => {
    expect(findWishes(text)[0]).toMatchObject({ id: name, hint: HINTS[name as WishId].hint.replace('$1', 'Sam') })
  },
)

test.each([
  'How do I bake bread?',
  'Write a short story about a friendly dragon.',
  'What does a table saw cost?',
  'Tell me about French cuisine.',
  'What is the quickest way to Bonn?',
  'I was in Spanish class today.',
  'Wie lange dauert der Flug?',
  '¿Cuánto tarda el tren?',
  'Explain what a black hole is.',
  'Thanks, that helps!',
])('no wish about replies: %s', (text) => {
  expect(findWishes(text)).toEqual([])
})

test('a name and a number are kept as they were said', () => {
  expect(findWishes('Please call me josé.')[0]?.hint).toBe('Call me by my name, José.')
  expect(findWishes('Max 50 words!')[0]?.hint).toBe('Answer in no more than 50 words.')
})

test('wishes of one group are one wish, wishes of different groups several', () => {
  expect(findWishes('shorter, one sentence please').map((wish) => wish.id)).toEqual(['one-sentence'])
  expect(findWishes('shorter and friendlier please').map((wish) => wish.id)).toEqual(['short', 'warm'])
  expect(findWishes('Be friendly and say hi first').map((wish) => wish.id)).toEqual(['warm'])
})
