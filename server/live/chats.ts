import type { Clock } from '../clock.ts'
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
  readonly #absences = new Map<string, { chat: Chat; end: (isBack: boolean) => void }>()

  find(deviceId: string, id: string): Chat | undefined {
    return this.#chats.get(keyOf(deviceId, id))
  }

  add(chat: Chat): void {
    this.#chats.set(keyOf(chat.deviceId, chat.id), chat)
  }

  remove(chat: Chat): void {
    this.#chats.delete(keyOf(chat.deviceId, chat.id))
    this.#endAbsence(chat, false)
  }

  /** The viewer of a chat has the answers come to another connection. */
  takenUp(chat: Chat): void {
    this.#endAbsence(chat, true)
  }

  /**
   * Whether the viewer takes the chat up again within this time. Undefined when an answer of the same device waits already:
   * each one that waits holds up the other calls of the device.
   */
  untilTakenUp(chat: Chat, clock: Clock, ms: number): Promise<boolean> | undefined {
    if (this.#absences.has(chat.deviceId)) {
      return undefined
    }
    return new Promise((resolve) => {
      const end = (isBack: boolean) => {
        cancel()
        this.#absences.delete(chat.deviceId)
        resolve(isBack)
      }
      const cancel = clock.after(ms, () => end(false))
      this.#absences.set(chat.deviceId, { chat, end })
    })
  }

  #endAbsence(chat: Chat, isBack: boolean): void {
    const absence = this.#absences.get(chat.deviceId)
    if (absence?.chat === chat) {
      absence.end(isBack)
    }
  }

  [Symbol.iterator](): Iterator<Chat> {
    return this.#chats.values()
  }
}
