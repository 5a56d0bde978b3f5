import { movedTo, platformError } from './errors.ts'

/** Calls about chats, each under the id that the chat has now. */
export interface Chats {
  /** Does a call again under the new id where the chat has moved. Throws only ClawError. */
  at<Result>(chat: number, call: (chat: number) => Promise<Result>): Promise<Result>
  /** The chat goes on under another id. */
  move(from: number, to: number): void
}

export function createChats(onMove: (from: number, to: number) => void): Chats {
  const moved = new Map<number, number>()
  return {
    async at(chat, call) {
      const id = moved.get(chat) ?? chat
      try {
        return await call(id)
      } catch (error) {
        const to = movedTo(error)
        if (to === null) throw platformError(error)
        moved.set(chat, to)
        onMove(chat, to)
        return call(to).catch((again: unknown) => {
          throw platformError(again)
        })
      }
    },
    move(from, to) {
      moved.set(from, to)
    },
  }
}
