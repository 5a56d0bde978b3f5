type Attributes = Readonly<Record<string, string | boolean | EventListener | undefined>>
export type Child = Node | string | null

/** An element with attributes, listeners (`onclick`) and children. Text is always text: nothing is ever parsed as HTML. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (typeof value === 'string') element.setAttribute(name, value)
  }
  element.append(...children.filter((child) => child !== null))
  return element
}

/** The element that the page's markup has under this id. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no #${id}`)
  return element as Kind
}

/** A short random id. `crypto.randomUUID` is missing where the page does not come from this machine. */
export function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function clock(at: number): string {
  const then = new Date(at)
  const today = then.toDateString() === new Date().toDateString()
  const time = then.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return today ? time : `${then.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${time}`
}

export function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
