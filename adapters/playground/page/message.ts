import { clock, el, plural } from './dom.ts'
import { markdown } from './markdown.ts'
import { hue, type People } from './people.ts'

/** A message as the page knows it. */
export interface Shown {
  readonly message: string
  readonly role: 'user' | 'assistant'
  readonly person: string | null
  text: string
  readonly at: number
  edited: boolean
  version: number | null
  reactions: { readonly emoji: string; readonly person: string }[]
  /** Messages in its thread. */
  thread: number
  /** It still grows. */
  writing: boolean
}

export interface Actions {
  react(message: string, emoji: string, on: boolean): void
  /** Null within a thread: threads have none of their own. */
  readonly thread: ((message: string) => void) | null
  edit(message: string, text: string): void
  remove(message: string): void
}

const THUMBS = ['👍', '👎']
const MORE = ['❤️', '🎉', '🔥', '😂', '🤔', '😕']
const NAMES: Readonly<Record<string, string>> = {
  '👍': 'Thumb up',
  '👎': 'Thumb down',
  '❤️': 'Heart',
  '🎉': 'Party',
  '🔥': 'Fire',
  '😂': 'Laughing',
  '🤔': 'Thinking',
  '😕': 'Confused',
}

export class MessageItem {
  readonly element: HTMLElement
  readonly shown: Shown
  readonly #body = el('div', { class: 'body' })
  readonly #foot = el('div', { class: 'foot' })
  readonly #version = el('span', { class: 'version' })
  readonly #edited = el('span', { class: 'edited' })
  readonly #people: People
  readonly #actions: Actions
  #more = false

  constructor(shown: Shown, people: People, actions: Actions) {
    this.shown = shown
    this.#people = people
    this.#actions = actions
    const who = shown.person === null ? 'Claw' : people.name(shown.person)
    const avatar = el('span', {
      class: `avatar ${shown.person === null ? 'bot' : hue(shown.person)}`,
      'aria-hidden': 'true',
    })
    if (shown.person !== null) avatar.append([...who][0]?.toUpperCase() ?? '?')
    this.element = el(
      'article',
      { class: `message ${shown.role}`, 'data-message': shown.message, 'aria-label': `${who}, ${clock(shown.at)}` },
      avatar,
      el(
        'div',
        { class: 'content' },
        el(
          'header',
          {},
          el('strong', {}, who),
          el('time', { datetime: new Date(shown.at).toISOString() }, clock(shown.at)),
          this.#version,
          this.#edited,
        ),
        this.#body,
        this.#foot,
      ),
    )
    this.render()
  }

  render(): void {
    const { text, role, writing, version, edited } = this.shown
    this.element.classList.toggle('writing', writing)
    this.element.setAttribute('aria-busy', String(writing))
    this.#version.textContent = version === null ? '' : version === 0 ? 'base' : `v${version}`
    this.#version.hidden = version === null
    this.#edited.textContent = edited ? 'edited' : ''
    if (writing && text === '') this.#body.replaceChildren(dots())
    else if (role === 'assistant') this.#body.replaceChildren(...markdown(text))
    else this.#body.replaceChildren(el('p', { class: 'said' }, text))
    this.renderFoot()
  }

  /** Reactions and actions. The button that has the focus keeps it. */
  renderFoot(): void {
    const focused = this.#foot.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.action
      : undefined
    const { role, person, thread, message, writing } = this.shown
    const own = role === 'user' && person === this.#people.current.id
    const parts: HTMLElement[] = []
    if (!writing && role === 'assistant') parts.push(...this.#reactions())
    const { thread: open } = this.#actions
    if (open !== null && !writing && (role === 'assistant' || thread > 0)) {
      const label = thread > 0 ? plural(thread, 'reply', 'replies') : 'Thread'
      parts.push(button('thread', label, 'thread', () => open(message)))
    }
    if (own) {
      parts.push(button('edit', 'Edit', 'quiet', () => this.edit()))
      parts.push(button('delete', 'Delete', 'quiet', (event) => this.#remove(event)))
    }
    this.#foot.replaceChildren(...parts)
    if (focused !== undefined) this.#foot.querySelector<HTMLElement>(`[data-action="${focused}"]`)?.focus()
  }

  /** Puts a field in the place of the words. */
  edit(): void {
    const { text, message } = this.shown
    const field = el('textarea', { class: 'rewording', 'aria-label': 'New wording', maxlength: '20000' })
    field.value = text
    const leave = () => {
      this.render()
      this.#foot.querySelector<HTMLElement>('[data-action="edit"]')?.focus()
    }
    const save = () => {
      const wording = field.value.trim()
      if (wording !== '' && wording !== text) this.#actions.edit(message, wording)
      leave()
    }
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') leave()
      else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault()
        save()
      }
    })
    const buttons = el(
      'div',
      { class: 'buttons' },
      el('button', { type: 'button', onclick: leave }, 'Cancel'),
      el('button', { type: 'button', class: 'primary', onclick: save }, 'Save'),
    )
    this.#body.replaceChildren(field, buttons)
    this.#foot.replaceChildren()
    field.focus()
    field.setSelectionRange(text.length, text.length)
  }

  #reactions(): HTMLElement[] {
    const { reactions, message } = this.shown
    const me = this.#people.current.id
    const given = [...new Set(reactions.map(({ emoji }) => emoji))]
    const offered = [...new Set([...THUMBS, ...given, ...(this.#more ? MORE : [])])]
    const chips = offered.map((emoji) => {
      const by = reactions.filter((reaction) => reaction.emoji === emoji).map(({ person }) => person)
      const mine = by.includes(me)
      const who = by.map((person) => this.#people.name(person)).join(', ')
      const name = NAMES[emoji] ?? emoji
      const chip = button(emoji, emoji, by.length > 0 ? 'chip given' : 'chip', () =>
        this.#actions.react(message, emoji, !mine),
      )
      chip.setAttribute('aria-label', by.length > 0 ? `${name}, from ${who}` : name)
      chip.setAttribute('aria-pressed', String(mine))
      if (by.length > 0) {
        chip.title = who
        chip.append(el('span', { class: 'count' }, String(by.length)))
      }
      return chip
    })
    const more = button('more', this.#more ? '−' : '+', 'chip more', () => {
      this.#more = !this.#more
      this.renderFoot()
    })
    more.setAttribute('aria-label', this.#more ? 'Fewer reactions' : 'More reactions')
    more.setAttribute('aria-expanded', String(this.#more))
    return [...chips, more]
  }

  /** Asks once more, on the button itself. */
  #remove(event: Event): void {
    const pressed = event.currentTarget as HTMLButtonElement
    if (pressed.dataset.sure === undefined) {
      pressed.dataset.sure = ''
      pressed.textContent = 'Really delete?'
      setTimeout(() => {
        delete pressed.dataset.sure
        pressed.textContent = 'Delete'
      }, 4_000)
      return
    }
    this.#actions.remove(this.shown.message)
  }
}

function button(action: string, label: string, kind: string, onclick: EventListener): HTMLButtonElement {
  return el('button', { type: 'button', class: kind, 'data-action': action, onclick }, label)
}

function dots(): HTMLElement {
  const each = () => el('span', { class: 'dot' })
  return el('p', { class: 'dots', 'aria-label': 'Claw is writing' }, each(), each(), each())
}
