import { dropOldest } from '../oldest.ts'
import { Refusal } from './checks.ts'
import type { Answer, Delivery } from './delivery.ts'
import { APP, channelOf, type FakeTeam, type Fields, messageOf, newId, nextTs, post, shape } from './world.ts'

/** Commands, buttons and modals, and how the app answers them. */
export interface Interactions {
  command(team: string, channel: string, user: string, text: string, command?: string): Promise<Answer | null>
  /** `button` is an action id, or `action_id=value` of one half of a pair. */
  press(team: string, channel: string, user: string, ts: string, button: string): Promise<Answer | null>
  /** Writes into the modal that a person was shown last, and sends it. */
  submit(team: string, user: string, text: string): Promise<Answer | null>
}

/** The app's side of them. */
export interface Doors {
  /** Resolves a trigger to whose it is; throws where it is used up. */
  trigger(id: string): string
  /** What the app answers with later; false where it may not any more. */
  respond(id: string, body: Fields): boolean
  /** Drops those that nobody went through, but for the latest `keep`. */
  forget(keep: number): void
}

interface LateAnswer {
  readonly team: FakeTeam
  readonly channel: string
  readonly user: string
  /** The message that it may take the place of. */
  readonly on: object | null
  left: number
}

/** Late answers that a command or an interaction allows. */
const LATE_ANSWERS = 5

export interface InteractionsOptions {
  readonly teamOf: (id: string) => FakeTeam
  readonly delivery: Delivery
  /** `http://127.0.0.1:PORT/`, known when the fake listens. */
  readonly url: () => string
}

export function createInteractions({ teamOf, delivery, url }: InteractionsOptions): Interactions & { doors: Doors } {
  const triggers = new Map<string, string>()
  const lateAnswers = new Map<string, LateAnswer>()

  /** What an interaction needs to be answered. */
  function openDoors(team: FakeTeam, channel: string, user: string, on: object | null = null) {
    const trigger_id = `${Date.now()}.${newId('')}`
    triggers.set(trigger_id, user)
    const id = `${team.id}/${newId('R')}`
    lateAnswers.set(id, { team, channel, user, on, left: LATE_ANSWERS })
    return { trigger_id, response_url: `${url()}response/${id}` }
  }

  return {
    command(id, channel, user, text, command = '/claw') {
      const team = teamOf(id)
      return delivery.send({
        type: 'slash_commands',
        payload: {
          command,
          text,
          team_id: team.id,
          team_domain: team.name,
          channel_id: channel,
          channel_name: channelOf(team, channel).name,
          user_id: user,
          user_name: team.users.get(user)?.name ?? user,
          api_app_id: APP,
          is_enterprise_install: String(team.enterprise !== null),
          ...(team.enterprise === null ? {} : { enterprise_id: team.enterprise, enterprise_name: 'grid' }),
          token: 'unused',
          ...openDoors(team, channel, user),
        },
      })
    },
    press(id, channel, user, ts, button) {
      const team = teamOf(id)
      const ephemeral = team.ephemerals.find((one) => one.id === ts)
      const message = ephemeral === undefined ? messageOf(team, channel, ts) : null
      const blocks = message?.blocks ?? ephemeral?.blocks ?? []
      const thread = message?.thread ?? ephemeral?.thread ?? null
      const [action_id = '', half] = button.split('=')
      const element = blocks
        .flatMap((block) => (Array.isArray(block.elements) ? (block.elements as Fields[]) : []))
        .find((one) => one.action_id === action_id)
      if (element === undefined) throw new Error(`there is no button ${button} under ${ts}`)
      return delivery.send({
        type: 'interactive',
        payload: {
          type: 'block_actions',
          user: who(team, user),
          ...where(team),
          container: {
            type: 'message',
            message_ts: ts,
            channel_id: channel,
            is_ephemeral: message === null,
            ...(thread === null ? {} : { thread_ts: thread }),
          },
          channel: { id: channel, name: channelOf(team, channel).name },
          ...(message === null ? {} : { message: shape(message, team) }),
          ...openDoors(team, channel, user, message ?? ephemeral ?? null),
          actions: [
            { type: element.type, action_id, block_id: 'b', value: half ?? element.value, action_ts: nextTs() },
          ],
        },
      })
    },
    submit(id, user, text) {
      const team = teamOf(id)
      const index = team.views.findIndex((view) => view.user === user)
      const [open] = index < 0 ? [] : team.views.splice(index, 1)
      if (open === undefined) throw new Error(`${user} has no modal open`)
      const input = (open.view.blocks as Fields[]).find((block) => block.type === 'input')
      const action = String((input?.element as Fields | undefined)?.action_id)
      const values = { [String(input?.block_id)]: { [action]: { type: 'plain_text_input', value: text } } }
      const view = { id: open.id, ...open.view, state: { values }, app_installed_team_id: team.id, hash: '1' }
      return delivery.send({
        type: 'interactive',
        payload: { type: 'view_submission', user: who(team, user), ...where(team), view, ...openDoors(team, '', user) },
      })
    },
    doors: {
      trigger(id) {
        const user = triggers.get(id)
        if (user === undefined) throw new Refusal('expired_trigger_id')
        triggers.delete(id)
        return user
      },
      respond(id, body) {
        const late = lateAnswers.get(id)
        if (late === undefined || late.left === 0) return false
        late.left -= 1
        if (body.delete_original === true) return true
        const { team, channel, user, on } = late
        const said = { text: String(body.text ?? ''), blocks: (body.blocks ?? []) as readonly Fields[] }
        if (body.replace_original === true && on !== null) Object.assign(on, said)
        else if (body.response_type === 'in_channel') {
          post(channelOf(team, channel), { user: team.bot.user, bot: team.bot.id, ...said })
        } else team.ephemerals.push({ id: nextTs(), channel, thread: null, user, ...said })
        return true
      },
      forget(keep) {
        dropOldest(triggers, keep)
        dropOldest(lateAnswers, keep)
      },
    },
  }
}

const who = (team: FakeTeam, user: string) => ({
  id: user,
  name: team.users.get(user)?.name,
  username: team.users.get(user)?.name,
  team_id: team.users.get(user)?.home ?? team.id,
})

const where = (team: FakeTeam) => ({
  team: { id: team.id, domain: team.name },
  enterprise: team.enterprise === null ? null : { id: team.enterprise, name: 'grid' },
  is_enterprise_install: team.enterprise !== null,
  api_app_id: APP,
  token: 'unused',
})
