/**
 * How soon a platform is told that an event is safe, while the model is busy: 50 events a second, each of which wants a
 * reply, from a model that makes as many tokens a second as the default one on two cores, and one core taken as it takes
 * it. Real SDKs against platforms on this machine, which run in the same thread as the bot. Slack's envelope or HTTP
 * request is answered; Telegram is asked for what comes after; Discord wants no answer, so what counts is the inbox.
 *
 *   npm run bench:ack -- [--quick] [--json]
 */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { discord } from '../test/conformance/discord.ts'
import { openSlack } from '../test/conformance/slack.ts'
import type { Stage } from '../test/conformance/stage.ts'
import { openTelegram } from '../test/conformance/telegram.ts'
import { progress, round, surroundings } from './measure.ts'
import { finish } from './result.ts'

const RATE = 50
/** All replies share one model: this is what each of its tokens takes. */
const TOKEN_MS = 17

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})

/** Says so many things at the rate, and returns when each was said, by its message. */
async function flood(stage: Stage, events: number): Promise<Map<string, number>> {
  let free = Promise.resolve()
  stage.engine.pace = () => {
    free = free.then(() => sleep(TOKEN_MS))
    return free
  }
  const said = new Map<string, number>()
  const began = performance.now()
  const underway: Promise<unknown>[] = []
  for (let number = 0; number < events; number++) {
    const due = began + (number * 1_000) / RATE
    if (due > performance.now()) await sleep(due - performance.now())
    const at = Date.now()
    const place = number % 2 === 0 ? stage.places.channel : stage.places.direct
    const saying = stage.say(place, stage.people.ann, `question ${number}`, { mention: number % 2 === 0 })
    underway.push(saying.then((message) => said.set(message, at)))
  }
  await Promise.all(underway)
  await sleep(2_000)
  return said
}

async function slackAcks(mode: 'socket' | 'http', events: number): Promise<number[]> {
  const stage = await openSlack({}, mode)
  await flood(stage, events)
  const took = stage.fake.answers.filter(({ type }) => type === 'events_api').map(({ ms }) => ms)
  await stage.close()
  return took
}

async function discordAcks(events: number): Promise<number[]> {
  const stage = await discord.open()
  const said = await flood(stage, events)
  const rows = await stage.store.db.selectFrom('inbox').select(['message', 'received_at']).execute()
  await stage.close()
  return [...said].map(([id, at]) => (rows.find(({ message }) => message === id)?.received_at ?? Infinity) - at)
}

async function telegramAcks(events: number): Promise<number[]> {
  const stage = await openTelegram()
  await stage.settle()
  const said = [...(await flood(stage, events)).values()].sort((a, b) => a - b)
  const polls = stage.fake.calls
    .filter(({ method }) => method === 'getUpdates')
    .map(({ parameters, at }) => ({ offset: Number(parameters.offset ?? 0), at }))
  await stage.close()
  // Each thing said is one update, and the offset is that of the first that is not safe yet.
  const safe = Math.max(...polls.map(({ offset }) => offset))
  return said.map((at, index) => {
    const after = safe - said.length + index
    return (polls.find(({ offset }) => offset > after)?.at ?? Infinity) - at
  })
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

await finish(async () => {
  const events = RATE * (options.quick ? 4 : 20)
  const busy = new Worker('for (;;) Math.sqrt(2)', { eval: true })
  const measured: [string, number[]][] = []
  for (const [name, run] of [
    ['Slack, Socket Mode', () => slackAcks('socket', events)],
    ['Slack, HTTP', () => slackAcks('http', events)],
    ['Discord', () => discordAcks(events)],
    ['Telegram', () => telegramAcks(events)],
  ] as const) {
    progress(name)
    measured.push([name, (await run()).sort((a, b) => a - b)])
  }
  await busy.terminate()
  const acks = measured.map(([platform, took]) => ({
    platform,
    events: took.length,
    p50: round(at(took, 0.5), 1),
    p99: round(at(took, 0.99), 1),
    most: round(took.at(-1) ?? Number.NaN, 1),
  }))
  const table = acks.map(({ platform, events, p50, p99, most }) => [
    platform,
    events,
    `p50 ${p50} ms`,
    `p99 ${p99} ms`,
    `most ${most} ms`,
  ])
  return { json: options.json, result: { ...surroundings(), rate: RATE, acks }, table }
})
