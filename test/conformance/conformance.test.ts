import { describe, test } from 'vitest'
import { discord } from './discord.ts'
import { CONFORMANCE } from './list.ts'
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
  for (const { number, name, config, body } of CONFORMANCE) {
    const reason = cannot[name]
    if (reason !== undefined) {
      test.skip(`${number} ${name}: ${reason}`, () => {})
      continue
    }
    test(`${number} ${name}`, { timeout: 60_000 }, async () => {
      const stage = await open(config === undefined ? {} : { config })
      try {
        await body(stage)
      } finally {
        await stage.close()
      }
    })
  }
})
