import type { Someone } from '../protocol.ts'
import { byId, el } from './dom.ts'

const NEWCOMER = ''

/** Who sits at this page: several people may share it, one at a time talks. */
export class People {
  readonly #known = new Map<string, string>()
  readonly #select = byId<HTMLSelectElement>('person')
  #current: Someone

  constructor() {
    this.#current = remembered() ?? someone('You')
    this.#known.set(this.#current.id, this.#current.name)
    this.#select.addEventListener('change', () => {
      if (this.#select.value === NEWCOMER) this.#invite()
      else this.become(this.#select.value)
    })
    const dialog = byId<HTMLDialogElement>('newcomer')
    byId('newcomer-form').addEventListener('submit', (event) => {
      event.preventDefault()
      const name = byId<HTMLInputElement>('newcomer-name').value.trim()
      if (name === '') return
      const { id } = someone(name)
      this.meet([{ id, name }])
      this.become(id)
      dialog.close()
    })
    byId('newcomer-cancel').addEventListener('click', () => dialog.close())
    dialog.addEventListener('close', () => {
      this.#show()
      byId('composer-text').focus()
    })
    this.#show()
  }

  get current(): Someone {
    return this.#current
  }

  name(id: string): string {
    return this.#known.get(id) ?? id
  }

  meet(people: readonly Someone[]): void {
    for (const { id, name } of people) this.#known.set(id, name)
    this.#show()
  }

  become(id: string): void {
    this.#current = { id, name: this.name(id) }
    localStorage.setItem('claw.person', JSON.stringify(this.#current))
    this.#show()
    document.dispatchEvent(new Event('person'))
  }

  #invite(): void {
    this.#show()
    byId<HTMLInputElement>('newcomer-name').value = ''
    byId<HTMLDialogElement>('newcomer').showModal()
  }

  #show(): void {
    const options = [...this.#known].sort(([, a], [, b]) => a.localeCompare(b))
    this.#select.replaceChildren(
      ...options.map(([id, name]) => el('option', { value: id }, name)),
      el('option', { value: NEWCOMER }, 'Somebody else …'),
    )
    this.#select.value = this.#current.id
  }
}

function someone(name: string): Someone {
  return { id: name.toLowerCase(), name }
}

function remembered(): Someone | null {
  try {
    const { id, name } = JSON.parse(localStorage.getItem('claw.person') ?? '') as Partial<Someone>
    return typeof id === 'string' && typeof name === 'string' && id !== '' ? { id, name } : null
  } catch {
    return null
  }
}

/** One of eight colours, the same for the same person everywhere. */
export function hue(person: string): string {
  let sum = 0
  for (const character of person) sum = (sum * 33 + (character.codePointAt(0) ?? 0)) % 9973
  return `hue-${sum % 8}`
}
