import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../../config/config.ts'
import { judge } from '../../../core/judge/judge.ts'
import { startRuntime } from '../../../core/runtime.ts'
import { openStore, type Store } from '../../../core/store/store.ts'
import { recordVersion } from '../../../core/store/versions.ts'
import type { Outlet } from '../../../core/stream/outlet.ts'
import type { Event } from '../../../core/types.ts'
import { fakeEngine, prompter, watched } from '../parrot.ts'

/**
 * One life of a program that is killed again and again: a person asks, reacts and corrects by a script, the platform
 * redelivers everything it has ever sent, a trainer makes a version of every few samples. After `points` statements,
 * tokens and deliveries the life ends as by `kill -9`; one that gets through the script sooner ends with exit code 0.
 */
const [dir = '', questions = '0', points = 'Infinity'] = process.argv.slice(2)
let left = Number(points)

function point(): void {
  left -= 1
  if (left <= 0) process.kill(process.pid, 'SIGKILL')
}

mkdirSync(dir, { recursive: true })
const ref = { platform: 'terminal', workspace: 'home' }

/** What the platform remembers over our deaths: one line a delivered reply. */
const screen = `${dir}/screen.jsonl`
const shown = new Set(existsSync(screen) ? readFileSync(screen, 'utf8').split('\n') : [])
const outlet: Outlet = {
  platform: ref.platform,
  reply: ({ turn }) => ({
    write() {},
    async finish(text) {
      const line = JSON.stringify({ turn, text })
      point()
      if (!shown.has(line)) appendFileSync(screen, `${line}\n`)
      shown.add(line)
      point()
      return [`reply to ${turn}`]
    },
    async fail() {
      process.exit(3)
    },
  }),
  async notify() {},
  isAdmin: async () => true,
}

const opened = await openStore(dir)
const db = watched(opened.db, point)
const store: Store = { ...opened, db }
const engine = fakeEngine()
engine.pace = async () => point()
const runtime = await startRuntime({
  config: loadConfig({ dataDir: dir, serving: { context: 100_000, maxTokens: 100 } }, {}),
  store,
  engine,
  prompter,
  judge,
  outlets: [outlet],
  onSampleReady() {},
  report(fault) {
    console.error(fault)
    process.exit(4)
  },
})

async function train(atLeast: number): Promise<void> {
  const batch = await store.batch(ref, 3)
  if (batch.length < atLeast) return
  const version = await store.nextVersion(ref)
  const parent = await store.servingVersion(ref)
  const samples = batch.map((sample) => sample.id)
  await recordVersion(db, {
    ref,
    version,
    parent,
    state: 'served',
    reason: null,
    directory: `v${version}`,
    metrics: {},
    samples,
  })
  await runtime.policyPublished(ref, version)
}

const person = { id: 'ann', kind: 'human' as const }
const base = { ...ref, conversation: 'c', person }
const deliver = async (event: Event) => {
  await runtime.deliver(event)
  await runtime.deliver(event)
}

async function asked(event: string): Promise<boolean> {
  return (await db.selectFrom('inbox').select('seq').where('event', '=', event).executeTakeFirst()) !== undefined
}

/** The reply that a message got, once it is there. */
async function replyTo(message: string): Promise<string> {
  for (;;) {
    const row = await store.db
      .selectFrom('turns')
      .innerJoin('outbound', 'outbound.turn', 'turns.id')
      .select('outbound.message')
      .where('turns.message', '=', message)
      .where('turns.visible_at', 'is not', null)
      .executeTakeFirst()
    if (row?.message) return row.message
    await sleep(1)
  }
}

for (let i = 0; i < Number(questions); i += 1) {
  await deliver({ ...base, id: `ask${i}`, at: Date.now(), type: 'message', message: `ask${i}`, text: `question ${i}` })
  const reply = await replyTo(`ask${i}`)
  if (i % 3 === 0) {
    const text = i % 2 === 0 ? 'way too long!' : 'be more friendly please'
    await deliver({ ...base, id: `say${i}`, at: Date.now(), type: 'message', message: `say${i}`, text })
    await replyTo(`say${i}`)
  } else {
    await deliver({ ...base, id: `on${i}`, at: Date.now(), type: 'reaction', message: reply, emoji: '👎' })
    await deliver({ ...base, id: `off${i}`, at: Date.now(), type: 'reaction_removed', message: reply, emoji: '👎' })
    await deliver({ ...base, id: `up${i}`, at: Date.now(), type: 'reaction', message: reply, emoji: '👍' })
  }
  await runtime.idle()
  // What a later question has left half said is not for the trainer yet.
  if (!(await asked(`ask${i + 1}`))) await train(3)
}
await runtime.idle()
while ((await store.batch(ref, 1)).length > 0) await train(1)
await runtime.close()
await store.close()
