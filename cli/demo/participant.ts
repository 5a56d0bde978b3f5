import type { Client, Said, Someone, Update } from '../../adapters/playground/protocol.ts'
import { PLATFORM } from '../../adapters/playground/said.ts'
import { degenerate } from '../../core/samples/degenerate.ts'
import { turnId } from '../../core/stream/turns.ts'
import type { Turn, WorkspaceRef } from '../../core/types.ts'
import { type Act, type Exchange, nextAct, type Persona } from './person.ts'

export interface ParticipantOptions {
  readonly persona: Persona
  readonly someone: Someone
  /** Replies after which they leave. */
  readonly replies: number
  /** Their connection to the playground. */
  readonly client: Client
  /** A reply as it was recorded; undefined while there is none. */
  readonly turn: (id: string) => Promise<Turn | undefined>
  /** Resolves when no event waits to be handled. */
  readonly idle: () => Promise<void>
  /** Hears of every exchange. */
  readonly on: (exchange: Exchange, said: string) => void
}

/** One simulated person at the playground: a client like any other. */
export class Participant {
  readonly persona: Persona
  readonly exchanges: Exchange[] = []
  /** When they last said what they think of a reply; null before that. */
  feedbackAt: number | null = null
  readonly #options: ParticipantOptions

  constructor(options: ParticipantOptions) {
    this.persona = options.persona
    this.#options = options
  }

  /** Goes on until a question would come next and `count` replies have come in, or until they leave. */
  async play(count: number): Promise<void> {
    const { replies } = this.#options
    const pause = this.exchanges.length + count
    for (let act = this.#next(replies); act.type !== 'leave'; act = this.#next(replies)) {
      if (act.type === 'react') await this.#react(act.emoji)
      else if (act.kind === 'question' && this.exchanges.length >= pause) return
      else await this.#say(act)
    }
  }

  get left(): boolean {
    return this.#next(this.#options.replies).type === 'leave'
  }

  #next(replies: number): Act {
    return nextAct(this.persona, this.exchanges, replies)
  }

  /** Says something and takes in the reply. Ids follow from who and when alone, so nothing is ever said twice. */
  async #say({ kind, question, conversation, text }: Extract<Act, { type: 'say' }>): Promise<void> {
    const { turn, on, client } = this.#options
    const id = this.#messageId(this.exchanges.length)
    const about = turnId({ ...this.#ref, id })
    const fresh = (await turn(about)) === undefined
    const answered = this.#answer(about)
    await client.tell({ ...this.#about(id, conversation), type: 'message', message: id, text })
    if (fresh && this.exchanges.length > 0) this.feedbackAt = Date.now()
    await answered
    const { text: reply = '', responseIds: ids = [], finish } = (await turn(about)) ?? {}
    const broken = degenerate(finish === 'stop' ? ids.slice(0, -1) : ids)
    const exchange: Exchange = { kind, question, conversation, reply, degenerate: broken, reaction: null }
    this.exchanges.push(exchange)
    on(exchange, text)
  }

  /** Resolves when the turn's reply can be read, or will not come. */
  #answer(turn: string): Promise<void> {
    const { client, turn: find, idle } = this.#options
    return new Promise((resolve, reject) => {
      const end = () => {
        stop()
        clearInterval(looking)
        resolve()
      }
      const stop = client.listen((update: Update) => {
        if ((update.type === 'reply' || update.type === 'failed') && update.turn === turn) end()
      })
      // Nobody hears again of a reply that an earlier run had finished.
      const look = async () => {
        if ((await find(turn)) === undefined) return
        await idle()
        end()
      }
      const looking = setInterval(() => void look().catch(reject), LOOK_MS)
    })
  }

  async #react(emoji: '+' | '-'): Promise<void> {
    const n = this.exchanges.length - 1
    const exchange = this.exchanges[n]!
    const id = this.#messageId(n)
    // The playground's message of a reply is its turn.
    const message = turnId({ ...this.#ref, id })
    await this.#options.client.tell({
      ...this.#about(`${id}-thumb`, exchange.conversation),
      type: 'reaction',
      message,
      emoji,
    })
    this.feedbackAt = Date.now()
    this.exchanges[n] = { ...exchange, reaction: emoji }
  }

  get #ref(): WorkspaceRef {
    return { platform: PLATFORM, workspace: this.#options.client.workspace }
  }

  #messageId(n: number): string {
    return `${this.#options.someone.id}-${this.persona.seed}-${n}`
  }

  #about(id: string, conversation: number): Pick<Said, 'id' | 'conversation' | 'person'> {
    const { someone } = this.#options
    return { id, conversation: `${someone.id}-${conversation}`, person: someone }
  }
}

const LOOK_MS = 2_000
