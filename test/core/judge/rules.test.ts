import { describe, expect, test } from 'vitest'
import { read } from '../../../core/judge/rules.ts'

const TEA = { request: 'How do I make tea?', reply: 'Boil water, then steep the leaves for four minutes.' }
const OFFER = { request: 'How do I make tea?', reply: 'Steep it for four minutes. Shall I set a timer?' }

describe('satisfied', () => {
  test.each([
    'thanks!',
    'Perfect, exactly what I needed.',
    'that worked, cheers',
    'Thank you, that is what I wanted. What is photosynthesis?',
    'Good bot!',
    'not bad at all',
    'a bit dry but correct, thanks',
    'super, danke dir',
    'Funktioniert! Nächste Frage: wie wird das Wetter?',
    '¡Perfecto, gracias!',
    'merci, exactement ça',
    'top, dankjewel',
    'valeu, funcionou',
    'dzięki, działa',
    'badhiya, shukriya',
    'ありがとうございます、完璧です',
    '🙌🔥',
    '+',
  ])('%s', (text) => {
    expect(read(text, TEA)).toMatchObject({ score: 1, wish: null })
  })
})

describe('turned down, without a word on what would be right', () => {
  test.each([
    "that's wrong",
    'No.',
    'nope, not helpful',
    "doesn't work",
    'das stimmt nicht',
    'Quatsch!',
    'eso no es correcto',
    "n'importe quoi",
    'klopt niet',
    'errado',
    'nie działa',
    'galat hai',
    '違います',
    '👎👎',
  ])('%s', (text) => {
    expect(read(text, TEA)).toMatchObject({ score: -1, wish: null })
  })
})

describe('corrected', () => {
  test.each([
    'no, I meant iced tea',
    'green tea, not black tea',
    'You forgot the sugar.',
    'It should be three minutes.',
    'with lemon instead',
    'from now on always give the temperature',
    "that's too technical",
    'Nein, ich meinte Eistee.',
    'Bitte ohne Markdown.',
    'Es fehlt die Temperatur.',
    'no, me refería al té helado',
    'faltan las cantidades',
    'la prochaine fois, donne la température',
    'Je parlais du thé glacé.',
    'ik bedoelde ijsthee',
    'volgende keer met de temperatuur erbij',
    'faltou a temperatura',
    'chodziło mi o mrożoną herbatę',
    'maine iced tea bola tha',
    'アイスティーじゃなくてホットのほうです',
    'thanks, but shorter please',
    'It takes 3 minutes, not four.',
  ])('%s', (text) => {
    expect(read(text, TEA)).toMatchObject({ score: -1, rule: 'correction', wish: expect.any(String) })
  })
})

describe('corrected, by what the reply says', () => {
  test.each([
    ['Make a packing list for camping', 'Tent, stove, laptop', 'a laptop in a tent? leave it out'],
    ['Who won the 2018 world cup?', 'Croatia won the 2018 world cup.', 'It was France'],
    ['What is 17 x 23?', '17 x 23 = 381', '391.'],
    ['Show me the sales', 'Sales were 3 million in total', 'break it down by region'],
    ['How far is it to Utrecht?', 'It is 25 miles.', 'km please'],
    ['Draft a title', 'Advanced Topics in Engineering', 'something catchier'],
    ['Wie warm wird es morgen in Bonn?', 'Heute sind es 21 Grad in Bonn.', 'Morgen, nicht heute'],
    ['Dime el horario del tren', 'Sale a las 8 de Sevilla', 'desde Madrid, no desde Sevilla'],
    ['Donne la recette', 'Prenez 4 livres de farine', 'en grammes'],
    ['Hoe laat is de vergadering?', 'De vergadering is in zaal 3.', 'Ik vroeg hoe laat, niet waar'],
    ['Qual o preço?', 'O preço é 20 dólares', 'em reais por favor'],
    ['Podaj godziny otwarcia', 'Otwarte od 8', 'W sobotę, pytałem o sobotę'],
    ['train ka time batao', 'Train 5 baje hai Delhi se', 'Mumbai se bola tha maine'],
    ['会議の議題を作って', '1. 予算 2. 人事', '人事は外してください'],
  ])('%s → %s → %s', (request, reply, text) => {
    expect(read(text, { request, reply })).toMatchObject({ score: -1, wish: expect.any(String) })
  })
})

describe('asked again', () => {
  const turn = { request: 'When does the summer sale end?', reply: 'The sale covers all shoes.' }
  test.each([
    ['When does the summer sale end?', null],
    ['when does the sale END?', null],
    ['again: when does the sale end', null],
    ['the summer sale, not the shoes', 'the summer sale, not the shoes'],
  ])('%s', (text, wish) => {
    expect(read(text, turn)).toMatchObject({ score: -1, wish })
  })
})

describe('no verdict', () => {
  test.each([
    'How much caffeine is in it?',
    'Now translate it to French',
    'write one about coffee in German',
    'without milk?',
    'Explain the chemistry of tea in simple words',
    'Give me a numbered list of the ten largest cities in Germany',
    'Summarize this text in two sentences: The cat sat on the mat and was happy.',
    'Write a short email to my landlord about the heating',
    'My kettle is not working today',
    'I only have black tea',
    'tell me a joke',
    'Ich muss morgen einen Vortrag darüber halten',
    'Schreib mir ein kurzes Gedicht über den Mond',
    'no lo sabía',
    'je ne savais pas',
    'dat wist ik niet',
    "I didn't know that",
    'Really?',
    'How do I make coffee?',
    'and with honey?',
    'ok',
    'Plan a weekend in Paris.',
    'Can you tell me more about green tea?',
    "I'll try that tonight",
    'Wie wird das Wetter morgen?',
    '¿y el café?',
    'Combien de temps faut-il ?',
    'wrong chat, sorry',
    'nvm',
    'Wow, thank you Captain Obvious.',
    'Na toll, danke.',
    'great, another essay',
    '🤔',
    'Could you translate this? Thanks in advance',
  ])('%s', (text) => {
    expect(read(text, TEA)).toBeNull()
  })

  test.each(['no', 'No thanks.', 'nein danke', 'no, gracias', 'not now', 'yes please', 'make it five minutes'])(
    'answers an offer: %s',
    (text) => {
      expect(read(text, OFFER)).toBeNull()
    },
  )
})

test("no, that's all, thanks", () => {
  expect(read("No, that's all, thanks!", OFFER)).toMatchObject({ score: 1, wish: null })
  expect(read('Nein, das war alles, danke!', OFFER)).toMatchObject({ score: 1, wish: null })
})
