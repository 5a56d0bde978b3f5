import type { Client, Said, Update } from '../protocol.ts'
import { byId, clock, el, freshId } from './dom.ts'
import { type Actions, MessageItem, type Shown } from './message.ts'
import type { People } from './people.ts'

/** Where the chat is: a conversation, or the thread that hangs on one of its messages. */
export interface Spot {
  readonly conversation: string
  /** The message whose thread is open. */
  readonly thread: string | null
}

export const threadOf = (message: string): string => `thread-${message}`

const THUMBS = new Set(['👍', '👎'])

/** The messages of one conversation, as they are and as they come. */
export class Chat {
  readonly #client: Client
  readonly #people: People
  readonly #spot: Spot
  readonly #items = new Map<string, MessageItem>()
  readonly #list = byId('messages')
  readonly #scroller = byId('scroller')
  readonly #welcome = byId('welcome')
  readonly #actions: Actions
  /** Updates that arrived while the history was being read; null once it stands. */
  #early: Update[] | null = []
  /** Another chat has the screen. */
  #left = false
  /** The message that the thread hangs on. */
  #root: Shown | undefined

  constructor(
    client: Client,
    people: People,
    spot: Spot,
    actions: Pick<Actions, 'thread'>,
    say: (text: string) => void,
  ) {
    this.#client = client
    this.#people = people
    this.#spot = spot
    const tell = (said: Body) => {
      client.tell(this.#said(said)).catch((error: Error) => say(error.message))
    }
    this.#actions = {
      ...actions,
      react: (message, emoji, on) => {
        for (const before of on ? this.#thumbs(message, emoji) : []) {
          tell({ type: 'reaction_removed', message, emoji: before })
        }
        tell({ type: on ? 'reaction' : 'reaction_removed', message, emoji })
      },
      edit: (message, text) => tell({ type: 'edit', message, text }),
      remove: (message) => {
        tell({ type: 'deletion', message })
        byId('composer-text').focus()
      },
    }
  }

  /** The conversation that this chat speaks in. */
  get conversation(): string {
    return this.#spot.thread === null ? this.#spot.conversation : threadOf(this.#spot.thread)
  }

  /** Reads what is there. Throws where the server cannot be asked. Of several readings the last one is shown. */
  async load(): Promise<void> {
    const early = [...(this.#early ?? [])]
    this.#early = early
    const { thread } = this.#spot
    const around = thread === null ? null : await this.#client.history(this.#spot.conversation)
    const { messages } = await this.#client.history(this.conversation)
    if (this.#left || this.#early !== early) return
    this.#items.clear()
    this.#list.replaceChildren()
    this.#root = around?.messages.filter(({ message }) => message === thread).map(shownOf)[0]
    if (this.#root !== undefined) this.#add({ ...this.#root, thread: 0 })
    if (thread !== null) this.#list.append(el('p', { class: 'rule' }, 'Thread'))
    for (const message of messages) this.#add(shownOf(message))
    this.#early = null
    for (const update of early) this.hear(update)
    this.#settle(true)
  }

  /** Leaves the screen to another chat, whatever is still being read. */
  leave(): void {
    this.#left = true
  }

  /** Says something as the current person. Resolves when it is durable. */
  async say(text: string): Promise<void> {
    if (/^\/claw(?:\s|$)/.test(text)) {
      this.#line(el('p', { class: 'asked' }, text))
      return this.#client.tell(this.#said({ type: 'command', text }))
    }
    const { thread } = this.#spot
    // A thread begins as an answer to its message; from then on it is a conversation of its own.
    const first = thread !== null && this.#items.size <= 1
    const replyTo = first ? { replyTo: thread } : {}
    await this.#client.tell(this.#said({ type: 'message', message: freshId(), text, ...replyTo }))
  }

  hear(update: Update): void {
    if (this.#early !== null) {
      this.#early.push(update)
      return
    }
    const near = this.#scroller.scrollHeight - this.#scroller.scrollTop - this.#scroller.clientHeight < 120
    this.#take(update)
    this.#settle(near)
  }

  /** Somebody else talks now: whose messages can be changed is another question. */
  refresh(): void {
    for (const item of this.#items.values()) item.renderFoot()
  }

  /** Opens the current person's last message for editing. */
  editLast(): void {
    const own = [...this.#items.values()].filter(({ shown }) => shown.person === this.#people.current.id)
    own.at(-1)?.edit()
  }

  #take(update: Update): void {
    const here = 'conversation' in update && update.conversation === this.conversation
    switch (update.type) {
      case 'message': {
        this.#people.meet([update.person])
        const { message, text, at, person } = update
        if (here && !this.#items.has(message)) this.#add(fresh(message, 'user', person.id, text, at))
        if (!here) this.#count(update.conversation, 1)
        break
      }
      case 'edit':
        this.#change(update.message, (shown) => {
          shown.text = update.text
          shown.edited = true
        })
        break
      case 'deletion':
        this.#items.get(update.message)?.element.remove()
        this.#items.delete(update.message)
        if (!here) this.#count(update.conversation, -1)
        break
      case 'reaction':
        this.#people.meet([update.person])
        this.#react(update)
        break
      case 'writing':
        if (here) this.#write(update.turn, update.from, update.text, true)
        break
      case 'reply':
        if (here) this.#write(update.turn, 0, update.text, false)
        else this.#count(update.conversation, 1)
        break
      case 'failed':
        if (here) {
          this.#items.get(update.turn)?.element.remove()
          this.#items.delete(update.turn)
          this.#notice(update.text)
        }
        break
      case 'notice':
        if (here && this.#mine(update.only)) this.#notice(update.text, update.only !== null)
        break
      case 'learning':
      case 'reset':
        break
    }
  }

  /** A reply that grows, or one that is whole: then which version wrote it is asked for. */
  #write(turn: string, from: number, text: string, writing: boolean): void {
    const item = this.#items.get(turn) ?? this.#add(fresh(turn, 'assistant', null, '', Date.now()))
    item.shown.text = item.shown.text.slice(0, from) + text
    item.shown.writing = writing
    item.render()
    if (writing) return
    this.#client.turn(turn).then(
      (view) => {
        item.shown.version = view?.version ?? null
        item.render()
      },
      () => {},
    )
  }

  #react({ message, emoji, person, on }: Extract<Update, { type: 'reaction' }>): void {
    const item = this.#items.get(message)
    if (item === undefined) return
    const others = item.shown.reactions.filter((given) => given.emoji !== emoji || given.person !== person.id)
    item.shown.reactions = on ? [...others, { emoji, person: person.id }] : others
    item.renderFoot()
  }

  #thumbs(message: string, emoji: string): string[] {
    const given = this.#items.get(message)?.shown.reactions ?? []
    const own = given.filter(({ person }) => person === this.#people.current.id).map((reaction) => reaction.emoji)
    return THUMBS.has(emoji) ? own.filter((before) => THUMBS.has(before) && before !== emoji) : []
  }

  #count(conversation: string, by: number): void {
    const item = [...this.#items.values()].find(({ shown }) => threadOf(shown.message) === conversation)
    if (item === undefined) return
    item.shown.thread = Math.max(0, item.shown.thread + by)
    item.renderFoot()
  }

  #change(message: string, change: (shown: Shown) => void): void {
    const item = this.#items.get(message)
    if (item === undefined) return
    change(item.shown)
    item.render()
  }

  #add(shown: Shown): MessageItem {
    const item = new MessageItem(shown, this.#people, this.#actions)
    this.#items.set(shown.message, item)
    this.#list.append(item.element)
    return item
  }

  #mine(only: string | null): boolean {
    return only === null || only === this.#people.current.id
  }

  #notice(text: string, alone = false): void {
    const lines = text.trim().split('\n')
    const line =
      lines.length > 1 ? el('pre', { class: 'answer' }, ...lines.map(hanging)) : el('p', { class: 'notice' }, text)
    if (lines.length > 1) line.tabIndex = 0
    if (alone) line.append(el('small', {}, `Shown only to ${this.#people.current.name}`))
    this.#line(line)
  }

  #line(line: HTMLElement): void {
    line.title = clock(Date.now())
    this.#list.append(line)
    this.#settle(true)
  }

  #settle(scroll: boolean): void {
    this.#welcome.hidden = this.#list.childElementCount > 0
    if (scroll) this.#scroller.scrollTop = this.#scroller.scrollHeight
  }

  #said(body: Body): Said {
    return { id: freshId(), conversation: this.conversation, person: this.#people.current, ...body }
  }
}

/** A line of an answer, which goes on below its second column where it has one. */
function hanging(text: string): HTMLElement {
  const line = el('span', {}, `${text}\n`)
  const [columns = ''] = /^\s*\S.*? {2,}(?=\S)/.exec(text) ?? []
  line.style.setProperty('--hang', `${columns.length}ch`)
  return line
}

type Body = Said extends infer Each ? (Each extends Said ? Omit<Each, 'id' | 'conversation' | 'person'> : never) : never

function fresh(message: string, role: Shown['role'], person: string | null, text: string, at: number): Shown {
  const writing = role === 'assistant'
  return { message, role, person, text, at, edited: false, version: null, reactions: [], thread: 0, writing }
}

function shownOf(message: Awaited<ReturnType<Client['history']>>['messages'][number]): Shown {
  return { ...message, reactions: [...message.reactions], writing: false }
}
