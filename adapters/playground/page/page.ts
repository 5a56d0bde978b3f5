import { Chat, type Spot } from './chat.ts'
import { byId, el, freshId } from './dom.ts'
import { Panel } from './panel.ts'
import { People } from './people.ts'
import { connect, type PageClient, Refused, workspaces } from './remote.ts'

const HOME = 'home'

/** A finger: a keyboard that comes up unasked would be in the way, and Enter makes a new line. */
const COARSE = matchMedia('(pointer: coarse)')

const OPENERS = ['What is photosynthesis?', 'How do vaccines work?', 'Give me an idea for dinner.', '/claw status']

/** Where the page is, as the address says it: `#workspace/conversation/thread`. */
function address(): { workspace: string; conversation: string | null; thread: string | null } {
  const [workspace, conversation, thread] = location.hash.slice(1).split('/').map(decoded)
  return { workspace: workspace || HOME, conversation: conversation || null, thread: thread || null }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

function go(workspace: string, conversation: string, thread: string | null = null): void {
  const parts = thread === null ? [workspace, conversation] : [workspace, conversation, thread]
  location.hash = parts.map(encodeURIComponent).join('/')
}

const people = new People()
let client: PageClient | undefined
let chat: Chat | undefined
let arrived: (chat: Chat) => void
const firstChat = new Promise<Chat>((resolve) => {
  arrived = resolve
})
let panel: Panel | undefined
let spot: Spot = { conversation: '', thread: null }
let due: ReturnType<typeof setTimeout> | undefined

/** Shows what the address names; connects where the workspace is another one. */
async function show(): Promise<void> {
  const { workspace, conversation, thread } = address()
  if (client?.workspace !== workspace) enter(workspace)
  const here = client
  if (here === undefined) return
  const known = await patiently(() => here.conversations())
  if (conversation === null) {
    const last = known.find((one) => !one.conversation.startsWith('thread-'))
    return go(workspace, last?.conversation ?? freshId())
  }
  if (here !== client) return
  spot = { conversation, thread }
  const opened = new Chat(
    here,
    people,
    spot,
    { thread: thread === null ? (message) => go(workspace, conversation, message) : null },
    toast,
  )
  chat?.leave()
  chat = opened
  arrived(opened)
  await patiently(() => opened.load())
  if (chat !== opened) return
  byId('back').hidden = thread === null
  byId('composer-text').setAttribute('placeholder', thread === null ? 'Message Claw' : 'Answer in the thread')
  if (!COARSE.matches) byId('composer-text').focus({ preventScroll: true })
  await list()
}

function enter(workspace: string): void {
  client?.close()
  const entered = connect(workspace)
  client = entered
  panel = new Panel(entered, people, (version) => {
    const { current } = people
    const said = { id: freshId(), conversation: chat?.conversation ?? HOME, person: current } as const
    entered.tell({ ...said, type: 'command', text: `/claw rollback ${version}` }).catch(failed)
  })
  entered.connected((up) => {
    byId('connection').textContent = up ? '' : 'Connection lost, trying again …'
    if (up) soon()
  })
  entered.listen((update) => {
    if (update.type === 'reset') void patiently(async () => chat?.load()).then(soon)
    else chat?.hear(update)
    if (
      update.type === 'notice' &&
      (update.only === null || update.only === people.current.id) &&
      (document.body.dataset.tab === 'panel' || update.conversation !== chat?.conversation)
    ) {
      toast(update.text)
    }
    if (update.type !== 'writing') soon()
  })
  void patiently(async () => panel?.refresh())
}

/** The panel and the list follow shortly: many updates are one reading. */
function soon(): void {
  clearTimeout(due)
  due = setTimeout(() => {
    panel?.refresh().catch(() => {})
    list().catch(() => {})
  }, 150)
}

async function list(): Promise<void> {
  const here = client
  if (here === undefined) return
  const [all, names] = await Promise.all([here.conversations(), workspaces()])
  if (here !== client) return
  const entries = all.filter(({ conversation }) => !conversation.startsWith('thread-'))
  const current = entries.find(({ conversation }) => conversation === spot.conversation)
  byId('chat-title').textContent =
    spot.thread === null ? (current?.title ?? 'New conversation') : `Thread in “${current?.title ?? 'conversation'}”`
  byId('conversations').replaceChildren(
    ...entries.map(({ conversation, title }) => {
      const link = el(
        'a',
        { href: `#${encodeURIComponent(here.workspace)}/${encodeURIComponent(conversation)}` },
        title ?? 'Untitled',
      )
      if (conversation === spot.conversation) link.setAttribute('aria-current', 'page')
      return el('li', {}, link)
    }),
  )
  const select = byId<HTMLSelectElement>('workspace')
  const known = [...[...new Set([HOME, here.workspace, ...names])].sort(), '']
  // A list that is open stays open.
  if (known.join('\n') !== valuesOf(select).join('\n')) {
    select.replaceChildren(...known.map((name) => el('option', { value: name }, name || 'New workspace …')))
  }
  select.value = here.workspace
}

const valuesOf = (select: HTMLSelectElement): string[] => [...select.options].map(({ value }) => value)

function freshName(taken: readonly string[]): string {
  for (let number = 2; ; number++) {
    const name = `workspace ${number}`
    if (!taken.includes(name)) return name
  }
}

/** Asks until the server is up: it listens before its model is loaded. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      const answer = await ask()
      byId('connection').textContent = ''
      return answer
    } catch (error) {
      const starting = error instanceof Refused && error.status === 503
      byId('connection').textContent = starting ? 'Loading the model …' : 'Connection lost, trying again …'
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
  }
}

let fading: ReturnType<typeof setTimeout> | undefined
function toast(text: string): void {
  const box = byId('toast')
  box.textContent = text
  box.classList.add('shown')
  clearTimeout(fading)
  fading = setTimeout(() => box.classList.remove('shown'), 6_000)
}

function failed(error: unknown): void {
  toast(error instanceof Error ? error.message : 'Something went wrong.')
}

function compose(): void {
  const field = byId<HTMLTextAreaElement>('composer-text')
  const grow = () => {
    field.rows = Math.min(8, field.value.split('\n').length)
  }
  const send = async () => {
    // Until the server is up the words stay where they can be changed.
    const here = chat ?? (await firstChat)
    const text = field.value.trim()
    if (text === '') return
    field.value = ''
    grow()
    try {
      await here.say(text)
    } catch (error) {
      field.value = text
      failed(error)
    }
  }
  field.addEventListener('input', grow)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && !COARSE.matches) {
      event.preventDefault()
      void send()
    } else if (event.key === 'ArrowUp' && field.value === '') {
      event.preventDefault()
      chat?.editLast()
    }
  })
  byId('composer').addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
    field.focus()
  })
  byId('openers').append(
    ...OPENERS.map((text) =>
      el('li', {}, el('button', { type: 'button', onclick: () => chat?.say(text).catch(failed) }, text)),
    ),
  )
}

function steer(): void {
  const tab = (name: 'chat' | 'panel') => {
    document.body.dataset.tab = name
    byId('tab-chat').setAttribute('aria-pressed', String(name === 'chat'))
    byId('tab-panel').setAttribute('aria-pressed', String(name === 'panel'))
  }
  const drawer = (open: boolean) => {
    document.body.classList.toggle('drawer', open)
    byId('menu').setAttribute('aria-expanded', String(open))
  }
  byId('tab-chat').addEventListener('click', () => tab('chat'))
  byId('tab-panel').addEventListener('click', () => tab('panel'))
  byId('menu').addEventListener('click', () => drawer(!document.body.classList.contains('drawer')))
  byId('back').addEventListener('click', () => go(address().workspace, spot.conversation))
  byId('fresh').addEventListener('click', () => {
    drawer(false)
    tab('chat')
    go(address().workspace, freshId())
  })
  byId('conversations').addEventListener('click', () => drawer(false))
  byId<HTMLSelectElement>('workspace').addEventListener('change', ({ currentTarget }) => {
    const select = currentTarget as HTMLSelectElement
    drawer(false)
    location.hash = encodeURIComponent(select.value || freshName(valuesOf(select)))
  })
  document.addEventListener('keydown', ({ key, target }) => {
    if (key !== 'Escape') return
    if (document.body.classList.contains('drawer')) drawer(false)
    else if (spot.thread !== null && !(target as HTMLElement).closest('dialog, .rewording')) byId('back').click()
  })
  document.addEventListener('person', () => chat?.refresh())
}

compose()
steer()
addEventListener('hashchange', () => void show())
void show()
