/** A reader does not see it, and no platform reads across it. */
const GAP = '\u200B'

/** Whatever it stands before, `@` in words never calls anyone. */
export const unmentioned = (text: string): string => text.replace(/[@＠﹫]/g, `$&${GAP}`)

/** Names that call many people at once, also with invisible letters among them. */
const EVERYONE = new RegExp(
  `[@＠﹫](?=(?:${['everyone', 'here', 'channel', 'group']
    .map((name) => [...name].join('[\\p{Cf}\\p{Mn}]*'))
    .map((name) => `[\\p{Cf}\\p{Mn}]*${name}`)
    .join('|')}))`,
  'giu',
)

/** The same where `@` has other uses, as in code and addresses. */
export const uncalled = (text: string): string => text.replace(EVERYONE, `$&${GAP}`)

/** Discord's and Slack's own spelling of a person, a role, a channel, everyone. */
export const unopened = (text: string): string => text.replace(/<(?=[@#!])/g, `<${GAP}`)
