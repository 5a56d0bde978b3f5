import { describe, test } from 'vitest'
import { BOUNDS } from './bounds.ts'
import { CONVERSATION } from './conversation.ts'
import { discord } from './discord.ts'
import { playground } from './playground.ts'
import { slack, slackOverHttp } from './slack.ts'
import { telegram, telegramOverWebhook } from './telegram.ts'

const STAGED = [
  ['slack', slack],
  ['slack over HTTP', slackOverHttp],
  ['discord', discord],
  ['telegram', telegram],
  ['telegram over a webhook', telegramOverWebhook],
  ['playground', playground],
] as const

describe.each(STAGED)('%s', (_name, { open, cannot }) => {
  for (const [index, { name, config, body }] of [...CONVERSATION, ...BOUNDS].entries()) {
    const title = `${index + 1} ${name}`
    const reason = cannot[name]
    if (reason !== undefined) {
      test.skip(`${title}: ${reason}`, () => {})
      continue
    }
    // Each on a stage of its own: while one waits for a limit to pass, others go on.
    test.concurrent(title, { timeout: 60_000 }, async () => {
      const stage = await open(config === undefined ? {} : { config })
      try {
        await body(stage)
      } finally {
        await stage.close()
      }
    })
  }
})
