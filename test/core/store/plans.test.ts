import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hasForgotten, lastDecision, limitReached } from '../../../core/store/audit.ts'
import { forgetOptedOut, optedOut } from '../../../core/store/consent.ts'
import { countRows } from '../../../core/store/counts.ts'
import { openDatabase } from '../../../core/store/database.ts'
import { closeLeftBehind } from '../../../core/store/deliveries.ts'
import { eraseTurn, forget } from '../../../core/store/forget.ts'
import { conversationsSince, lastHeard } from '../../../core/store/heard.ts'
import { joinedBy, nextReceived, pendingChanges, receive, unhandledConversations } from '../../../core/store/inbox.ts'
import { knownOf } from '../../../core/store/known.ts'
import { batch, pool } from '../../../core/store/learned.ts'
import { expire } from '../../../core/store/retention.ts'
import { countReady, lessonsSince, readySamples } from '../../../core/store/samples.ts'
import type { Db } from '../../../core/store/schema.ts'
import { dropWaiting } from '../../../core/store/signals.ts'
import { knownTurns, lastTurn, unjudgedTurns } from '../../../core/store/turns.ts'
import { lastActivity } from '../../../core/store/workspaces.ts'
import type { Event } from '../../../core/types.ts'
import { scratch } from '../../scratch.ts'

/** How SQLite looks for what is asked for, where what was ever said lies beside it. */

const dir = scratch()
const file = join(dir, 'claw.sqlite')
const prepare = vi.spyOn(Database.prototype, 'prepare')
let db: Db

beforeAll(async () => {
  db = await openDatabase(file)
})

afterAll(async () => {
  await db.destroy()
  rmSync(dir, { recursive: true })
})

const ref = { platform: 'slack', workspace: 'T1' }
const talk = { ...ref, conversation: 'C1' }
const said: Event = {
  ...{ ...talk, channel: 'C1', id: 'e1', at: 1, person: { id: 'ann', kind: 'human' } },
  ...{ type: 'message', message: 'm1', text: 'hi', replyTo: 'm0' },
}

const ASKED: Readonly<Record<string, () => Promise<unknown>>> = {
  'an event that arrives': async () => [await knownOf(db, said, 1), await receive(db, [said], 1)],
  'the next event': async () => [await nextReceived(db, talk), await pendingChanges(db, ref, 'm1')],
  'what a message follows': () => knownTurns(db, talk, ['m0']),
  'what is left to do': async () => [await unhandledConversations(db), await unjudgedTurns(db)],
  'who opted out, after every reply': async () => {
    await db
      .updateTable('people')
      .set({ opted_out: 1 })
      .where((on) => on.and({ ...ref, person: 'ann' }))
      .execute()
    return [await optedOut(db, ref), await forgetOptedOut(db, talk, 0)]
  },
  'what may be trained': () => readySamples(db),
  'a batch and what was learned': async () => [
    await batch(db, ref, [1], 8),
    await pool(db, ref, []),
    await countReady(db, ref),
    await lessonsSince(db, ref, 1),
  ],
  'when anything was said': async () => [
    await lastActivity(db),
    await lastHeard(db, 'slack'),
    await conversationsSince(db, 'slack', 1, 9),
    await joinedBy(db, 'discord', 'joined:'),
  ],
  'what was decided': async () => [
    await lastDecision(db, ref),
    await limitReached(db, ref, 't1'),
    await hasForgotten(db, ref, 1),
  ],
  'the last reply': () => lastTurn(db, talk, { or: 'ann' }),
  'the figures': () => countRows(db),
  upkeep: async () => [await dropWaiting(db, 1), await closeLeftBehind(db), await expire(db, ref, 1, 10 ** 13)],
  'an exchange that is forgotten': async () => [
    await forget(db, ref, { person: 'ann', turn: 't1', asking: 0 }, 1),
    await eraseTurn(db, ref, 't1', 'ann'),
  ],
}

/** Small whatever happens, or what an index of nothing but what waits is read from end to end for. */
const SHORT =
  /^SCAN (?:(?:moves|workspaces|w|versions|migrations|deliveries|r|m|\d+ CONSTANT ROWS?|CONSTANT ROW|\(subquery-\d+\))$|\w+ USING (?:COVERING )?INDEX (?:inbox_unhandled|inbox_changes|turns_unjudged|samples_ready)$)/

/** Counting takes a look at each, but at its key alone. */
const COUNTED = /^SCAN (?:turns|signals|verdicts|samples|versions) USING COVERING INDEX/

test.each(Object.entries(ASKED))('%s is looked up', async (name, ask) => {
  prepare.mockClear()
  // Each database prepares a statement once.
  const fresh = await openDatabase(file)
  ;[db] = [fresh, await db.destroy()]
  prepare.mockClear()
  await ask()
  const asked = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /^(?:select|update|delete|insert)/.test(sql))
  expect(asked).not.toEqual([])
  const plain = new Database(file)
  const scans = asked.flatMap((sql) =>
    plain
      .prepare(`explain query plan ${sql}`)
      .all(...(sql.match(/\?/g) ?? []).map(() => null))
      .map((row) => (row as { detail: string }).detail)
      .filter((detail) => detail.startsWith('SCAN ') && !SHORT.test(detail))
      .filter((detail) => name !== 'the figures' || !COUNTED.test(detail))
      .map((detail) => `${detail}: ${sql}`),
  )
  plain.close()
  expect(scans).toEqual([])
})
