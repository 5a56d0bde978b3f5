import type { FakeTeam, Fields } from './world.ts'

/** What Slack answers with `ok: false`. */
export class Refusal extends Error {
  readonly code: string
  /** Whether only a slip of the adapter gets there. */
  readonly slip: boolean

  constructor(code: string, slip = true) {
    super(code)
    this.code = code
    this.slip = slip
  }
}

const LIMITS = { text: 40_000, markdown: 12_000, section: 3_000, blocks: 50, total: 13_200, button: 75, value: 2_000 }

/** The block types that the bot may use, with the fields of each. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  markdown: ['type', 'text', 'block_id'],
  section: ['type', 'text', 'block_id', 'accessory'],
  actions: ['type', 'elements', 'block_id'],
  context_actions: ['type', 'elements', 'block_id'],
  input: ['type', 'label', 'element', 'block_id', 'optional', 'hint'],
}

const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  button: ['type', 'text', 'action_id', 'value', 'style'],
  feedback_buttons: ['type', 'action_id', 'positive_button', 'negative_button'],
  plain_text_input: ['type', 'action_id', 'multiline', 'max_length', 'min_length', 'initial_value', 'placeholder'],
}

/** What would call people who did not ask for it. */
const PING = /<!(?:channel|here|everyone)\b[^>]*>|<!subteam\^[^>]*>|<@[UW][A-Z0-9]+[^>]*>/

/** Text and blocks of a message, as Slack takes them. */
export function checkContent(args: Fields): { readonly text: string; readonly blocks: readonly Fields[] } {
  const blocks = (args.blocks ?? []) as readonly Fields[]
  if (!Array.isArray(blocks)) throw new Refusal('invalid_blocks_format')
  const markdown = args.markdown_text as string | undefined
  if (markdown !== undefined && (args.text !== undefined || blocks.length > 0))
    throw new Refusal('markdown_text_conflict')
  const text = String(args.text ?? markdown ?? '')
  if (text === '' && blocks.length === 0) throw new Refusal('no_text')
  if ((markdown?.length ?? 0) > LIMITS.markdown || text.length > LIMITS.text) throw new Refusal('msg_too_long')
  if (blocks.length > 0 && text === '') throw new Refusal('blocks_without_fallback_text')
  checkBlocks(blocks)
  const said = [text, ...blocks.map((block) => (block.type === 'markdown' ? String(block.text) : ''))].join('\n')
  const ping = PING.exec(said)
  if (ping !== null) throw new Refusal(`pings: ${ping[0].replace(/[A-Z0-9]{5,}/g, '…')}`)
  return { text, blocks }
}

export function checkBlocks(blocks: readonly Fields[]): void {
  if (blocks.length > LIMITS.blocks) throw new Refusal('invalid_blocks')
  let total = 0
  for (const block of blocks) {
    checkFields(block, BLOCKS, 'invalid_blocks')
    const text = block.type === 'section' ? (block.text as Fields | undefined)?.text : block.text
    if (typeof text === 'string') {
      total += text.length
      const most = block.type === 'section' ? LIMITS.section : LIMITS.markdown
      if (text === '' || text.length > most) throw new Refusal('invalid_blocks')
    }
    const elements = (block.elements ?? [block.element].filter((one) => one !== undefined)) as readonly Fields[]
    for (const element of elements) checkElement(element)
  }
  if (total > LIMITS.total) throw new Refusal('msg_blocks_too_long')
}

function checkElement(element: Fields): void {
  checkFields(element, ELEMENTS, 'invalid_blocks')
  const id = String(element.action_id ?? '')
  if (id === '' || id.length > 255) throw new Refusal('invalid_blocks')
  const halves = [element.positive_button, element.negative_button].filter((half): half is Fields => half !== undefined)
  const buttons = element.type === 'button' ? [element] : halves
  for (const button of buttons) {
    const label = String((button.text as Fields | undefined)?.text ?? '')
    if (label === '' || label.length > LIMITS.button) throw new Refusal('invalid_blocks')
    if (String(button.value ?? '').length > LIMITS.value) throw new Refusal('invalid_blocks')
  }
}

function checkFields(part: Fields, known: Readonly<Record<string, readonly string[]>>, code: string): void {
  const fields = known[String(part.type)]
  if (fields === undefined || Object.keys(part).some((name) => !fields.includes(name))) throw new Refusal(code)
}

/** A modal, as views.open takes it. */
export function checkView(view: Fields): void {
  const known = ['type', 'callback_id', 'title', 'submit', 'close', 'blocks', 'private_metadata']
  if (view.type !== 'modal' || Object.keys(view).some((name) => !known.includes(name)))
    throw new Refusal('invalid_arguments')
  for (const name of ['title', 'submit', 'close']) {
    const label = view[name] === undefined ? null : String((view[name] as Fields).text)
    if (label !== null && (label === '' || label.length > 24)) throw new Refusal('invalid_arguments')
  }
  if (String(view.private_metadata ?? '').length > 3_000) throw new Refusal('invalid_arguments')
  checkBlocks(view.blocks as readonly Fields[])
}

export function checkMetadata(metadata: Fields | undefined): void {
  if (metadata === undefined) return
  const { event_type: type, event_payload: payload } = metadata
  if (typeof type !== 'string' || !/^\w{1,255}$/.test(type) || typeof payload !== 'object' || payload === null) {
    throw new Refusal('invalid_metadata_format')
  }
}

/** Where a message goes: a channel that the bot is in, and the root of a thread. */
export function checkPlace(team: FakeTeam, id: unknown, thread: unknown) {
  // A person stands for the direct conversation with them.
  const direct = [...team.channels.values()].find((one) => one.type === 'im' && one.members.has(String(id)))
  const channel = team.channels.get(String(id)) ?? direct
  if (channel === undefined) throw new Refusal('channel_not_found')
  // A definite no that happens to anybody: /claw works in channels that the bot is not in.
  if (!channel.members.has(team.bot.user)) throw new Refusal('not_in_channel', false)
  if (thread === undefined) return { channel, thread: null }
  if (typeof thread !== 'string') throw new Refusal('invalid_thread_ts')
  const root = channel.messages.get(thread)
  if (root === undefined) throw new Refusal('thread_not_found')
  if (root.thread !== null && root.thread !== root.ts) throw new Refusal('thread_ts_names_a_reply')
  return { channel, thread }
}
