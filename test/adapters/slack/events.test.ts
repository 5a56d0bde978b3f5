import { describe, expect, test } from 'vitest'
import { buttonEvent, commandEvent, correctionEvent } from '../../../adapters/slack/actions.ts'
import { eventOf, type SlackEnvelope } from '../../../adapters/slack/events.ts'
import { mentions, readText } from '../../../adapters/slack/text.ts'

const SELF = { user: 'UCLAW', bot: 'BCLAW' }
const TS = '1767272400.000100'
const AT = 1_767_272_400_000

/** The envelope of the Events API, as documented. */
const envelope = (event: object, about: object = {}): SlackEnvelope => ({
  event_id: 'Ev01',
  team_id: 'T1',
  context_team_id: 'T1',
  event_time: 1_767_272_400,
  authorizations: [{ team_id: 'T1' }],
  event,
  ...about,
})

const said = {
  type: 'message',
  channel: 'C1',
  channel_type: 'channel',
  user: 'UANN',
  text: 'hello',
  ts: TS,
  event_ts: TS,
}
const meaning = (event: object, about?: object) => eventOf(envelope(event, about), SELF)

describe('what an event means', () => {
  test('a message in a channel opens a thread and is overheard', () => {
    expect(meaning(said)).toEqual({
      platform: 'slack',
      workspace: 'T1',
      id: `message:C1:${TS}`,
      conversation: `C1:${TS}`,
      channel: 'C1',
      person: { id: 'UANN', kind: 'human' },
      at: AT,
      overheard: true,
      type: 'message',
      message: `C1:${TS}`,
      text: 'hello',
    })
  })

  test.each<[what: string, event: object, means: object | null]>([
    ['a mention addresses', { ...said, text: '<@UCLAW> hello' }, { text: 'hello', overheard: undefined }],
    [
      'app_mention is the same message',
      { ...said, type: 'app_mention', text: '<@UCLAW> hello' },
      { id: `message:C1:${TS}`, overheard: undefined },
    ],
    [
      'app_mention without ts',
      { type: 'app_mention', channel: 'C1', user: 'UANN', text: '<@UCLAW> hello', event_ts: TS },
      { id: `message:C1:${TS}` },
    ],
    ['app_mention in a direct message is said twice', { ...said, type: 'app_mention', channel: 'D1' }, null],
    [
      'a direct message',
      { ...said, channel: 'D1', channel_type: 'im' },
      { conversation: 'D1', channel: undefined, overheard: undefined },
    ],
    [
      'a thread of a direct message',
      { ...said, channel: 'D1', thread_ts: '1.1' },
      { conversation: 'D1:1.1', replyTo: 'D1:1.1' },
    ],
    [
      'a root that says it is one',
      { ...said, channel: 'D1', thread_ts: TS },
      { conversation: 'D1', replyTo: undefined },
    ],
    ['a group of several people', { ...said, channel: 'G1', channel_type: 'mpim' }, { channel: 'G1', overheard: true }],
    [
      'a reply in a thread goes by its root',
      { ...said, thread_ts: '1.1', parent_user_id: 'UBEN' },
      { conversation: 'C1:1.1', overheard: true },
    ],
    [
      'a reply to the bot addresses it',
      { ...said, thread_ts: '1.1', parent_user_id: 'UCLAW' },
      { overheard: undefined },
    ],
    ['a mention and a command', { ...said, text: '<@UCLAW> status' }, { type: 'command', text: 'status' }],
    ['a mention alone asks for help', { ...said, text: '<@UCLAW>' }, { type: 'command', text: '' }],
    [
      'words that begin like a command',
      { ...said, text: '<@UCLAW> help me write' },
      { type: 'message', text: 'help me write' },
    ],
    ['its own message', { ...said, user: 'UCLAW', bot_id: 'BCLAW' }, { person: { id: 'UCLAW', kind: 'self' } }],
    ['another bot', { ...said, user: 'UROBO', bot_id: 'BROBO' }, { person: { id: 'UROBO', kind: 'bot' } }],
    [
      'an old bot without a user',
      { ...said, user: undefined, subtype: 'bot_message', bot_id: 'BOLD' },
      { person: { id: 'BOLD', kind: 'bot' } },
    ],
    ['nothing said', { ...said, text: '' }, null],
    ['something of no interest', { type: 'app_home_opened', user: 'UANN', channel: 'D1' }, null],
    [
      'a file',
      { ...said, subtype: 'file_share', text: '', files: [{ name: 'plan.pdf' }] },
      { type: 'message', unread: ['plan.pdf'] },
    ],
    [
      'a thread message shown in the channel too',
      { ...said, subtype: 'thread_broadcast', thread_ts: '1.1' },
      { type: 'message' },
    ],
    ['/me', { ...said, subtype: 'me_message' }, { type: 'message' }],
  ])('%s', (_what, event, means) => {
    const event_ = meaning(event)
    if (means === null) expect(event_).toBeNull()
    else
      expect({ ...event_ }).toMatchObject(
        Object.fromEntries(Object.entries(means).filter(([, value]) => value !== undefined)),
      )
    for (const [name, value] of Object.entries(means ?? {}))
      if (value === undefined) expect(event_).not.toHaveProperty(name)
  })

  test.each([
    'channel_join',
    'channel_topic',
    'group_leave',
    'pinned_item',
    'huddle_thread',
    'bot_add',
    'reminder_add',
  ])('housekeeping says nothing: %s', (subtype) => expect(meaning({ ...said, subtype })).toBeNull())

  const before = { type: 'message', user: 'UANN', text: 'hello', ts: TS }
  const changed = {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    channel: 'C1',
    ts: '2.2',
    event_ts: '2.2',
  }

  test.each<[what: string, event: object, means: object | null]>([
    [
      'a new wording',
      {
        ...changed,
        message: { ...before, text: 'goodbye', edited: { user: 'UANN', ts: '1767272401.0' } },
        previous_message: before,
      },
      { type: 'edit', text: 'goodbye', message: `C1:${TS}`, id: 'Ev01', at: AT + 1_000 },
    ],
    ['a link was unfolded', { ...changed, message: { ...before, attachments: [{}] }, previous_message: before }, null],
    [
      'unfolded after an edit',
      {
        ...changed,
        message: { ...before, edited: { ts: '2.0' } },
        previous_message: { ...before, edited: { ts: '2.0' } },
      },
      null,
    ],
    ['a thread has grown', { ...changed, message: { ...before, reply_count: 3 }, previous_message: before }, null],
    [
      'the bot wrote on',
      { ...changed, message: { ...before, user: 'UCLAW', bot_id: 'BCLAW', text: 'more' }, previous_message: before },
      null,
    ],
    [
      'another bot wrote on',
      { ...changed, message: { ...before, bot_id: 'BROBO', text: 'more' }, previous_message: before },
      null,
    ],
    [
      'without what was before',
      { ...changed, message: { ...before, edited: { user: 'UANN', ts: '2.0' } } },
      { type: 'edit' },
    ],
    [
      'a root that is deleted stays as a stone',
      { ...changed, message: { ...before, subtype: 'tombstone' }, previous_message: before },
      { type: 'deletion', message: `C1:${TS}` },
    ],
    [
      'a deletion',
      { ...changed, subtype: 'message_deleted', deleted_ts: TS, previous_message: before },
      { type: 'deletion', message: `C1:${TS}`, person: { id: 'UANN' } },
    ],
    [
      'the bot deletes its own',
      { ...changed, subtype: 'message_deleted', deleted_ts: TS, previous_message: { ...before, user: 'UCLAW' } },
      null,
    ],
  ])('%s', (_what, event, means) => {
    if (means === null) expect(meaning(event)).toBeNull()
    else expect(meaning(event)).toMatchObject(means)
  })

  const reaction = {
    type: 'reaction_added',
    user: 'UANN',
    reaction: '+1::skin-tone-3',
    item: { type: 'message', channel: 'C1', ts: TS },
    item_user: 'UCLAW',
    event_ts: '3.3',
  }

  test.each<[what: string, event: object, means: object | null]>([
    ['a reaction', reaction, { type: 'reaction', emoji: '+1::skin-tone-3', message: `C1:${TS}`, id: 'Ev01' }],
    ['a reaction taken back', { ...reaction, type: 'reaction_removed' }, { type: 'reaction_removed' }],
    ['a reaction to somebody else', { ...reaction, item_user: 'UBEN' }, { overheard: true }],
    ['a reaction where nobody says to whom', { ...reaction, item_user: undefined }, { overheard: true }],
    [
      'a reaction in a direct message',
      { ...reaction, item_user: undefined, item: { type: 'message', channel: 'D1', ts: TS } },
      { conversation: 'D1' },
    ],
    ['a reaction to a file', { ...reaction, item: { type: 'file' } }, null],
    ['its own reaction', { ...reaction, user: 'UCLAW' }, null],
    [
      'let into a channel',
      { type: 'member_joined_channel', user: 'UCLAW', channel: 'C1', inviter: 'UANN', event_ts: TS },
      { type: 'joined', channel: 'C1', person: { id: 'UANN' } },
    ],
    ['somebody else is let in', { type: 'member_joined_channel', user: 'UBEN', channel: 'C1', event_ts: TS }, null],
    [
      'a channel is shared, and has another id',
      { type: 'channel_id_changed', old_channel_id: 'G1', new_channel_id: 'C1', event_ts: TS },
      { type: 'moved', workspace: 'T1', from: 'G1', to: 'C1', conversation: 'G1' },
    ],
    ['uninstalled', { type: 'app_uninstalled' }, { type: 'left', workspace: 'T1' }],
    ['its token is revoked', { type: 'tokens_revoked', tokens: { bot: ['UCLAW'], oauth: [] } }, { type: 'left' }],
    ['a person’s token is revoked', { type: 'tokens_revoked', tokens: { oauth: ['UANN'] } }, null],
  ])('%s', (_what, event, means) => {
    if (means === null) expect(meaning(event)).toBeNull()
    else expect(meaning(event)).toMatchObject(means)
  })

  test('the workspace is the one that installed the app, also for a message of another organisation', () => {
    const stranger = { team_id: 'TPARTNER', authorizations: [{ team_id: 'T1' }] }
    expect(meaning({ ...said, team: 'TPARTNER' }, stranger)).toMatchObject({
      workspace: 'T1',
      person: { kind: 'human' },
    })
    expect(meaning(said, { authorizations: [{ team_id: null }] })).toMatchObject({ workspace: 'T1' })
  })
})

describe('texts', () => {
  test.each([
    ['<@UCLAW> hello', 'hello'],
    ['<@UCLAW|claw>: hello', 'hello'],
    ['hello <@UCLAW> there', 'hello there'],
    ['ask <@UBEN> in <#C2|general>', 'ask @UBEN in #general'],
    ['1 &lt; 2 &amp;&amp; 3 &gt; 2', '1 < 2 && 3 > 2'],
    ['&amp;lt; stays', '&lt; stays'],
    ['see <https://example.com/a|the page>', 'see the page (https://example.com/a)'],
    ['see <https://example.com>', 'see https://example.com'],
    ['<mailto:a@example.com|a@example.com>', 'a@example.com'],
    ['<!here> and <!subteam^S1|@team>', '@here and @team'],
  ])('%s', (raw, text) => expect(readText(raw, 'UCLAW')).toBe(text))

  test('only the bot’s own mention addresses it', () => {
    expect(mentions('hello <@UCLAW>', 'UCLAW')).toBe(true)
    expect(mentions('hello <@UCLAWS>', 'UCLAW')).toBe(false)
    expect(mentions('hello &lt;@UCLAW&gt;', 'UCLAW')).toBe(false)
  })
})

describe('what people press and send', () => {
  const pressed = {
    team: { id: 'T1' },
    user: { id: 'UANN', name: 'ann' },
    channel: { id: 'C1' },
    container: { message_ts: TS, channel_id: 'C1', thread_ts: '1.1' },
    actions: [{ action_id: 'claw_thumbs', value: 'down', action_ts: '4.4' }],
  }

  test('a thumb', () => {
    expect(buttonEvent(pressed)).toMatchObject({
      id: `button:C1:${TS}:UANN:4.4`,
      workspace: 'T1',
      conversation: 'C1:1.1',
      type: 'button',
      value: 'down',
      message: `C1:${TS}`,
    })
    expect(buttonEvent({ ...pressed, actions: [{ action_id: 'other' }] })).toBeNull()
  })

  test('a command', () => {
    const command = {
      command: '/claw',
      text: 'why',
      team_id: 'T1',
      channel_id: 'C1',
      user_id: 'UANN',
      user_name: 'ann',
      trigger_id: 't.1',
      response_url: '',
    }
    expect(commandEvent(command, AT)).toMatchObject({ id: 'command:t.1', type: 'command', text: 'why', channel: 'C1' })
  })

  test('a form', () => {
    const subject = { workspace: 'T1', conversation: 'C1:1.1', message: `C1:${TS}` }
    const view = (value: string) => ({
      id: 'V1',
      private_metadata: JSON.stringify(subject),
      state: { values: { words: { words: { value } } } },
    })
    const sent = correctionEvent({ user: { id: 'UANN' }, view: view(' shorter ') }, AT)
    expect(sent).toMatchObject({ ...subject, id: 'view:V1', type: 'correction', text: 'shorter', channel: 'C1' })
    expect(correctionEvent({ user: { id: 'UANN' }, view: view(' ') }, AT)).toBeNull()
    expect(correctionEvent({ user: { id: 'UANN' }, view: { ...view('x'), private_metadata: 'broken' } }, AT)).toBeNull()
  })
})
