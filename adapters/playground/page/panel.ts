import type { Client, Panel as View } from '../protocol.ts'
import { byId, clock, el, plural } from './dom.ts'
import type { People } from './people.ts'

type Turn = View['turns'][number]
type Version = View['versions'][number]

const STATES = { idle: 'Idle', lessons: 'Learning from replies', rehearsal: 'Rehearsing' } as const

/** What the bot learns, as it happens. */
export class Panel {
  readonly #client: Client
  readonly #people: People
  readonly #rollback: (version: number) => void
  #asking = false
  #again = false

  constructor(client: Client, people: People, rollback: (version: number) => void) {
    this.#client = client
    this.#people = people
    this.#rollback = rollback
  }

  /** Reads and shows the newest figures; calls that come meanwhile are one more read. */
  async refresh(): Promise<void> {
    if (this.#asking) {
      this.#again = true
      return
    }
    this.#asking = true
    try {
      const view = await this.#client.panel()
      this.#people.meet(view.people.map(({ person, name }) => ({ id: person, name })))
      this.#show(view)
    } finally {
      this.#asking = false
    }
    if (this.#again) {
      this.#again = false
      await this.refresh()
    }
  }

  #show(view: View): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.version
    byId('policy').replaceChildren(...policy(view, this.#rollback))
    byId('training').replaceChildren(...training(view))
    byId('versions').replaceChildren(...versions(view, this.#rollback))
    byId('turns').replaceChildren(...view.turns.map((turn) => this.#turn(turn)))
    if (view.turns.length === 0) byId('turns').replaceChildren(el('li', { class: 'none' }, 'No replies yet.'))
    if (focused !== undefined) byId('panel').querySelector<HTMLElement>(`[data-version="${focused}"]`)?.focus()
  }

  #turn(turn: Turn): HTMLElement {
    const { verdict, signals } = turn
    const said = signals.map(({ type, person, content }) => {
      const words = type === 'reaction' ? content : `“${content}”`
      return el(
        'li',
        { class: 'signal', title: content },
        el('span', {}, words),
        el('em', {}, this.#people.name(person)),
      )
    })
    return el(
      'li',
      { class: 'turn' },
      el('p', { class: 'question' }, el('em', {}, `${this.#people.name(turn.person)} `), turn.asked),
      el('p', { class: 'reply' }, plain(turn.text)),
      signals.length === 0 ? null : el('ul', { class: 'signals', 'aria-label': 'Signals' }, ...said),
      el('p', { class: 'fate' }, verdict === null ? null : score(verdict), el('span', {}, fate(turn))),
      verdict?.hint ? el('p', { class: 'hint' }, verdict.hint) : null,
    )
  }
}

/** A glance at a reply: the marks of lists, bold and code say nothing in two lines. */
function plain(text: string): string {
  const words = text.replace(/^\s*(?:[-*•]|```\w*|#+)\s*/gm, '').replace(/\*\*|`/g, '')
  return words.trim() === '' ? '…' : words
}

function policy(view: View, rollback: (version: number) => void): HTMLElement[] {
  const { serving, versions: all, model } = view
  const current = all.find(({ version }) => version === serving)
  const title = serving === 0 ? 'The base model' : `Version ${serving}`
  const about = current === undefined ? model : `on ${model}, ${origin(current.lessons)}, ${clock(current.at)}`
  const line = el(
    'div',
    { class: 'policy-line' },
    el('p', {}, el('strong', { class: 'big' }, title), el('small', {}, about)),
  )
  if (current !== undefined) {
    const to = current.parent
    const label = to === 0 ? 'Roll back to the base' : `Roll back to version ${to}`
    line.append(
      el('button', { type: 'button', id: 'rollback', 'data-version': 'back', onclick: () => rollback(to) }, label),
    )
  }
  return [line]
}

function training({ training: { state }, waiting, batch, learning, method }: View): HTMLElement[] {
  if (!learning)
    return [el('p', {}, 'Learning is off here. '), el('p', { class: 'small' }, '/claw learn on turns it on.')]
  const meter = el('progress', { max: String(batch), 'aria-label': 'Lessons of the next batch' })
  meter.value = Math.min(waiting, batch)
  if (state !== 'idle') meter.removeAttribute('value')
  const next = `${plural(waiting, 'lesson waits', 'lessons wait')}; ${batch} make a batch`
  return [
    el('p', { class: `state ${state}` }, el('span', { class: 'lamp', 'aria-hidden': 'true' }), STATES[state]),
    meter,
    el('p', { class: 'small' }, method === null ? next : `${next} (${method})`),
  ]
}

function versions({ versions: all, serving }: View, rollback: (version: number) => void): HTMLElement[] {
  const rows = all.map((version) => versionRow(version, serving, rollback))
  return [...rows, row(0, serving, 'the base model', serving === 0 ? null : () => rollback(0))]
}

function versionRow(made: Version, serving: number, rollback: (version: number) => void): HTMLElement {
  const { version, parent, state, reason, lessons, at } = made
  if (state !== 'served') return row(version, serving, `${state}: ${reason ?? 'the gate refused it'}`, null, 'refused')
  const from = parent === version - 1 ? '' : `, from ${parent === 0 ? 'the base' : `v${parent}`}`
  const text = `${origin(lessons)}${from}, ${clock(at)}`
  return row(version, serving, text, version === serving ? null : () => rollback(version))
}

function row(version: number, serving: number, text: string, use: (() => void) | null, kind = ''): HTMLElement {
  const item = el('li', { class: kind }, el('b', {}, `v${version}`), el('span', {}, text))
  if (version === serving) {
    item.classList.add('serving')
    item.append(el('i', {}, 'answers'))
  } else if (use !== null) {
    const label = version === 0 ? 'Use the base model' : `Use version ${version}`
    item.append(
      el('button', { type: 'button', 'aria-label': label, 'data-version': String(version), onclick: use }, 'Use'),
    )
  }
  return item
}

function score(verdict: NonNullable<Turn['verdict']>): HTMLElement {
  const [sign, kind] = verdict.score > 0 ? ['+1', 'good'] : verdict.score < 0 ? ['−1', 'bad'] : ['0', 'open']
  return el('b', { class: `score ${kind}`, title: `weight ${verdict.weight.toFixed(2)}, ${verdict.judge}` }, sign ?? '')
}

/** In a few words: who decided, and what the weights make of it. */
function fate({ verdict, lesson, signals, version, state }: Turn): string {
  const by = version === 0 ? 'base' : `v${version}`
  if (verdict === null)
    return signals.length === 0 ? `${by} · nothing was said about it` : `${by} · waits for the judge`
  const learned =
    lesson === null
      ? 'nothing to learn'
      : lesson === 'waiting'
        ? 'waits for the trainer'
        : state === 'amended'
          ? `v${lesson} learned from an earlier verdict`
          : `v${lesson} learned from it`
  return `${by} · ${verdict.basis} · ${learned}`
}

function origin(lessons: number): string {
  return lessons === 0 ? 'rehearsed' : `learned from ${plural(lessons, 'reply', 'replies')}`
}
