import type { RemoteSession } from './remote-sessions.ts'

/** A chat with the person at a desktop of a device. */
export interface Chat {
  readonly id: string
  readonly deviceId: string
  /** Process of the desktop whose window it is. */
  readonly processId: number
  /** Who may go on with it. */
  readonly owner: string
  readonly session: RemoteSession
  usedAt: number
  bytesToDevice: number
  bytesFromDevice: number
}

const keyOf = (deviceId: string, id: string) => `${deviceId} ${id}`

/** The open chats of all devices. An id is made by a viewer: it names one chat of one device. */
export class Chats implements Iterable<Chat> {
  readonly #chats = new Map<string, Chat>()

  find(deviceId: string, id: string): Chat | undefined {
    return this.#chats.get(keyOf(deviceId, id))
  }

  add(chat: Chat): void {
    this.#chats.set(keyOf(chat.deviceId, chat.id), chat)
  }

  remove({ deviceId, id }: Chat): void {
    this.#chats.delete(keyOf(deviceId, id))
  }

  [Symbol.iterator](): Iterator<Chat> {
    return this.#chats.values()
  }
}
