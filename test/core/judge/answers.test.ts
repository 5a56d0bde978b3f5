import { type Sayings, said } from './sayings.ts'

/** In a talk that asks and offers, most of what people say answers, asks, or goes on, and judges nothing. */
const SAID: readonly Sayings[] = [
  {
    request: 'Find me a flight to Rome.',
    reply: 'I found 4 flights. How about the Delta flight at 9 am for $300?',
    turnedDown: `
      I don't think so. Anything else?
      Not my style, what else have you got
      Hmm, can you show me a different one?
      I'm not feeling that one, other options?
      that doesn't work for me, any other flights?
      Not a fan of that airline. Got another?
      I'd like to see something else
      could you look up another option
      Maybe another flight?
      What other choices do I have?
      No, what are the others?
      I would like a different flight
      Please keep searching
      Can I get another suggestion
      How about another one?
      What about something else?
      Do you have any other flights available?
      Are there any other flights I can take?
      Let me know about other flights please
      Could you check whether there are any others?
      Any alternatives?
      I am not sure about that one, anything else?
      Hmm no. What else can you find for me?
      Would you mind finding another one?
      Is that the only one? What else is there?
      I want to check other options too
      can you search again?
      Give me another option
      Nope, next option please
      I do not like this one, find me another
      what other flights do you see
      Are those all the flights? Are there others?
      Tell me the other options
      Could I hear the other ones?
      I want something else
      Are there different flights?
      I wonder if there are other options
      I was hoping for something else
      That one is not really suitable, do you have something different?`,
  },
  {
    request: 'Play me a song.',
    reply: 'How about Blue by Ann? Do you want to hear it?',
    turnedDown: `
      No, another song please
      Not that one, find a different song
      I am not in the mood for that, what else?
      Can you suggest another song?
      I don't know that one, got something else?
      Got anything else to listen to?
      no, what other songs do you have
      I do not really like that artist, any other songs?`,
  },
  {
    request: 'Book the bus to Leeds.',
    reply: 'Your bus to Leeds is booked for Monday at 9 am.',
    nothing: `
      I already have a hotel, so just find me a restaurant.
      I wanted to find a museum there as well
      I should also get a present for my sister
      I need to get a cab to the station at 8 too
      Is the bus on time usually?
      What should I bring?
      Should I come earlier?
      How much did I pay in total?
      I also need it back on Tuesday
      Which seat do I have?
      Can I take my bike on it?
      And then a cab from the station, for two people
      Find me something to do in Leeds, with kids
      Is there a direct train too?
      Can you look for cheap hotels in Leeds?
      I would like to see a play on Monday evening
      What are the options for lunch near the station?
      I am also interested in a rental car
      Send the details to Anna
      Could you add it to my calendar?
      I have to be at work at 10
      What if I miss it?
      okay, and where can I eat there
      Let us also book the hotel
      I forgot my ticket last time
      do they sell food
      Look up the museum for me
      I only travel with hand luggage
      I think I will be late
      My seat was broken last time
      The last bus was really late and dirty
      Bob always takes the train
      we always have fun in Leeds
      there should be a discount for students, no?
      Could we get a discount?
      I asked Bob to come with me
      I told my boss already
      I meant to call Bob, remind me
      Is it too early to check in?
      I have too many bags, how do I pay for them?
      There is no way my boss agrees
      I lost my card
      I never get a window seat
      I can't wait!
      Wish me luck`,
  },
  {
    request: 'How do I make tea?',
    reply: 'Boil water, then steep the leaves for four minutes.',
    nothing: `
      Mine is always too bitter
      You should try mint tea
      My gran never let it steep that long
      I only like it cold
      Is it better with honey instead of sugar?
      How do I make it less bitter?
      Can I use cold water instead?
      what if it is too hot
      Tell me a shorter joke about tea
      Which tea is less strong?
      My doctor said no caffeine
      I read that green tea needs less heat
      The shop was out of green tea
      and for a large pot?
      without a kettle?
      is there something like that for coffee
      can I do it in the microwave instead
      in which order?
      why not five?
      Why is that?
      for how long?
      Any tips for iced tea?
      I always burn my tongue
      tea is better than coffee, isnt it
      what makes it so bitter`,
  },
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
      it should be fun to watch
      I am more into drama`,
  },
]

said(SAID)
