import { Refusal } from './checks.ts'
import type { Answer, Delivery } from './delivery.ts'
import { APP, type FakeChannel, type FakeMessage, type FakeTeam, type Fields, newId, nextTs, shape } from './world.ts'

/** What the app is told of what happens. Each resolves when it is delivered or given up. */
export interface Effects {
  emit(team: FakeTeam, event: Fields): Promise<Answer | null>
  posted(team: FakeTeam, channel: FakeChannel, message: FakeMessage): Promise<void>
  changed(team: FakeTeam, channel: FakeChannel, message: FakeMessage, before: Fields): Promise<unknown>
  deleted(team: FakeTeam, channel: FakeChannel, message: FakeMessage): Promise<unknown>
  /** Throws at once where somebody has reacted so already, or has not. */
  reacted(
    team: FakeTeam,
    channel: FakeChannel,
    to: FakeMessage,
    name: string,
    user: string,
    added: boolean,
  ): Promise<unknown>
}

/** Messages that somebody has said. */
const SAID: readonly (string | null)[] = [null, 'file_share', 'thread_broadcast', 'me_message']

/** `mentionFirst`: whether app_mention comes before the message that it is about. */
export function createEffects(delivery: Delivery, mentionFirst: () => boolean): Effects {
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

  const hidden = (team: FakeTeam, channel: FakeChannel, fields: Fields) =>
    emit(team, { type: 'message', hidden: true, channel: channel.id, channel_type: channel.type, ...fields })

  return {
    emit,
    async posted(team, channel, message) {
      if (!channel.members.has(team.bot.user)) return
      const said = { ...shape(message, team), channel: channel.id, event_ts: message.ts }
      const asMessage = { ...said, channel_type: channel.type }
      const addresses = channel.type !== 'im' && channel.type !== 'mpim' && SAID.includes(message.subtype)
      const mentions = addresses && message.text.includes(`<@${team.bot.user}>`)
      const { subtype, ...plain } = said as Fields
      const both = mentions ? [asMessage, { ...plain, type: 'app_mention' }] : [asMessage]
      if (mentions && mentionFirst()) both.reverse()
      await Promise.all(both.map((event) => emit(team, event)))
    },
    changed(team, channel, message, before) {
      const ts = nextTs()
      const now = shape(message, team)
      return hidden(team, channel, {
        subtype: 'message_changed',
        message: now,
        previous_message: before,
        ts,
        event_ts: ts,
      })
    },
    deleted(team, channel, message) {
      const ts = nextTs()
      const gone = { deleted_ts: message.ts, previous_message: shape(message, team) }
      return hidden(team, channel, { subtype: 'message_deleted', ...gone, ts, event_ts: ts })
    },
    reacted(team, channel, to, name, user, added) {
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
    },
  }
}
