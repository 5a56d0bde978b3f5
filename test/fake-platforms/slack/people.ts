import type { Effects } from './effects.ts'
import { channelOf, type FakeTeam, messageOf, nextTs, OTHER_BOT, post, shape } from './world.ts'

export interface SayOptions {
  /** The root that it is said under. */
  readonly thread?: string
  readonly mention?: boolean
  readonly files?: readonly string[]
  readonly subtype?: string
  readonly ts?: string
}

/** What people do, in Slack's own ids. Whatever is not there throws. */
export interface People {
  /** Resolves to the message's ts, once it is delivered or given up. */
  say(team: string, channel: string, user: string, text: string, options?: SayOptions): Promise<string>
  edit(team: string, channel: string, user: string, ts: string, text: string): Promise<void>
  /** A message_changed that is no edit: a link was unfurled, a thread has grown. */
  touch(team: string, channel: string, ts: string): Promise<void>
  remove(team: string, channel: string, ts: string): Promise<void>
  react(team: string, channel: string, user: string, ts: string, name: string): Promise<void>
  unreact(team: string, channel: string, user: string, ts: string, name: string): Promise<void>
  stopSession(team: string, channel: string, thread: string, user: string): Promise<void>
  /** The app is let into a channel. */
  invite(team: string, channel: string, inviter: string): Promise<void>
  /** A private channel is shared with another organisation, and has another id from now on. */
  share(team: string, channel: string, id: string): Promise<void>
  /** Goes through the pages that a person goes through to install the app; resolves to the last page's status. */
  consent(team: string, installUrl: string): Promise<number>
  uninstall(team: string): Promise<void>
  revoke(team: string): Promise<void>
}

export function createPeople(teamOf: (id: string) => FakeTeam, effects: Effects): People {
  return {
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
      await effects.posted(team, channel, message)
      return message.ts
    },
    async edit(id, at, user, ts, text) {
      const team = teamOf(id)
      const message = messageOf(team, at, ts)
      const before = shape(message, team)
      Object.assign(message, { text, edited: { user, ts: nextTs() } })
      await effects.changed(team, channelOf(team, at), message, before)
    },
    async touch(id, at, ts) {
      const team = teamOf(id)
      const message = messageOf(team, at, ts)
      await effects.changed(team, channelOf(team, at), message, shape(message, team))
    },
    async remove(id, at, ts) {
      const team = teamOf(id)
      const message = messageOf(team, at, ts)
      channelOf(team, at).messages.delete(ts)
      await effects.deleted(team, channelOf(team, at), message)
    },
    async react(id, at, user, ts, name) {
      const team = teamOf(id)
      await effects.reacted(team, channelOf(team, at), messageOf(team, at, ts), name, user, true)
    },
    async unreact(id, at, user, ts, name) {
      const team = teamOf(id)
      await effects.reacted(team, channelOf(team, at), messageOf(team, at, ts), name, user, false)
    },
    async stopSession(id, channel, thread, user) {
      const streams = [...channelOf(teamOf(id), channel).messages.values()].filter((one) => one.streaming)
      const streaming_message_ts = streams.filter((one) => one.thread === thread).map((one) => one.ts)
      const stopped = { type: 'agent_session_stopped', channel, user, thread_ts: thread, event_ts: nextTs() }
      await effects.emit(teamOf(id), { ...stopped, streaming_message_ts })
    },
    async invite(id, at, inviter) {
      const team = teamOf(id)
      const channel = channelOf(team, at)
      channel.members.add(team.bot.user)
      const joined = { user: team.bot.user, channel: at, channel_type: 'C', team: id, inviter, event_ts: nextTs() }
      await effects.emit(team, { type: 'member_joined_channel', ...joined })
    },
    async share(id, at, to) {
      const { channels } = teamOf(id)
      channels.set(to, { ...channelOf(teamOf(id), at), id: to })
      channels.delete(at)
      const changed = { old_channel_id: at, new_channel_id: to, event_ts: nextTs() }
      await effects.emit(teamOf(id), { type: 'channel_id_changed', ...changed })
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
        effects.emit(team, { type: 'tokens_revoked', tokens: { oauth: [], bot: [team.bot.user] }, event_ts: nextTs() }),
        effects.emit(team, { type: 'app_uninstalled', event_ts: nextTs() }),
      ])
    },
    async revoke(id) {
      const team = teamOf(id)
      team.installation = null
      await effects.emit(team, {
        type: 'tokens_revoked',
        tokens: { oauth: [], bot: [team.bot.user] },
        event_ts: nextTs(),
      })
    },
  }
}
