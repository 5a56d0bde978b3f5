import { randomBytes } from 'node:crypto'
import type { Fault } from '../fault.ts'
import { dropOldest } from '../oldest.ts'
import { createCounter, type Traffic } from '../traffic.ts'
import { Refusal } from './checks.ts'
import { type Answer, createDelivery, type Delivery } from './delivery.ts'
import type { Effects } from './methods.ts'
import { type Call, type Registration, serveSlack } from './server.ts'
import {
  APP,
  channelOf,
  type FakeChannel,
  type FakeMessage,
  type FakeTeam,
  type Fields,
  forget,
  messageOf,
  newId,
  newTeam,
  nextTs,
  OTHER_BOT,
  post,
  type ShownMessage,
  shape,
  shown,
} from './world.ts'

export interface SayOptions {
  /** The root that it is said under. */
  readonly thread?: string
  readonly mention?: boolean
  readonly files?: readonly string[]
  readonly subtype?: string
  readonly ts?: string
}

/** A whole Slack on one loopback port, strict about what it is asked. */
export interface FakeSlack extends Registration {
  /** `http://127.0.0.1:PORT/`; the Web API is at `api/` under it. */
  readonly url: string
  readonly teams: ReadonlyMap<string, FakeTeam>
  readonly calls: readonly Call[]
  readonly answers: readonly Answer[]
  /** What the real platform would have refused, and nothing but a slip of the adapter gets to. */
  readonly violations: string[]
  readonly delivery: Delivery
  /** Whether app_mention comes before the message that it is about. */
  mentionFirst: boolean
  botToken(team: string): string
  /** Resolves to the message's ts, once it is delivered or given up. */
  say(team: string, channel: string, user: string, text: string, options?: SayOptions): Promise<string>
  edit(team: string, channel: string, user: string, ts: string, text: string): Promise<void>
  /** A message_changed that is no edit: a link was unfurled, a thread has grown. */
  touch(team: string, channel: string, ts: string): Promise<void>
  remove(team: string, channel: string, ts: string): Promise<void>
  react(team: string, channel: string, user: string, ts: string, name: string): Promise<void>
  unreact(team: string, channel: string, user: string, ts: string, name: string): Promise<void>
  command(team: string, channel: string, user: string, text: string, command?: string): Promise<Answer | null>
  /** `button` is an action id, or `action_id=value` of one half of a pair. */
  press(team: string, channel: string, user: string, ts: string, button: string): Promise<Answer | null>
  /** Writes into the modal that a person was shown last, and sends it. */
  submit(team: string, user: string, text: string): Promise<Answer | null>
  stopSession(team: string, channel: string, thread: string, user: string): Promise<void>
  /** The app is let into a channel. */
  invite(team: string, channel: string, inviter: string): Promise<void>
  /** Installs the app without the page of consent; resolves to its token. */
  install(team: string, scopes: readonly string[]): string
  /** A private channel is shared with another organisation, and has another id from now on. */
  share(team: string, channel: string, id: string): Promise<void>
  /** Goes through the pages that a person goes through to install the app; resolves to the last page's status. */
  consent(team: string, installUrl: string): Promise<number>
  uninstall(team: string): Promise<void>
  revoke(team: string): Promise<void>
  /** Delivers an event as it is. */
  emit(team: string, event: Fields): Promise<Answer | null>
  shown(team: string, channel: string): readonly ShownMessage[]
  fault(fault: Fault): void
  /** The next call of the method is answered so. */
  refuse(method: string, error: string): void
  settled(): Promise<void>
  traffic(): Traffic
  /**
   * Drops what happened long ago: of the calls, the answers, what waits for one, the messages of each channel with their
   * reactions, what one person alone is shown, the modals and the files, the latest `keep` stay. More than `keep` must
   * not be underway.
   */
  forget(keep: number): void
  close(): Promise<void>
}

export interface FakeSlackOptions {
  readonly port?: number
  /** Names of the workspaces; each has the same people, channels and ids. */
  readonly teams?: readonly string[]
  /** The organisation that the workspaces belong to. */
  readonly enterprise?: string
}

const secret = () => randomBytes(16).toString('hex')

/** Messages that somebody has said. */
const SAID: readonly (string | null)[] = [null, 'file_share', 'thread_broadcast', 'me_message']

/** Late answers that a command or an interaction allows. */
const LATE_ANSWERS = 5

export async function startFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const names = options.teams ?? ['T0ONE', 'T0TWO']
  const teams = new Map(names.map((id) => [id, newTeam(id, options.enterprise ?? null)]))
  const registration: Registration = {
    appToken: `${'xapp'}-1-${APP}-${secret()}`,
    signingSecret: secret(),
    clientId: '1000.2000',
    clientSecret: secret(),
  }
  const violations: string[] = []
  const wrong = (what: string) => violations.push(what)
  const counter = createCounter()
  const delivery = createDelivery(registration.signingSecret, counter, wrong)
  const triggers = new Map<string, string>()
  type LateAnswer = { team: FakeTeam; channel: string; user: string; on: object | null; left: number }
  const lateAnswers = new Map<string, LateAnswer>()

  const teamOf = (id: string): FakeTeam => {
    const team = teams.get(id)
    if (team === undefined) throw new Error(`there is no fake workspace ${id}`)
    return team
  }

  function emit(team: FakeTeam, event: Fields): Promise<Answer | null> {
    if (team.installation === null && event.type !== 'app_uninstalled' && event.type !== 'tokens_revoked') {
      return Promise.resolve(null)
    }
    const grid = team.enterprise !== null
    return delivery.send({
      type: 'events_api',
      payload: {
        type: 'event_callback',
        team_id: team.id,
        context_team_id: team.id,
        api_app_id: APP,
        event_id: newId('Ev'),
        event_time: Math.floor(Date.now() / 1_000),
        ...(grid ? { enterprise_id: team.enterprise } : {}),
        authorizations: [
          {
            enterprise_id: team.enterprise,
            team_id: team.id,
            user_id: team.bot.user,
            is_bot: true,
            is_enterprise_install: grid,
          },
        ],
        event,
      },
    })
  }

  async function tellPosted(team: FakeTeam, channel: FakeChannel, message: FakeMessage): Promise<void> {
    if (!channel.members.has(team.bot.user)) return
    const said = { ...shape(message, team), channel: channel.id, event_ts: message.ts }
    const asMessage = { ...said, channel_type: channel.type }
    const addresses = channel.type !== 'im' && channel.type !== 'mpim' && SAID.includes(message.subtype)
    const mentions = addresses && message.text.includes(`<@${team.bot.user}>`)
    const { subtype, ...plain } = said as Fields
    const both = mentions ? [asMessage, { ...plain, type: 'app_mention' }] : [asMessage]
    if (mentions && self.mentionFirst) both.reverse()
    await Promise.all(both.map((event) => emit(team, event)))
  }

  const hidden = (team: FakeTeam, channel: FakeChannel, fields: Fields) =>
    emit(team, { type: 'message', hidden: true, channel: channel.id, channel_type: channel.type, ...fields })

  function tellChanged(team: FakeTeam, channel: FakeChannel, message: FakeMessage, before: Fields) {
    const ts = nextTs()
    const now = shape(message, team)
    return hidden(team, channel, {
      subtype: 'message_changed',
      message: now,
      previous_message: before,
      ts,
      event_ts: ts,
    })
  }

  function tellDeleted(team: FakeTeam, channel: FakeChannel, message: FakeMessage) {
    const ts = nextTs()
    const gone = { deleted_ts: message.ts, previous_message: shape(message, team) }
    return hidden(team, channel, { subtype: 'message_deleted', ...gone, ts, event_ts: ts })
  }

  function tellReacted(
    team: FakeTeam,
    channel: FakeChannel,
    to: FakeMessage,
    name: string,
    user: string,
    added: boolean,
  ) {
    const [plain = name] = name.split('::')
    const mine = to.reactions.find((reaction) => reaction.name === plain)
    if (added === (mine?.users.includes(user) ?? false))
      throw new Refusal(added ? 'already_reacted' : 'no_reaction', false)
    if (!added) mine?.users.splice(mine.users.indexOf(user), 1)
    else if (mine === undefined) to.reactions.push({ name: plain, users: [user] })
    else mine.users.push(user)
    return emit(team, {
      type: added ? 'reaction_added' : 'reaction_removed',
      user,
      reaction: name,
      item: { type: 'message', channel: channel.id, ts: to.ts },
      ...(to.user === '' ? {} : { item_user: to.user }),
      event_ts: nextTs(),
    })
  }

  const effects: Effects = {
    posted: (...about) => void tellPosted(...about),
    changed: (...about) => void tellChanged(...about),
    deleted: (...about) => void tellDeleted(...about),
    reacted: (...about) => void tellReacted(...about),
    trigger(id) {
      const user = triggers.get(id)
      if (user === undefined) throw new Refusal('expired_trigger_id')
      triggers.delete(id)
      return user
    },
    uploadUrl: (team, file) => `${served.url}upload/${team.id}/${file}`,
  }

  function install(team: FakeTeam, scopes: readonly string[]): string {
    team.installation ??= { token: `${'xoxb'}-${team.id}-${secret()}`, scopes }
    return team.installation.token
  }

  const served = await serveSlack({
    ...registration,
    port: options.port ?? 0,
    teams,
    delivery,
    effects,
    counter,
    install,
    wrong,
    respond(id, body) {
      const late = lateAnswers.get(id)
      if (late === undefined || late.left === 0) return false
      late.left -= 1
      const blocks = (body.blocks ?? []) as readonly Fields[]
      if (body.delete_original === true) return true
      const channel = channelOf(late.team, late.channel)
      const text = String(body.text ?? '')
      if (body.replace_original === true && late.on !== null) {
        Object.assign(late.on, { text, blocks })
        return true
      }
      if (body.response_type === 'in_channel')
        post(channel, { user: late.team.bot.user, bot: late.team.bot.id, text, blocks })
      else
        late.team.ephemerals.push({ id: nextTs(), channel: late.channel, thread: null, user: late.user, text, blocks })
      return true
    },
  })

  /** What an interaction needs to be answered. */
  function openDoors(team: FakeTeam, channel: string, user: string, on: object | null = null) {
    const trigger_id = `${Date.now()}.${newId('')}`
    triggers.set(trigger_id, user)
    const id = `${team.id}/${newId('R')}`
    lateAnswers.set(id, { team, channel, user, on, left: LATE_ANSWERS })
    return { trigger_id, response_url: `${served.url}response/${id}` }
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

  const self: FakeSlack = {
    ...registration,
    url: served.url,
    teams,
    calls: served.calls,
    answers: delivery.answers,
    violations,
    delivery,
    mentionFirst: false,
    botToken: (id) => teamOf(id).installation?.token ?? '',
    install: (id, scopes) => install(teamOf(id), scopes),
    async say(id, at, user, text, { thread, mention = false, files = [], subtype, ts } = {}) {
      const team = teamOf(id)
      const channel = channelOf(team, at)
      const isBot = team.users.get(user)?.bot !== undefined
      const message = post(channel, {
        user,
        text: mention ? `<@${team.bot.user}> ${text}` : text,
        thread: thread ?? null,
        files,
        bot: isBot ? OTHER_BOT.id : null,
        subtype: subtype ?? (files.length > 0 ? 'file_share' : null),
        ...(ts === undefined ? {} : { ts }),
      })
      await tellPosted(team, channel, message)
      return message.ts
    },
    async edit(id, at, user, ts, text) {
      const team = teamOf(id)
      const message = messageOf(team, at, ts)
      const before = shape(message, team)
      Object.assign(message, { text, edited: { user, ts: nextTs() } })
      await tellChanged(team, channelOf(team, at), message, before)
    },
    async touch(id, at, ts) {
      const team = teamOf(id)
      const message = messageOf(team, at, ts)
      await tellChanged(team, channelOf(team, at), message, shape(message, team))
    },
    async remove(id, at, ts) {
      const team = teamOf(id)
      const message = messageOf(team, at, ts)
      channelOf(team, at).messages.delete(ts)
      await tellDeleted(team, channelOf(team, at), message)
    },
    async react(id, at, user, ts, name) {
      const team = teamOf(id)
      await tellReacted(team, channelOf(team, at), messageOf(team, at, ts), name, user, true)
    },
    async unreact(id, at, user, ts, name) {
      const team = teamOf(id)
      await tellReacted(team, channelOf(team, at), messageOf(team, at, ts), name, user, false)
    },
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
    async stopSession(id, channel, thread, user) {
      const streams = [...channelOf(teamOf(id), channel).messages.values()].filter((one) => one.streaming)
      const streaming_message_ts = streams.filter((one) => one.thread === thread).map((one) => one.ts)
      const stopped = { type: 'agent_session_stopped', channel, user, thread_ts: thread, event_ts: nextTs() }
      await emit(teamOf(id), { ...stopped, streaming_message_ts })
    },
    async invite(id, at, inviter) {
      const team = teamOf(id)
      const channel = channelOf(team, at)
      channel.members.add(team.bot.user)
      const joined = { user: team.bot.user, channel: at, channel_type: 'C', team: id, inviter, event_ts: nextTs() }
      await emit(team, { type: 'member_joined_channel', ...joined })
    },
    async share(id, at, to) {
      const { channels } = teamOf(id)
      channels.set(to, { ...channelOf(teamOf(id), at), id: to })
      channels.delete(at)
      const changed = { old_channel_id: at, new_channel_id: to, event_ts: nextTs() }
      await emit(teamOf(id), { type: 'channel_id_changed', ...changed })
    },
    async consent(id, installUrl) {
      const first = await fetch(installUrl, { redirect: 'manual' })
      const asked = new URL(first.headers.get('location') ?? '', installUrl)
      asked.searchParams.set('team', id)
      if (!asked.searchParams.has('redirect_uri')) {
        asked.searchParams.set('redirect_uri', new URL('/slack/oauth_redirect', installUrl).href)
      }
      const agreed = await fetch(asked, { redirect: 'manual' })
      const cookie = first.headers
        .getSetCookie()
        .map((one) => one.split(';', 1)[0])
        .join('; ')
      const last = await fetch(agreed.headers.get('location') ?? '', { headers: { cookie } })
      await last.text()
      return last.status
    },
    async uninstall(id) {
      const team = teamOf(id)
      team.installation = null
      await Promise.all([
        emit(team, { type: 'tokens_revoked', tokens: { oauth: [], bot: [team.bot.user] }, event_ts: nextTs() }),
        emit(team, { type: 'app_uninstalled', event_ts: nextTs() }),
      ])
    },
    async revoke(id) {
      const team = teamOf(id)
      team.installation = null
      await emit(team, { type: 'tokens_revoked', tokens: { oauth: [], bot: [team.bot.user] }, event_ts: nextTs() })
    },
    emit: (id, event) => emit(teamOf(id), event),
    shown: (id, channel) => shown(teamOf(id), channel),
    fault(fault) {
      if (fault.type === 'duplicate') delivery.duplicate = fault.copies
      else if (fault.type === 'reorder') delivery.hold(fault.count)
      else if (fault.type === 'disconnect') delivery.disconnect()
      else served.faults.push(fault)
    },
    refuse: (method, error) => void served.refusals.push({ method, error }),
    settled: () => delivery.settled(),
    traffic: () => counter.traffic(delivery.underway()),
    forget(keep) {
      served.calls.splice(0, served.calls.length - keep)
      delivery.answers.splice(0, delivery.answers.length - keep)
      dropOldest(triggers, keep)
      dropOldest(lateAnswers, keep)
      for (const team of teams.values()) forget(team, keep)
    },
    close: served.close,
  }
  return self
}
