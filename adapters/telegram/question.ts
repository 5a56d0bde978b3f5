import { createHmac } from 'node:crypto'
import type { Message } from 'grammy/types'
import { type Address, conversationOf, readConversation } from './ids.ts'

/** What a question is about, in the link that its first words are. */
interface About {
  readonly address: Address
  readonly message: number
}

const LINK = /[?&]about=(-?\d+(?::\d+)?)\.(\d+)\.([\w-]+)$/

/** Signs what only this bot may say, by a key that only it knows. */
export function signer(token: string): (said: string) => string {
  const key = createHmac('sha256', token).update('questions').digest()
  return (said) => createHmac('sha256', key).update(said).digest('base64url').slice(0, 16)
}

const signed = (person: string, conversation: string, message: string | number): string =>
  `${person} ${conversation} ${message}`

/**
 * The link that a question carries, so that its answer finds the reply after a restart as well. It is signed and made
 * out to one person: nobody can write one that makes them heard elsewhere.
 */
export function questionLink(username: string, person: string, about: About, sign: (said: string) => string): string {
  const conversation = conversationOf(about.address)
  const signature = sign(signed(person, conversation, about.message))
  return `https://t.me/${username}?about=${conversation}.${about.message}.${signature}`
}

/** What a message of the bot's asked this person about; null where it was no such question. */
export function readQuestion(asked: Message, person: string, sign: (said: string) => string): About | null {
  for (const entity of asked.entities ?? []) {
    if (entity.type !== 'text_link') continue
    const [, conversation = '', message = '', signature] = LINK.exec(entity.url) ?? []
    if (signature === undefined || sign(signed(person, conversation, message)) !== signature) continue
    return { address: readConversation(conversation), message: Number(message) }
  }
  return null
}
