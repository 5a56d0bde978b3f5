import { type Chat, type Markup, type Message, present, type Reaction, type Status } from './state.ts'
import { ANONYMOUS, chatOf, type Extras, newChat, place, tell, textOf, userOf, type World } from './world.ts'

/** What people do in their clients. Every function throws where a client would not offer it. */
export interface People {
  /** Returns the message's id. `extras` are fields of the message, such as `photo` or `media_group_id`. */
  say(chat: number, person: number, text: string, extras?: Extras): number
  /** The same by an admin who hides behind the group. */
  sayAnonymously(chat: number, text: string, extras?: Extras): number
  /** Something without words: a photo, a sticker. */
  show(chat: number, person: number, extras: Extras): number
  edit(chat: number, person: number, message: number, text: string): void
  /** Nobody is told of it. */
  remove(chat: number, message: number): void
  /** Sets all reactions of a person, or of a chat for one who hides behind it. */
  react(chat: number, by: number, message: number, reactions: readonly Reaction[]): void
  /** Reactions that nobody is named for. */
  reactAnonymously(chat: number, message: number, counts: Readonly<Record<string, number>>): void
  /** Presses a button by its label or data; returns the query's id. */
  press(chat: number, person: number, message: number, button: string): string
  stop(chat: number, draft: number): void
  /** A person opens the private chat with the bots and says nothing. */
  openChat(person: number): void
  /** Where somebody stands in a group. */
  setStatus(chat: number, user: number, status: Status, by: number): void
  /** Returns the topic's id. */
  openTopic(chat: number, person: number, name: string): number
  /** A group becomes a supergroup; returns its new id. */
  migrate(chat: number, to?: number): number
}

export function createPeople(world: World): People {
  let queries = 0

  function post(chat: Chat, content: Extras, sender: Partial<Message>): number {
    const message = place(world, chat, content, sender)
    tell(world, chat, 'message', message, message)
    return message.message_id
  }

  function takesPart(id: number, person: number): Chat {
    const chat = chatOf(world, id)
    const here = chat.view.type === 'private' ? id === person : present(chat.members.get(person))
    if (!here) throw new Error(`${person} is not in the chat ${id}`)
    // Whoever writes to a bot has started it.
    if (chat.view.type === 'private') for (const account of world.accounts) account.started.add(id)
    return chat
  }

  const people: People = {
    say: (id, person, text, extras = {}) =>
      post(takesPart(id, person), { ...textOf(text), ...extras }, { from: userOf(world, person) }),

    sayAnonymously(id, text, extras = {}) {
      const chat = chatOf(world, id)
      return post(chat, { ...textOf(text), ...extras }, { from: ANONYMOUS, sender_chat: chat.view })
    },

    show: (id, person, extras) => post(takesPart(id, person), extras, { from: userOf(world, person) }),

    edit(id, person, number, text) {
      const chat = takesPart(id, person)
      const message = chat.messages.get(number)
      if (message?.from?.id !== person) throw new Error('only who wrote a message may change it')
      Object.assign(message, textOf(text), { edit_date: world.now() })
      tell(world, chat, 'edited_message', { ...message }, message)
    },

    remove(id, number) {
      chatOf(world, id).messages.delete(number)
    },

    react(id, by, number, reactions) {
      const chat = chatOf(world, id)
      if (!chat.messages.has(number)) throw new Error(`there is no message ${number}`)
      const standing = chat.reactions.get(number) ?? new Map<number, readonly Reaction[]>()
      const old = standing.get(by) ?? []
      chat.reactions.set(number, standing.set(by, reactions))
      const user = world.users.get(by)
      const who = user === undefined ? { actor_chat: chatOf(world, by).view } : { user }
      // Nobody is told what a bot reacted with, and a bot that is no admin is told nothing.
      if (user?.is_bot) return
      const content = { chat: chat.view, message_id: number, ...who, date: world.now() }
      forAdmins(chat, 'message_reaction', { ...content, old_reaction: old, new_reaction: reactions })
    },

    reactAnonymously(id, number, counts) {
      const chat = chatOf(world, id)
      const reactions = Object.entries(counts).map(([emoji, total]) => ({
        type: { type: 'emoji', emoji },
        total_count: total,
      }))
      const content = { chat: chat.view, message_id: number, date: world.now(), reactions }
      forAdmins(chat, 'message_reaction_count', content)
    },

    press(id, person, number, button) {
      const message = takesPart(id, person).messages.get(number)
      const pressed = buttons(message?.reply_markup).find(
        ({ text, callback_data }) => text === button || callback_data === button,
      )
      const account = world.accounts.find(({ user }) => user.id === message?.from?.id)
      if (message === undefined || pressed === undefined) throw new Error(`there is no button ${button}`)
      const query = `q${++queries}`
      world.queries.set(query, null)
      const from = userOf(world, person)
      account?.queue.push('callback_query', {
        id: query,
        from,
        message,
        chat_instance: String(id),
        data: pressed.callback_data,
      })
      return query
    },

    stop(id, draft) {
      const chat = chatOf(world, id)
      if (!chat.drafts.has(draft)) throw new Error(`there is no draft ${draft}`)
      tell(world, chat, 'stopped_message_generation', { chat: chat.view, draft_id: draft })
    },

    openChat(person) {
      for (const account of world.accounts) account.started.add(chatOf(world, person).view.id)
    },

    setStatus(id, user, status, by) {
      const chat = chatOf(world, id)
      const old = chat.members.get(user) ?? 'left'
      chat.members.set(user, status)
      const account = world.accounts.find((one) => one.user.id === user)
      if (account === undefined) return
      // In a private chat nobody is a member: a bot that is blocked may not write.
      if (chat.view.type === 'private' && !present(status)) account.started.delete(id)
      const member = (standing: Status) => ({ status: standing, user: account.user })
      account.queue.push('my_chat_member', {
        chat: chat.view,
        from: userOf(world, by),
        date: world.now(),
        old_chat_member: member(old),
        new_chat_member: member(status),
      })
    },

    openTopic(id, person, name) {
      const chat = takesPart(id, person)
      if (chat.view.is_forum !== true) throw new Error('only forums have topics')
      const topic = chat.nextMessage
      chat.topics.add(topic)
      const created = { name, icon_color: 7_322_096 }
      const service = { forum_topic_created: created, message_thread_id: topic, is_topic_message: true }
      return post(chat, service, { from: userOf(world, person) })
    },

    migrate(id, to = Number(`-100${Math.abs(id)}`)) {
      const old = chatOf(world, id)
      if (old.view.type !== 'group') throw new Error('only a group becomes a supergroup')
      const next = newChat({ ...old.view, id: to, type: 'supergroup' })
      for (const [user, status] of old.members) next.members.set(user, status)
      world.chats.set(to, next)
      const [by] = old.members.keys()
      const from = userOf(world, by ?? 0)
      post(old, { migrate_to_chat_id: to }, { from })
      old.migratedTo = to
      post(next, { migrate_from_chat_id: id }, { from: ANONYMOUS, sender_chat: next.view })
      return to
    },
  }

  function forAdmins(chat: Chat, type: string, content: unknown): void {
    for (const account of world.accounts) {
      const status = chat.members.get(account.user.id)
      const told =
        chat.view.type === 'private'
          ? account.started.has(chat.view.id)
          : status === 'administrator' || status === 'creator'
      if (told) account.queue.push(type, content)
    }
  }

  return people
}

export const buttons = (markup: Markup | undefined) => (markup?.inline_keyboard ?? []).flat()
