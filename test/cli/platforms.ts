import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SCOPES } from '../../adapters/slack/manifest.ts'
import type { Tokens } from '../../config/tokens.ts'
import { startFakeDiscord } from '../fake-platforms/discord/discord.ts'
import { startFakeSlack } from '../fake-platforms/slack/slack.ts'
import { startFakeTelegram } from '../fake-platforms/telegram/fake.ts'

const TEAM = 'T0ONE'

/** All three fake platforms, and data folders whose config.json names them. */
export async function startPlatforms({ scopes = SCOPES as readonly string[] } = {}) {
  const slack = await startFakeSlack({ teams: [TEAM] })
  const discord = await startFakeDiscord({ token: ['b'.repeat(24), 'c'.repeat(6), 'd'.repeat(27)].join('.') })
  const telegram = await startFakeTelegram()
  const bot = telegram.addBot({ readsAll: true })
  const tokens = {
    slack: { botToken: slack.install(TEAM, scopes), appToken: slack.appToken },
    discord: { token: discord.token },
    telegram: { token: bot.token },
  } satisfies Tokens
  const home = mkdtempSync(join(tmpdir(), 'claw-platforms-'))
  let folders = 0
  return {
    slack,
    discord,
    telegram,
    bot,
    team: TEAM,
    tokens,
    newFolder(tokens?: Partial<Tokens>, settings: Readonly<Record<string, object>> = {}): string {
      folders += 1
      const folder = join(home, String(folders))
      mkdirSync(folder, { mode: 0o700 })
      const apis = { slack: `${slack.url}api/`, discord: discord.url, telegram: telegram.url }
      const config = Object.entries(apis).map(([name, apiUrl]) => [name, { apiUrl, ...settings[name] }])
      const rest = Object.entries(settings).filter(([name]) => !(name in apis))
      writeFileSync(join(folder, 'config.json'), JSON.stringify(Object.fromEntries([...config, ...rest])))
      if (tokens !== undefined) writeFileSync(join(folder, 'tokens.json'), JSON.stringify(tokens), { mode: 0o600 })
      return folder
    },
    async close() {
      await Promise.all([slack.close(), discord.close(), telegram.close()])
      rmSync(home, { recursive: true, force: true })
    },
  }
}
