import type { WorkspaceRef } from '../types.ts'
import { fromJson } from './codec.ts'
import type { Db } from './schema.ts'

/** All that is kept of one person in one workspace, as plain data for that person. Times are in milliseconds since the epoch. */
export async function exportPerson(db: Db, ref: WorkspaceRef, person: string) {
  const { platform, workspace } = ref
  const key = { platform, workspace, person }
  const about = await db
    .selectFrom('people')
    .select(['name', 'opted_out as optedOut', 'asked_at as askedAt', 'taught_at as taughtAt'])
    .where((eb) => eb.and(key))
    .executeTakeFirst()
  const messages = await db
    .selectFrom('messages')
    .select(['conversation', 'message', 'text', 'edited_at as editedAt'])
    .where((eb) => eb.and(key))
    .where('text', 'is not', null)
    .orderBy('position')
    .execute()
  const turns = await db
    .selectFrom('turns')
    .select(['id', 'conversation', 'asked', 'request', 'text', 'policy_version', 'created_at'])
    .where((eb) => eb.and(key))
    .orderBy('position')
    .execute()
  const verdicts = await db
    .selectFrom('verdicts as v')
    .innerJoin('turns as t', 't.id', 'v.turn')
    .select(['v.turn', 'v.score', 'v.weight', 'v.hint', 'v.basis', 'v.created_at as at'])
    .where('t.platform', '=', platform)
    .where('t.workspace', '=', workspace)
    .where('t.person', '=', person)
    .orderBy('v.created_at')
    .execute()
  const secret = new Set((await toldAlone(db, ref, person)).map(({ turn }) => turn))
  const feedback = await db
    .selectFrom('signals')
    .select(['turn', 'type', 'content', 'at', 'active'])
    .where((eb) => eb.and(key))
    .orderBy('at')
    .execute()
  const notes = await db
    .selectFrom('notes')
    .select(['text', 'state', 'shared', 'at'])
    .where((eb) => eb.and(key))
    .orderBy('at')
    .execute()
  const lessons = await db
    .selectFrom('samples')
    .select(['turn', 'state', 'reward', 'weight', 'version', 'people', 'created_at as at'])
    .where('platform', '=', platform)
    .where('workspace', '=', workspace)
    .where('people', 'like', `%${JSON.stringify(person).slice(1, -1)}%`)
    .orderBy('created_at')
    .execute()
  return {
    ...key,
    name: about?.name ?? null,
    optedOut: about?.optedOut === 1,
    askedAt: about?.askedAt ?? null,
    taughtAt: about?.taughtAt ?? null,
    messages,
    replies: turns.map(({ request, policy_version, created_at, ...turn }) => ({
      ...turn,
      request: fromJson(request),
      version: policy_version,
      at: Number(created_at),
      verdicts: verdicts
        .filter((verdict) => verdict.turn === turn.id)
        .map(({ turn: of, hint, ...verdict }) => ({ ...verdict, hint: secret.has(of) ? null : hint })),
    })),
    feedback: feedback.map(({ active, ...signal }) => ({ ...signal, withdrawn: active === 0 })),
    notes: notes.map(({ shared, ...note }) => ({ ...note, shared: shared === 1 })),
    lessons: lessons
      .filter(({ people }) => fromJson(people).includes(person))
      .map(({ people: _, ...lesson }) => lesson),
  }
}

/** Replies to the person about which others have said something to the bot alone: what it made of that is theirs. */
async function toldAlone(db: Db, { platform, workspace }: WorkspaceRef, person: string) {
  return db
    .selectFrom('signals as s')
    .innerJoin('turns as t', 't.id', 's.turn')
    .leftJoin('messages as m', (join) =>
      join
        .onRef('m.platform', '=', 's.platform')
        .onRef('m.workspace', '=', 's.workspace')
        .onRef('m.message', '=', 's.message'),
    )
    .select('s.turn')
    .where((on) =>
      on.and({ 't.platform': platform, 't.workspace': workspace, 't.person': person, 's.type': 'message' }),
    )
    .where('s.person', '<>', person)
    .where('m.message', 'is', null)
    .execute()
}
