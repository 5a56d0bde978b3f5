import { type Sayings, said } from './sayings.ts'

/** In a talk that asks and offers, most of what people say answers, asks, or goes on: none of it judges the reply. */
const SAID: readonly Sayings[] = [
  {
    request: 'Find me a hotel in Bath.',
    reply: 'I found 8 hotels. How about the Grove Hotel? It has 4 stars.',
    nothing: `
      Does it have a pool?
      Is there wifi?
      What does it cost a night?
      how about the price
      Do they allow pets?
      Where is it?
      Is breakfast included too?
      can you give me the phone number?
      Can I get their address please
      And is parking free?
      is it close to any museums?
      how far is the station?
      What is the check-in time?
      Can you tell me more about it?
      Are there any restaurants nearby?
      how many rooms do they have
      Do you know if they have an elevator?
      what's the rating again?
      I need to know if smoking is allowed
      Is it the only one with a gym?`,
  },
  {
    request: 'Book a table.',
    reply: 'For how many people and at what time?',
    nothing: `
      For 4 people at 7.
      make it 6 people
      Make it two at 8 pm please
      just me, at noon
      I need it for three, tomorrow
      I would like 5 seats at half past six
      I want it at 6 in the evening instead of 5 like last time
      a table for two please
      It should be at 7 pm.
      at 8, not too late
      with my family, so five
      nothing too early, 9 pm
      Only two of us.
      It's for 3, this Friday
      The earlier the better
      I prefer 7
      I'd rather have it at 8
      no more than 6 people at 5 pm
      not before 7, for two`,
  },
  {
    request: 'Book a table at Nino for two.',
    reply: 'What kind of food would you like, and is there any area you prefer?',
    nothing: `
      something cheap in the centre
      How about some Italian?
      Italian, without pork
      anything but sushi
      I like Thai food
      a vegetarian place please
      I want something with a terrace
      nothing fancy
      Mexican instead of Thai this time
      in the north, not too expensive
      I would prefer the old town`,
  },
  {
    request: 'Book the bus to Leeds.',
    reply: 'Your bus is booked. Is there anything else I can do for you?',
    nothing: `
      I need a hotel as well.
      Yes, find me a restaurant in Leeds
      Can you also book a cab?
      I want a cheap hotel there, with parking
      find something for dinner
      Yes, I would like to see a movie too
      what about the weather there?
      book me a cab to the station too
      I also need a table for 4
      Please add a reminder for tomorrow
      I'm also looking for a museum
      Actually, I also want to rent a car
      Yes. I need to find an apartment with 2 rooms
      can you change my dentist appointment to Friday?
      Now I want to send 50 dollars to Bob
      Also remind me to pack
      get me two movie tickets for tonight
      Which platform does it leave from?
      How long does it take?
      When do I arrive?
      What did it cost?`,
  },
  {
    request: 'Book the bus to Leeds.',
    reply: 'Please confirm: one ticket to Leeds, Monday 9 am.',
    nothing: `
      How long is the ride?
      Which station does it leave from?
      what does it cost?
      Is there wifi on the bus?
      Do I need to print it?
      how many stops?
      Can I cancel later?
      Is that the fastest one?
      when does it arrive`,
  },
  {
    request: 'I want to see a movie.',
    reply: 'Which city are you in?',
    nothing: `
      San Jose please
      In San Jose.
      I am in San Jose, but can go to Oakland too
      Not far from Oakland
      it is Berlin
      Oakland, not San Francisco
      I said Oakland
      anywhere in Oakland would be fine
      Could you look in Oakland?
      I only have time in Oakland
      Let us try Oakland`,
  },
  {
    request: 'Play a song.',
    reply: 'How about Blue by Ann? Do you want to hear it?',
    nothing: `
      Which album is it on?
      what year is it from
      who wrote it?
      Is it a new song?
      How long is it?
      what genre is it
      Play it in the kitchen
      Yes, on the TV please
      Yes, but in the bedroom
      sure, play that on my phone`,
  },
  {
    request: 'Will it rain?',
    reply: 'Which day do you mean?',
    nothing: `
      Tomorrow, not today
      the 5th
      this weekend, please
      I mean Friday
      I meant Friday
      for next week`,
  },
  {
    request: 'Tell me about the movie.',
    reply: 'It is a comedy from 2015 with Tom Hall. Have you seen it?',
    nothing: `
      I haven't seen it
      no I haven't
      No, but I have heard of it
      never seen it
      yes, not my favorite though
      Not yet, is it any good?
      I like horror movies more
      my favorite is Alien
      I did not like the ending of Alien
      who else is in it?
      Do you like comedies?
      I am more into drama`,
  },
]

said(SAID)
