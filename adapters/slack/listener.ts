import type { App, Context } from '@slack/bolt'
import type { Event } from '../../core/types.ts'
import {
  ASK,
  type BlockActions,
  buttonEvent,
  CORRECTION,
  commandEvent,
  correctionEvent,
  readSubject,
  type SlashCommand,
  THUMBS,
  type ViewSubmission,
} from './actions.ts'
import { eventOf, leftAlone, type SlackEnvelope, workspaceOf } from './events.ts'
import type { Notices } from './notices.ts'
import type { Left } from './tenants.ts'

export interface Listener {
  readonly now: () => number
  readonly notices: Notices
  /** Resolves when the event is durable: only then is it acknowledged. */
  readonly deliver: (event: Event) => Promise<void>
  readonly left: (event: Event, of: Left) => Promise<void>
  /** A person has stopped the reply that is written in a thread. */
  readonly stop: (workspace: string, channel: string, thread: string) => void
  readonly report: (error: unknown) => void
}

interface Envelope extends SlackEnvelope {
  readonly enterprise_id?: string | null
  readonly authorizations?: readonly {
    readonly team_id?: string | null
    readonly enterprise_id?: string | null
    readonly is_enterprise_install?: boolean
  }[]
}

/** Has Bolt tell of everything that the bot takes. Bolt acknowledges when these are through. */
export function listenTo(app: App, { now, notices, deliver, left, stop, report }: Listener): void {
  app.event(/.*/, async ({ body, context }) => {
    const envelope = body as unknown as Envelope
    const { type, channel, thread_ts: thread } = envelope.event
    if (type === 'agent_session_stopped' && channel !== undefined && thread !== undefined) {
      return stop(workspaceOf(envelope), channel, thread)
    }
    if (type === 'team_access_revoked') {
      for (const event of leftAlone(envelope)) {
        await left(event, { workspace: event.workspace, organisation: null, alone: true, at: event.at })
      }
      return
    }
    const event = eventOf(envelope, selfOf(context))
    if (event === null) return
    if (event.type === 'left') await left(event, leftOf(event, envelope))
    else await deliver(event)
  })

  app.command(/^\/claw/, async ({ command, ack }) => {
    const event = commandEvent(command as SlashCommand, now())
    notices.remember(event.id, command.response_url)
    await deliver(event)
    await ack()
  })
  // Slack shows an error of its own where a command is not answered.
  app.command(/^\/(?!claw)/, async ({ command, ack }) => {
    await ack({ response_type: 'ephemeral', text: `I do not know ${command.command}. Try /claw help.` })
  })

  app.action(THUMBS, async ({ body, ack }) => {
    const event = buttonEvent(body as unknown as BlockActions)
    if (event !== null) await deliver(event)
    await ack()
  })
  app.action(ASK, async ({ body, ack }) => {
    const { actions, trigger_id: trigger, response_url: questionAt } = body as unknown as BlockActions
    const subject = readSubject(actions[0]?.value)
    await ack()
    if (subject === null || trigger === undefined) return
    await notices.openForm(trigger, { ...subject, ...(questionAt === undefined ? {} : { questionAt }) })
  })
  app.view(CORRECTION, async ({ body, ack }) => {
    const sent = body as unknown as ViewSubmission
    const event = correctionEvent(sent, now())
    if (event !== null) await deliver(event)
    await ack()
    // It waits for nothing more: Slack gives three seconds for a form.
    const subject = event && readSubject(sent.view.private_metadata)
    if (subject !== null) notices.closeQuestion(subject).catch(report)
  })
}

function selfOf({ botUserId = '', botId = '' }: Context) {
  return { user: botUserId, bot: botId }
}

function leftOf({ workspace, at }: Event, { authorizations, enterprise_id: enterprise }: Envelope): Left {
  const [authorization] = authorizations ?? []
  const whole = authorization?.is_enterprise_install === true
  return { workspace, organisation: whole ? (authorization.enterprise_id ?? enterprise ?? null) : null, at }
}
