import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import type { Client, Said, Update } from '../../adapters/playground/protocol.ts'
import { connect, type Place } from '../../adapters/playground/remote.ts'
import { hasPostgres, newDatabase, startPostgres } from '../services/postgres.ts'
import { hasRedis, startRedis } from '../services/redis.ts'
import { folderFiles, writeFolder } from '../tiny-model.ts'

const CLAW = resolve(import.meta.dirname, '../../dist/claw.js')
const home = mkdtempSync(join(tmpdir(), 'claw-parts-'))
const running: ChildProcess[] = []
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

async function until<T>(look: () => Promise<T | null | undefined | false> | T | null | undefined | false): Promise<T> {
  for (;;) {
    const found = await look()
    if (found) return found
    await new Promise((done) => setTimeout(done, 50))
  }
}

test.runIf(hasPostgres && hasRedis)(
  'three processes with a data folder each are one bot: it answers, is judged by an endpoint, and learns',
  async () => {
    const judge = fastify()
    let asked = 0
    judge.post('/v1/chat/completions', () => {
      asked++
      return { choices: [{ message: { role: 'assistant', content: '-1 | Use vowels.' }, finish_reason: 'stop' }] }
    })
    const endpoint = await judge.listen({ port: 0, host: '127.0.0.1' })
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
    const model = writeFolder(join(home, 'model'))
    const config = { ...(folderFiles()['config.json'] as object), max_position_embeddings: 2048 }
    writeFileSync(join(model, 'config.json'), JSON.stringify(config))
    const shared = { DATABASE_URL: await newDatabase(postgres.url), REDIS_URL: redis.url, CLAW_MODEL: model }
    const settings = { CLAW_THREADS: '1', CLAW_JUDGE: `${endpoint}/v1`, CLAW_JUDGE_MODEL: 'big' }
    const folder = (part: string) => join(home, part)
    const parts = ['serve', 'judge', 'train'].map((part) => {
      const child = spawn(
        process.execPath,
        [CLAW, 'start', '--only', part, ...(part === 'serve' ? ['--port=0'] : [])],
        {
          env: { PATH: process.env.PATH, CLAW_DATA_DIR: folder(part), ...shared, ...settings },
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      )
      running.push(child)
      return { child, exit: once(child, 'exit') }
    })

    const file = join(folder('serve'), 'server.json')
    const place = await until(() => existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as Place))
    const client: Client = await connect({ ...place, workspace: 'home', lost: () => {} })
    const heard: Update[] = []
    client.listen((update) => heard.push(update))
    const heardIn = (text: RegExp) => heard.some((update) => update.type === 'notice' && text.test(update.text))
    const person = { id: 'ada', name: 'Ada' }
    let count = 0
    const say = async (text: string, conversation: string) => {
      const id = `m${count++}`
      const replies = heard.filter(({ type }) => type === 'reply').length
      await client.tell({ id, message: id, conversation, person, type: 'message', text } satisfies Said)
      await until(() => heard.filter(({ type }) => type === 'reply').length > replies)
    }
    for (let i = 0; i < 4; i++) {
      await say(`What is question ${i}?`, `c${i}`)
      await say('I had hoped for vowels', `c${i}`)
    }
    await until(() => heardIn(/^learned: Use vowels\.$/))
    expect(asked).toBeGreaterThanOrEqual(3)
    await until(() => heardIn(/^version 1 is live/))
    const panel = await client.panel()
    expect(panel.serving).toBeGreaterThanOrEqual(1)
    expect(panel.turns.some(({ verdict }) => verdict?.score === -1 && verdict.hint === 'Use vowels.')).toBe(true)
    client.close()

    for (const { child, exit } of parts) {
      child.kill('SIGTERM')
      expect(await exit).toEqual([0, null])
    }
    await Promise.all([postgres.close(), redis.close(), judge.close()])
  },
  120_000,
)
