import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, expect, test } from 'vitest'
import { openStore } from '../../../core/store/store.ts'
import { folderFiles, writeFolder } from '../../tiny-model.ts'

const CLAW = resolve(import.meta.dirname, '../../../dist/claw.js')
const home = mkdtempSync(join(tmpdir(), 'claw-sandbox-'))
const data = join(home, 'data')
mkdirSync(data, { mode: 0o700 })
const model = writeFolder(join(home, 'model'))
writeFileSync(
  join(model, 'config.json'),
  JSON.stringify({ ...(folderFiles()['config.json'] as object), max_position_embeddings: 2048 }),
)
writeFileSync(
  join(data, 'config.json'),
  JSON.stringify({
    serving: { maxTokens: 12 },
    trainer: { when: '00:00-00:00' },
  }),
)
afterAll(() => rmSync(home, { recursive: true, force: true }))

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

function claw(...args: string[]) {
  const child = spawn(process.execPath, [CLAW, ...args], {
    env: { PATH: process.env.PATH, CLAW_DATA_DIR: data, CLAW_MODEL: model, CLAW_THREADS: '1' },
  })
  running.push(child)
  return { child, exit: once(child, 'exit'), stdout: text(child.stdout), stderr: text(child.stderr) }
}

const TALK = ['/claw learn on', 'Hello there', '+']

/** A dislike without a word, and the answer to the question that follows it. */
const CORRECTION = ['Hello again', '-', '/answer Say it in five words']

test('a conversation on all three platforms, whose reactions become lessons', async () => {
  const sandbox = claw('sandbox')
  const place = join(data, 'sandbox.json')
  while (!existsSync(place)) await new Promise((done) => setTimeout(done, 50))
  expect(statSync(place).mode & 0o777).toBe(0o600)
  const { slack, discord, telegram } = JSON.parse(readFileSync(place, 'utf8'))
  const bot = claw('start', '--port', '0')
  const lines = ['/slack', '/discord', '/telegram'].flatMap((platform) => [platform, ...TALK])
  const channel = ['/channel', 'not for you', '@claw hello, all of you', '/calls']
  sandbox.child.stdin?.end([...lines, '/discord', ...CORRECTION, '/claw memory', '/telegram', ...channel].join('\n'))
  expect(await sandbox.exit).toEqual([0, null])
  expect(await sandbox.stderr).toBe('')
  const seen = await sandbox.stdout
  for (const platform of ['slack', 'discord', 'telegram']) {
    const said = new RegExp(`^${platform} dm as ann> Hello there\\n(?: .*\\n)*claw(?: \\(.*\\))?> `, 'm')
    expect(seen).toMatch(said)
  }
  expect(seen.match(/Learning is on/g)).toHaveLength(3)
  expect(seen).toMatch(/^telegram group as ann> not for you\n(?: .*\n)*telegram group as ann> @claw hello/m)
  expect(seen).toMatch(/sendMessage/)
  expect(seen).not.toMatch(/asked nothing/)
  expect(seen).toMatch(/Discord offers show, forget, share there/)
  expect(existsSync(place)).toBe(false)
  bot.child.kill('SIGTERM')
  expect(await bot.exit).toEqual([0, null])
  const told = await bot.stdout
  for (const line of [
    /a sandbox runs here/,
    /^Slack is connected$/m,
    /^Discord is connected$/m,
    /^Telegram is connected$/m,
  ]) {
    expect(told).toMatch(line)
  }
  const { db, close } = await openStore(data)
  const platforms = (rows: readonly { platform: string }[]) => [...new Set(rows.map(({ platform }) => platform))].sort()
  const reactions = await db
    .selectFrom('signals')
    .innerJoin('turns', 'turns.id', 'signals.turn')
    .select('turns.platform')
    .where('signals.type', '=', 'reaction')
    .execute()
  const corrections = await db
    .selectFrom('signals')
    .innerJoin('turns', 'turns.id', 'signals.turn')
    .select('turns.platform')
    .where('signals.content', '=', 'Say it in five words')
    .execute()
  const samples = await db
    .selectFrom('samples')
    .innerJoin('turns', 'turns.id', 'samples.turn')
    .select('turns.platform')
    .execute()
  await close()
  expect(platforms(reactions)).toEqual(['discord', 'slack', 'telegram'])
  expect(platforms(corrections)).toEqual(['discord'])
  expect(platforms(samples)).toEqual(['discord', 'slack', 'telegram'])
  // Made-up tokens are tokens: they stand where the bot looks for them, and nowhere else.
  const kept = ['claw.log', 'claw.sqlite'].map((name) => readFileSync(join(data, name), 'latin1')).join() + told + seen
  for (const token of [slack.botToken, slack.appToken, discord.token, telegram.token]) expect(kept).not.toContain(token)
}, 180_000)

test('one sandbox a data folder', async () => {
  const first = claw('sandbox')
  while (!existsSync(join(data, 'sandbox.json'))) await new Promise((done) => setTimeout(done, 50))
  const second = claw('sandbox')
  expect(await second.exit).toEqual([2, null])
  expect(await second.stderr).toMatch(/^claw: CONFIG_INVALID A sandbox runs .*\n {2}what to do: /)
  first.child.kill('SIGTERM')
  expect(await first.exit).toEqual([0, null])
}, 60_000)
