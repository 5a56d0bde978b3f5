import { describe, expect, test } from 'vitest'
import { read } from '../../../core/judge/rules.ts'

/** What the reply does decides what the same words after it mean. */
const told = { request: 'Where does the choir meet?', reply: 'In the hall behind the church.' }
const asked = { request: 'Book the hall.', reply: 'For how many people do you want it?' }
const askedBare = { request: 'Book the hall.', reply: 'Sure. Which day should it be.' }
const confirming = { request: 'Book the hall.', reply: 'Please confirm: the hall on Monday at 6 pm for 12 people.' }
const offered = { request: 'Find me a hall.', reply: 'I found one: the hall behind the church.' }

describe('after a question, words may simply answer it', () => {
  test.each(['Just forty.', 'in the morning please', 'No, not yet.', 'I wanted it for the choir', 'No.', 'noch nicht'])(
    '%s',
    (text) => {
      expect(read(text, asked)).toBeNull()
      expect(read(text, askedBare)).toBeNull()
    },
  )

  test('but a complaint stays one', () => {
    expect(read("that's wrong, you should know that", asked)?.score).toBe(-1)
  })
})

describe('asked to confirm, another detail corrects', () => {
  test.each([
    'No, make it 20 people.',
    'please change it to tuesday',
    'Could you book it for 7 pm?',
    'nein, am Dienstag',
    'no, para 20 personas',
    'non, mardi',
  ])('%s', (text) => {
    expect(read(text, confirming)).toEqual({ score: -1, rule: 'correction', wish: text })
  })

  test.each(['Yes, and add 2 chairs.', 'No.', 'thanks, see you at 5', 'What do 30 chairs cost?', 'Monday at 6 pm'])(
    'not: %s',
    (text) => {
      expect(read(text, confirming)?.score ?? 0).not.toBe(-1)
    },
  )

  test('a warning before harm is no such question', () => {
    const warned = { request: 'Drop the tables.', reply: 'This deletes 6 tables. Please confirm with a ticket number.' }
    expect(read('no ticket, 9 of us want it gone', warned)?.score ?? 0).toBe(0)
  })
})

describe('after a proposal, asking for another one turns it down', () => {
  test.each(['Is there anything else?', 'any other halls?', 'What else is there?', 'Do you have something different?'])(
    '%s',
    (text) => {
      expect(read(text, offered)).toEqual({ score: -1, rule: 'alternative', wish: null })
      expect(read(text, told)?.rule).not.toBe('alternative')
    },
  )

  test.each([
    ['Ich habe einen Saal gefunden: den am Markt.', 'gibt es noch etwas anderes?'],
    ['Te recomiendo la sala del mercado.', 'hay otra opción?'],
    ["J'ai trouvé la salle du marché.", 'il y a autre chose ?'],
    ['Ik heb een zaal gevonden bij de markt.', 'is er iets anders?'],
  ])('%s %s', (reply, text) => {
    expect(read(text, { request: '', reply })?.score).toBe(-1)
  })

  test('with what it should be, that is a hint', () => {
    expect(read('Anything else, with a stage?', offered)).toMatchObject({
      score: -1,
      wish: 'Anything else, with a stage?',
    })
  })

  test.each(['No, nothing else, thanks', 'Thanks! Is there another church nearby?', 'another question: who sings?'])(
    'not: %s',
    (text) => {
      expect(read(text, offered)?.score ?? 0).not.toBe(-1)
    },
  )
})

describe('telling of oneself says nothing about the reply', () => {
  test.each([
    'Actually, I have seen the old hall but not the new one.',
    'I never sang there, at least I remember none of it',
    'That sounds like a good place.',
    'oh, never heard of it',
    'Now I need a piano there',
  ])('%s', (text) => {
    expect(read(text, told)?.score ?? 0).not.toBe(-1)
  })
})

test.each(['what are you talking about?', 'wovon redest du?', 'de quoi tu parles ?', 'de que hablas?'])(
  'lost: %s',
  (text) => {
    expect(read(text, told)).toMatchObject({ score: -1, wish: null })
  },
)

test('words that open with a part of the reply are about it', () => {
  const steps = { request: 'List the singers.', reply: 'Step 1: find the choir\nStep 2: list its members' }
  expect(read('In step 2, show the altos too', steps)).toMatchObject({ score: -1, rule: 'correction' })
  expect(read('Show the altos too', steps)?.score ?? 0).toBe(0)
})
