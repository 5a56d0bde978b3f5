import { createHash, randomUUID } from 'node:crypto'
import {
  InteractionResponseType as Answer,
  type APIChannel,
  type APIInteraction,
  MessageFlags,
  type RawFile,
  type REST,
  Routes,
} from 'discord.js'
import { hasCode } from '../../core/errors.ts'
import type { ConversationRef, Notice, Question } from '../../core/stream/outlet.ts'
import { limited } from '../limited.ts'
import { discordText, fitsDiscord } from '../markdown/discord.ts'
import { split } from '../markdown/split.ts'
import type { Markdown } from '../markdown/tree.ts'
import { type About, askButton, correctionForm } from './controls.ts'
import { asked } from './errors.ts'
import { directWorkspace } from './events.ts'
import { createKeeping, type Kept } from './kept.ts'
import { type DiscordVerbs, QUIET } from './verbs.ts'

/** What is said outside of replies: to commands, to one person, to everybody. */
export interface Answers {
  /** Tells Discord that an answer will come, for the person alone. The first thing that is done: it waits three seconds. */
  defer(interaction: APIInteraction): Promise<void>
  /** Tells Discord that nothing is to be shown. */
  note(interaction: APIInteraction): Promise<void>
  /** Says something to its person alone, at once. */
  tell(interaction: APIInteraction, text: string): Promise<void>
  /** What was pressed says this instead, and has no buttons any more. */
  replace(interaction: APIInteraction, text: string): Promise<void>
  /** Shows the form. */
  form(interaction: APIInteraction, about: About): Promise<void>
  /** Answers may go there for a quarter of an hour. */
  keep(kept: Kept): void
  notify(to: ConversationRef, notice: Notice): Promise<void>
  ask(to: ConversationRef, question: Question): Promise<void>
  sendFile(to: ConversationRef, person: string, file: { readonly name: string; readonly text: string }): Promise<void>
}

export interface AnswersOptions {
  readonly rest: REST
  readonly verbs: DiscordVerbs
  /** Known once the gateway has answered. */
  readonly application: () => string
  readonly now: () => number
  /** What waits for Discord fails. */
  readonly closing: AbortSignal
}

/** Direct conversations that need not be asked for again. */
const REMEMBERED = 1_000

const ELSEWHERE = 'My answer is for you alone, and you take no direct messages from me. Please ask with /claw.'

export function createAnswers({ rest, verbs, application, now, closing }: AnswersOptions): Answers {
  const keeping = createKeeping(now)
  const directs = new Map<string, string>()

  const callback = async ({ id, token }: APIInteraction, body: object): Promise<void> => {
    await asked(rest.post(Routes.interactionCallback(id, token), { body, auth: false }))
  }

  /** Lost, it is asked once more: what is sent under the same key is one message either way. */
  async function surely<Result>(ask: () => Promise<Result>): Promise<Result> {
    const patiently = () => limited(ask, undefined, closing)
    return patiently().catch((error: unknown) => {
      if (hasCode(error, 'PLATFORM_LOST')) return patiently()
      throw error
    })
  }

  /** The direct conversation with a person. */
  async function directOf(person: string): Promise<ConversationRef> {
    const open = () => asked<APIChannel>(rest.post(Routes.userChannels(), { body: { recipient_id: person } }))
    const id = directs.get(person) ?? (await surely(open)).id
    if (directs.size > REMEMBERED) directs.clear()
    directs.set(person, id)
    return { platform: 'discord', workspace: directWorkspace(person), conversation: id }
  }

  /** Answers an interaction, for its person alone: first in the place that was kept free for it. */
  async function answer(kept: Kept, body: object, files: RawFile[] = []): Promise<void> {
    const { token } = kept
    const shown = { allowed_mentions: QUIET, ...body }
    if (kept.deferred) {
      await asked(rest.patch(Routes.webhookMessage(application(), token), { body: shown, files, auth: false }))
    } else {
      const alone = { ...shown, flags: MessageFlags.Ephemeral }
      await asked(rest.post(Routes.webhook(application(), token), { body: alone, files, auth: false }))
    }
    kept.deferred = false
  }

  async function say(to: ConversationRef, text: string, of: string): Promise<void> {
    for (const [at, markdown] of partsOf(text).entries()) {
      await surely(() => verbs.send(to, { markdown, key: keyOf(of, at) }, null))
    }
  }

  /** Sends a person something that no reply and no notice has. */
  async function post(person: string, shown: object, of: string, files: RawFile[] = []): Promise<void> {
    const { conversation } = await directOf(person)
    const body = { ...shown, allowed_mentions: QUIET, nonce: keyOf(of, 0), enforce_nonce: true }
    await surely(() => asked(rest.post(Routes.channelMessages(conversation), { body, files })))
  }

  async function sayAlone(to: ConversationRef, person: string, text: string, of: string): Promise<void> {
    try {
      await say(to.workspace === directWorkspace(person) ? to : await directOf(person), text, of)
    } catch (error) {
      if (!hasCode(error, 'PLATFORM_REFUSED')) throw error
      await say(to, ELSEWHERE, `${of} elsewhere`)
    }
  }

  async function answerAll(kept: Kept, text: string): Promise<void> {
    for (const markdown of partsOf(text)) await answer(kept, { content: discordText(markdown) })
  }

  return {
    defer: (interaction) =>
      callback(interaction, {
        type: Answer.DeferredChannelMessageWithSource,
        data: { flags: MessageFlags.Ephemeral },
      }),
    note: (interaction) => callback(interaction, { type: Answer.DeferredMessageUpdate }),
    tell: (interaction, content) =>
      callback(interaction, {
        type: Answer.ChannelMessageWithSource,
        data: { content, allowed_mentions: QUIET, flags: MessageFlags.Ephemeral },
      }),
    async replace({ token }, content) {
      const body = { content, components: [], allowed_mentions: QUIET }
      await asked(rest.patch(Routes.webhookMessage(application(), token), { body, auth: false }))
    },
    form: (interaction, about) => callback(interaction, { type: Answer.Modal, data: correctionForm(about) }),
    keep: keeping.keep,
    async notify(to, { text, only, command }) {
      const of = command ?? randomUUID()
      const kept = command === undefined ? undefined : keeping.find({ event: command })
      if (kept === undefined) return only === undefined ? say(to, text, of) : sayAlone(to, only, text, of)
      if (only !== undefined || to.workspace.startsWith('dm:')) return answerAll(kept, text)
      try {
        await say(to, text, of)
      } catch (error) {
        if (!hasCode(error, 'PLATFORM_REFUSED')) throw error
        return answerAll(kept, text)
      }
      // It is said to everybody, so nothing is left to say to the one who asked.
      if (kept.deferred) await asked(rest.delete(Routes.webhookMessage(application(), kept.token), { auth: false }))
      kept.deferred = false
    },
    async ask(to, { person, message, text }) {
      const { workspace, conversation } = to
      const components = askButton({ workspace, conversation, message })
      const content = discordText(text)
      const kept = keeping.find({ person, message })
      if (kept !== undefined) return answer(kept, { content, components })
      const link = `https://discord.com/channels/${workspace.startsWith('dm:') ? '@me' : workspace}/${conversation}/${message}`
      const shown = { content: `${content}\n${link}`, components }
      await post(person, shown, `ask ${message} ${person}`)
    },
    async sendFile(to, person, { name, text }) {
      const files = [{ name, data: Buffer.from(text), contentType: 'application/json' }]
      const kept = keeping.find({ person, conversation: to.conversation, message: null })
      if (kept !== undefined) return answer(kept, {}, files)
      try {
        await post(person, {}, randomUUID(), files)
      } catch (error) {
        // Who takes no direct messages is told so by the answer that follows.
        if (!hasCode(error, 'PLATFORM_REFUSED')) throw error
      }
    },
  }
}

/** Text in columns keeps them only where every character is as wide as the other. */
const COLUMNS = /\S {2,}\S/

function partsOf(text: string): readonly Markdown[] {
  return split(COLUMNS.test(text) ? `\`\`\`\n${text}\n\`\`\`` : text, fitsDiscord)
}

const keyOf = (of: string, part: number): string =>
  createHash('sha256').update(`${of} ${part}`).digest('base64url').slice(0, 24)
