/**
 * One machine that serves and trains at once. Ada asks, one question after the other, and waits for the first words:
 * while nothing else runs, and again while the bot trains what Ben has said. Ben corrects eight replies; from his last
 * word to the version that learned from them is what he waits.
 *
 *   npm run bench:live -- [--quick] [--json] [--model FILE.gguf]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Said } from '../adapters/playground/protocol.ts'
import { connect } from '../adapters/playground/remote.ts'
import { PLATFORM } from '../adapters/playground/said.ts'
import { HELD_BACK, QUESTIONS } from '../cli/demo/questions.ts'
import { serve } from '../cli/serve.ts'
import { turnId } from '../core/stream/turns.ts'
import { type BenchOptions, benchOptions, median, progress, round, surroundings, THREADS } from './measure.ts'
import { finish } from './result.ts'

/** What a person takes to read a reply and to think of the next question. */
const READING_MS = 2_000

/** Corrected replies that make the batch. */
const BATCH = 8
const MAX_TOKENS = 64

interface Wait {
  /** From the message to the first words of its reply. */
  readonly firstMs: number
  readonly refused: boolean
}

/** Somebody who talks to the bot, each question in a conversation of its own. */
function talker(client: Client, name: string) {
  const person = { id: name.toLowerCase(), name }
  let said = 0

  async function say(text: string, conversation: string): Promise<Wait> {
    const id = `${person.id}-${said++}`
    const turn = turnId({ platform: PLATFORM, workspace: client.workspace, id })
    const message: Said = { id, person, conversation, type: 'message', message: id, text }
    let firstMs = Number.NaN
    const started = performance.now()
    const refused = new Promise<boolean>((resolve) => {
      const stop = client.listen((update) => {
        if (!('turn' in update) || update.turn !== turn) return
        if (update.type === 'writing' && update.text === '') return
        if (Number.isNaN(firstMs)) firstMs = performance.now() - started
        if (update.type === 'writing') return
        stop()
        resolve(update.type === 'failed')
      })
    })
    await client.tell(message)
    return { refused: await refused, firstMs }
  }

  return { ask: (question: string) => say(question, `about-${said}`), say }
}

async function measure({ model: path, quick, config }: BenchOptions) {
  const around = surroundings()
  const dataDir = mkdtempSync(join(tmpdir(), 'claw-live-'))
  let served: ((lessons: number) => void) | undefined
  const server = await serve(
    {
      ...config,
      dataDir,
      databaseUrl: null,
      redisUrl: null,
      http: { ...config.http, port: 0 },
      serving: { ...config.serving, threads: THREADS, maxTokens: MAX_TOKENS },
      trainer: { ...config.trainer, threads: THREADS, batch: BATCH, waitSeconds: 600 },
    },
    path,
    {
      report: (error) => progress(String(error)),
      version: ({ state, lessons }) => state === 'served' && served?.(lessons),
    },
  )
  try {
    const lost = (error: Error) => progress(error.message)
    const ada = talker(await connect({ ...server, workspace: 'calm', lost }), 'Ada')
    const rounds = quick ? 20 : 36
    progress('warming up …')
    for (const question of QUESTIONS.slice(0, 3)) await ada.ask(question)
    progress('Ada asks while nothing else runs …')
    const idle: Wait[] = []
    const corrections: Wait[] = []
    for (const question of HELD_BACK.slice(0, rounds)) {
      idle.push(await ada.ask(question))
      await sleep(READING_MS)
    }
    const busy: Wait[] = []
    const learnedMs: number[] = []
    for (let batch = 0; batch < (quick ? 1 : 3); batch++) {
      const ben = talker(await connect({ ...server, workspace: `busy-${batch}`, lost }), 'Ben')
      progress('Ben asks and corrects …')
      for (let i = 0; i < BATCH; i++) await ben.say(QUESTIONS[i]!, `question-${i}`)
      const learned = new Promise<number>((resolve) => {
        served = (lessons) => lessons > 0 && resolve(performance.now())
      })
      // The first seven are answered one by one; all eight feedbacks are one batch.
      for (let i = 0; i < BATCH - 1; i++) corrections.push(await ben.say('shorter please', `question-${i}`))
      const lastAt = performance.now()
      corrections.push(await ben.say('shorter please', `question-${BATCH - 1}`))
      // Asked before the last of them is answered, nothing might be due yet.
      let training = true
      const settled = server.bot.settle(false).finally(() => {
        training = false
      })
      progress('Ada asks while the bot trains …')
      while (training) {
        busy.push(await ada.ask(`${HELD_BACK[busy.length % HELD_BACK.length]!} (${busy.length})`))
        await sleep(READING_MS)
      }
      await settled
      learnedMs.push((await learned) - lastAt)
    }
    const refused = [...idle, ...busy, ...corrections].filter((wait) => wait.refused).length
    return {
      idle,
      busy,
      refused,
      learnedMs: median(learnedMs),
      ...around,
    }
  } finally {
    await server.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function quantile(waits: readonly Wait[], share: number): number {
  const sorted = waits.map(({ firstMs }) => firstMs).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!
}

await finish(async () => {
  const options = await benchOptions()
  const { idle, busy, refused, learnedMs, ...rest } = await measure(options)
  const p50 = (waits: readonly Wait[]) => round(median(waits.map(({ firstMs }) => firstMs)), 0)
  const p95 = (waits: readonly Wait[]) => round(quantile(waits, 0.95), 0)
  const result = {
    idle_first_ms_p50: p50(idle),
    idle_first_ms_p95: p95(idle),
    busy_first_ms_p50: p50(busy),
    busy_first_ms_p95: p95(busy),
    ratio_p95: round(quantile(busy, 0.95) / quantile(idle, 0.95)),
    refused,
    batch: BATCH,
    feedback_to_served_s: round(learnedMs / 1000, 1),
    asked_idle: idle.length,
    asked_busy: busy.length,
    threads: THREADS,
    ...rest,
  }
  const table = [
    ['ms to the first words', 'p50', 'p95', 'asked'],
    ['while nothing else runs', result.idle_first_ms_p50, result.idle_first_ms_p95, idle.length],
    ['while the bot trains', result.busy_first_ms_p50, result.busy_first_ms_p95, busy.length],
    [`${BATCH} corrections until served, s`, result.feedback_to_served_s],
  ]
  return { json: options.json, result, table }
})
