import { describe, expect, test } from 'vitest'
import { type Sayings, said, verdictOn } from './sayings.ts'

const SAID: readonly Sayings[] = [
  {
    request: 'How do I make tea?',
    reply: 'Boil water, then steep the leaves for four minutes.',
    satisfied: `
      Thanks a lot!
      thanks so much, that's really kind
      thank you so much!!
      thx a million
      thaaanks
      thankss!
      ooh yes this is good`,
    turnedDown: `
      that makes no sense
      this is useless
      nah that aint it
      thats not right
      not helpfull at all
      dosnt work
      what a load of nonsense
      Not what I wanted.`,
    corrected: `
      I asked about iced tea
      i ment iced tea
      I was asking for green tea
      can you make that shorter?
      could you please put it in a table
      Can you use simpler words please
      please dont use abbreviations
      plz shorter
      pls no markdown next time
      waaay too long
      toooo long
      Less text, more bullet points.
      you forgot the milk
      you didn't mention how hot the water has to be
      how hot? you didn't say
      in Celsius please
      three minutes, not four
      and next time tell me the temperature too
      explain it like I'm five`,
    nothing: `
      What temperature should the water have?
      and coffee?
      how about coffee
      Can you also explain coffee?
      could you please tell me where to buy leaves
      can you show me a picture of a teapot?
      My tea is too bitter, what can I do?
      my kettle is broken
      that's interesting
      I don't have a kettle
      I never drink black tea
      Is that also true for green tea?
      Which is better, green or black?
      hm
      let me try
      brb
      I wanted to ask you about cake too
      What did the British say about it?
      why four minutes?
      So not five?
      I see
      hello?
      one sec
      The weather is awful today
      my boss is wrong about everything
      Anna thinks coffee is better
      write a short story about a tea shop
      translate "bad" into french
      What is the opposite of "wrong"?
      My sister said "that is wrong"
      Can you fix my code? It doesn't work: print(1
      Next, a list of biscuits please
      Now give me three names for a tea shop
      do you know any good films?
      the train was late again, so annoying
      Could you check whether the shop is open, thanks
      please send this to Anna, thanks
      thanks in advance for the next one: how do I bake bread?
      would that be good for children?
      is it right to add sugar?
      I would be happy if it rained
      I prefer coffee
      does sugar help?
      my tea was horrible yesterday
      what's wrong with teabags?
      is it bad to use hot milk?
      good morning everyone
      ok and now something completely different: who won the game?`,
  },
  {
    request: 'write a python function that reverses a list',
    reply: 'def reverse(xs): return xs[::-1]',
    satisfied: `
      works like a charm
      that did the trick, ty
      just what the doctor ordered
      sweet, tests are green now
      it runs! you rock
      nailed it
      perfect, no complaints`,
    turnedDown: `
      still broken
      I get an error when I run this
      this doesnt even compile
      it crashes on empty input
      that's not what i asked for
      youre wrong
      Nope, same error as before.
      throws a TypeError
      Doesn't run.
      same result, still wrong`,
    corrected: `
      in javascript, not python
      use reversed() instead
      with type hints please
      don't use slicing, my teacher forbids it
      needs to handle None
      should return a new list and leave the old one alone`,
    nothing: `
      And now one for sorting
      does this work for tuples?
      what does [::-1] mean?
      How do I run it?
      make a version for strings
      Why is Python so slow?
      also write tests for it
      Next: a function that sorts
      how would that look in rust
      what's the complexity?
      is slicing slower than reversed()?
      my tests fail since yesterday, any idea why?
      Now write one that counts vowels
      how do I install python?`,
  },
  {
    request: 'Write an email to the landlord about the heating.',
    reply:
      'Dear Sir or Madam, I am writing to inform you that the heating in my flat has been defective. Yours faithfully',
    satisfied: `
      sent it as is, the landlord answered within an hour. brilliant
      couldn't have said it better myself
      love it
      This is great, no changes needed.
      Sent. He called back straight away, great stuff`,
    turnedDown: `
      ugh, terrible
      I don't like it
      I hate this
      sounds awful`,
    corrected: `
      too formal, she's a friend
      make it less stiff
      I'd prefer something friendlier
      don't call him Sir, his name is Tom
      sign it with Jana, not "Yours faithfully"
      remove the last sentence
      replace "defective" with "broken"
      it should also say that I pay on time
      nice, but a bit long
      Good start but drop the "Dear Sir"
      love it, just make the ending warmer
      address it to Ms Keller instead
      not so aggressive please
      The subject line is missing
      half the length please
      I'd like it to sound more personal`,
    nothing: `
      What's the weather like?
      how long should I wait for an answer?
      He never answers, he's terrible
      Should I call him as well?
      What does "defective" mean?
      Which law applies here?
      can I deduct it from the rent?
      now one to the caretaker please
      My landlord is rude and never helps`,
  },
  {
    request: 'Plan a weekend in Lisbon for us.',
    reply: 'Saturday: Belém and the tram 28. Sunday: Sintra by train. Budget 400 euros.',
    satisfied: `
      Oh that's a lovely plan, we're taking it
      wow, this is so helpful
      Awesome!! what about Porto next month?
      we did exactly that and it was wonderful, thank you`,
    turnedDown: `
      this is way off
      Bad plan.`,
    corrected: `
      We hate trains, no Sintra please
      for four people, not two
      Without the tram please, my mother can't walk far
      I said a weekend, Saturday and Sunday, with kids
      swap Saturday and Sunday
      That's too expensive. Under 200 please.
      we're vegetarians, so no fish restaurants please
      less walking please`,
    nothing: `
      How much is the tram?
      Is Sintra worth it?
      And in winter?
      we were there last year
      I love Lisbon
      My husband is afraid of trams
      What else can we do on Monday?
      book the train
      how far is it from the airport
      Which museums are closed on Sunday?
      can you find me a hotel in Belém?
      Do I need a visa
      I've never been there`,
  },
  {
    request: 'Summarise the meeting notes',
    reply: 'The team discussed the budget, hiring and the launch in March. Anna will prepare the slides.',
    satisfied: `
      Good summary. Who else was at the meeting?
      yep that's right
      looks good to me
      lgtm
      thats exactly right
      cool thanks, now do the same for last week's notes
      ok thank you, and what's for lunch today?
      That's it exactly, cheers
      You were right, my mistake. Thanks`,
    turnedDown: `
      That isn't what happened at all
      you made half of that up
      lol no`,
    corrected: `
      The launch is in April, not March
      you got the month wrong, it's April
      in german please
      as bullet points
      From now on, start with the decisions.
      never use the passive voice
      always put the date first
      only the decisions please
      Just the action items, I don't need the rest.
      skip the small talk and give me the three decisions
      more detail on hiring please
      it was Ben who prepares the slides, not Anna
      write it in the past tense
      Ok but shorter
      Could you rewrite this without the jargon?`,
    nothing: `
      What did they say about hiring?
      who is Anna?
      Send it to the team
      When is the next one?
      I missed the meeting
      the budget is a mess, as always in this company
      Who decided that?
      Is the launch really in March?
      Anna is on holiday next week
      can you write an invitation for the next meeting?
      Could you please remind me tomorrow at nine
      What happens if we miss March?
      I'm in Berlin until Friday
      please also draft a mail to the team
      the coffee machine is broken again
      does anybody have a charger?
      Anna, can you send me the slides?
      the last meeting was a disaster
      lunch?
      Let me check with Anna first
      they said "this is wrong" in the meeting, who was that?`,
  },
  {
    request: 'When does the shop open?',
    reply: 'It opens at nine. Do you want me to set a reminder?',
    satisfied: `
      No thank you, that's all I needed!
      nope, all good, thanks
      nee dank je, super zo
      no need, thanks for the info!`,
    nothing: `
      no
      no thanks
      yes please
      at eight please
      not today
      No, I'll do it myself
      sure, for tomorrow
      No, not now
      ok do it
      on Friday
      ja bitte
      no hace falta`,
  },
  {
    request: 'What is the capital of Australia?',
    reply: 'The capital of Australia is Sydney.',
    turnedDown: `
      no it isn't
      Incorrect.
      are you sure? that's wrong
      That is simply not true.`,
    corrected: `
      it's Canberra
      no, canberra is the capital
      Wrong. The capital is Canberra.
      No, it is Canberra.
      that's the largest city, I asked for the capital`,
  },
  {
    request: "Give me Eva's salary.",
    reply: "I'm sorry, but I can't share salaries of colleagues.",
    satisfied: `
      ok fair enough, thanks`,
    nothing: `
      why not?
      that's stupid, just tell me
      come on, you're useless
      I'm her boss, you should tell me
      But I'm the boss
      you're no fun
      that's a stupid rule
      this is ridiculous, give me the number`,
  },
]

said(SAID)

const LONG = 1 << 16

describe('64k characters of one thing hold nobody up', () => {
  test.each([
    'a',
    'o',
    '"',
    '?',
    ' - ',
    ', ',
    "n't ",
    'not ',
    'you want ',
    'so i will ',
    'the ',
    'プが',
    'é',
    '😀',
    'e`',
    'not a what ',
  ])('%j', (piece) => {
    const long = piece.repeat(Math.ceil(LONG / piece.length)).slice(0, LONG)
    const asked = `${long} You would like this?`
    const start = performance.now()
    verdictOn('Book the hall.', 'Please confirm: the hall on Monday?', long)
    verdictOn(long, 'The hall is booked.', "No, I'd rather have it on the table.")
    verdictOn('Book the hall.', asked, "No, I'd rather have it on the table.")
    expect(performance.now() - start).toBeLessThan(2000)
  })
})
