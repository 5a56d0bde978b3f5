/** Sentences that more than one platform says. */

/** To who has said what a reply should have been. */
export const THANKS = 'Thank you. That is what I learn most from.'

/** To who presses Stop in vain: the reply is another person's, or is written already. */
export const STOP = {
  theirs: 'Only the person who asked can stop it.',
  over: 'This reply is finished.',
} as const

/** To who presses a thumb and has opted out. */
export const NOT_KEPT = 'You have opted out, so this is not kept. To come back: /claw optin'
