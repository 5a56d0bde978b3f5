import { hasOptedOut } from '../../core/store/consent.ts'
import { waitingPress } from '../../core/store/inbox.ts'
import type { Db } from '../../core/store/schema.ts'
import { pressed } from '../../core/store/signals.ts'
import type { EventOf } from '../../core/types.ts'
import { NOT_KEPT } from '../said.ts'

type Press = EventOf<'button'>

/** What a press means where it stands: the same again takes it back. */
export async function toggled(db: Db, press: Press): Promise<Press> {
  return (await standing(db, press)) === press.value ? { ...press, value: null } : press
}

/** What its person has said by the thumbs under the message before, also where that is not handled yet. */
async function standing(db: Db, press: Press): Promise<Press['value']> {
  const waiting = await waitingPress(db, press)
  if (waiting !== undefined) return waiting
  const stored = await pressed(db, press, press.message, press.person.id)
  return stored === null ? null : stored === '👎' ? 'down' : 'up'
}

/** Said to who pressed, and to nobody else: everybody has the same buttons, so they cannot show it. */
export async function thumbSays(db: Db, { value, ...press }: Press): Promise<string> {
  if (value === null) return 'Taken back.'
  if (await hasOptedOut(db, press, press.person.id)) return NOT_KEPT
  return `${value === 'up' ? '👍' : '👎'} noted. Press it again to take it back.`
}
