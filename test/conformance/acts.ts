import { until } from './backstage.ts'
import type { Place, Saying, Shown, Stage, StageOptions } from './stage.ts'

/** Something that every platform has to do. */
export interface Behaviour {
  readonly name: string
  readonly config?: StageOptions['config']
  body(stage: Stage): Promise<void>
}

/** Replies of the parrot say back what they answer. */
export const repliesIn = (stage: Stage, place: Place): readonly Shown[] =>
  stage.shown(place).filter(({ text }) => text.startsWith('re'))

/** As a reader sees them, without the platform's escapes. */
export const said = (stage: Stage, place: Place): readonly string[] =>
  repliesIn(stage, place).map(({ text }) => text.replace(/\\(?=[^\w\s])|\u200B/g, ''))

export const signals = (stage: Stage) =>
  stage.store.db.selectFrom('signals').selectAll().where('type', '!=', 'cleared').execute()

/** Resolves to the message's id when everything has come of it that comes. Ann says it, where nobody else is named. */
export async function say(
  stage: Stage,
  place: Place,
  text: string,
  { by = stage.people.ann, ...saying }: Saying & { readonly by?: string } = {},
): Promise<string> {
  const message = await stage.say(place, by, text, saying)
  await stage.settle()
  return message
}

/** Addresses the bot. Resolves to its last reply there. */
export async function ask(stage: Stage, place: Place, text: string, by = stage.people.ann): Promise<Shown> {
  await say(stage, place, text, { by, mention: place !== stage.places.direct })
  const reply = repliesIn(stage, place).at(-1)
  if (reply === undefined) throw new Error('there is no reply')
  return reply
}

/** Ben gives it a thumb, where nobody else is named. */
export async function thumb(stage: Stage, place: Place, { id }: Shown, by = stage.people.ben): Promise<void> {
  await stage.react(place, by, id, '👍')
  await stage.settle()
}

/** While the model is busy with what Ann said before, she says something, and thinks better of it. */
export async function thinkBetter(
  stage: Stage,
  change: (place: Place, person: string, message: string) => Promise<void>,
): Promise<void> {
  const { direct } = stage.places
  const { ann } = stage.people
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  stage.engine.pace = () => opened
  await stage.say(direct, ann, 'busy')
  await until(() => stage.engine.prompts.length === 1, 'the model is asked')
  const message = await stage.say(direct, ann, 'draft')
  await received(stage, 2)
  await change(direct, ann, message)
  await received(stage, 3)
  open()
  await stage.settle()
}

/** So many events are in the store, beside those of joining. */
const received = (stage: Stage, events: number): Promise<void> =>
  until(async () => {
    const rows = await stage.store.db.selectFrom('inbox').select('seq').where('type', '!=', 'joined').execute()
    return rows.length >= events
  }, `${events} events come`)
