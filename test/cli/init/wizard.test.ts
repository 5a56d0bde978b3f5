import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wizard } from '../../../cli/init/wizard.ts'
import { startPlatforms } from '../platforms.ts'

let fakes: Awaited<ReturnType<typeof startPlatforms>>
beforeAll(async () => {
  fakes = await startPlatforms()
  fakes.telegram.addUser({ id: 7, first_name: 'Ann' })
  fakes.telegram.addChat({ id: 7, type: 'private', first_name: 'Ann' })
  fakes.telegram.say(7, 7, '/start')
})
afterAll(() => fakes.close())

const [DOWN, ENTER, CTRL_C] = ['\x1b[B', '\r', '\x03']

/** Answers each question when it is on the screen. */
async function sit(data: string, answers: readonly (readonly [question: RegExp, ...keys: string[]])[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 40 })
  let seen = ''
  let asked = 0
  output.on('data', (chunk) => {
    seen += String(chunk)
  })
  const done = wizard({ data }, { input, output })
  for (const [question, ...keys] of answers) {
    while (!question.test(seen.slice(asked))) await new Promise((next) => setTimeout(next, 5))
    asked = seen.length
    for (const key of keys) {
      input.write(key)
      await new Promise((next) => setTimeout(next, 20))
    }
  }
  return { finished: await done, seen }
}

const TOKEN = /TELEGRAM_BOT_TOKEN/

test('asks until the token is good, keeps it, and sends the test message where somebody is', async () => {
  const data = fakes.newFolder()
  const { finished, seen } = await sit(data, [
    [/The platform/, DOWN, DOWN, ENTER],
    [/How it is connected/, ENTER],
    [TOKEN, `99:${'C'.repeat(35)}`, ENTER],
    [/Keep them/, ENTER],
    [TOKEN, fakes.bot.token, ENTER],
    [/test message/, '12345', ENTER],
    [/refused/, '7', ENTER],
  ])
  expect(finished).toBe(true)
  expect(seen).toContain('Telegram does not know the token')
  expect(seen).not.toContain(fakes.bot.token)
  const file = join(data, 'tokens.json')
  expect(JSON.parse(readFileSync(file, 'utf8')).telegram).toEqual({ token: fakes.bot.token })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(fakes.telegram.messages(7).at(-1)?.text).toContain('test message')
})

test('Ctrl-C in the middle writes no token, and keeps those that are there', async () => {
  const data = fakes.newFolder({ discord: fakes.tokens.discord })
  const before = readFileSync(join(data, 'tokens.json'), 'utf8')
  const { finished } = await sit(data, [
    [/The platform/, ENTER],
    [/How it is connected/, ENTER],
    [/SLACK_BOT_TOKEN/, fakes.tokens.slack.botToken, ENTER],
    [/SLACK_APP_TOKEN/, 'xapp-half', CTRL_C],
  ])
  expect(finished).toBe(false)
  expect(readFileSync(join(data, 'tokens.json'), 'utf8')).toBe(before)
  expect(existsSync(join(data, 'slack-manifest.json'))).toBe(true)
})
