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
