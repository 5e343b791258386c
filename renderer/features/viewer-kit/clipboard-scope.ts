/** Which text may go from one clipboard to the other: what came from one device never goes to another by itself. */

/** Remembers where the text on this machine's clipboard came from, for all windows of this browser. */
export interface ClipboardOrigin {
  /** The device that this text came from; undefined when it did not come from any. */
  deviceOf(text: string): Promise<string | undefined>
  cameFrom(deviceId: string, text: string): Promise<void>
}

export const maxClipboardLength = 1024 * 1024

export type Sharing = 'share' | 'same' | 'foreign' | 'too-long'

/** The clipboard of one session. */
export class ClipboardScope {
  readonly #deviceId: string
  readonly #origin: ClipboardOrigin
  /** What is on both sides as far as we know. */
  #shared: string | undefined

  constructor(deviceId: string, origin: ClipboardOrigin) {
    this.#deviceId = deviceId
    this.#origin = origin
  }

  /** Whether the text of this machine goes to the device; `isMeant` when the person asked for it in so many words. */
  async outgoing(text: string, isMeant = false): Promise<Sharing> {
    if (text === '' || (text === this.#shared && !isMeant)) {
      return 'same'
    }
    if (text.length > maxClipboardLength) {
      return 'too-long'
    }
    const from = isMeant ? undefined : await this.#origin.deviceOf(text)
    if (from !== undefined && from !== this.#deviceId) {
      return 'foreign'
    }
    this.#shared = text
    return 'share'
  }

  /** Whether the text of the device goes to this machine. */
  async incoming(text: string): Promise<Sharing> {
    if (text === '' || text === this.#shared) {
      return 'same'
    }
    if (text.length > maxClipboardLength) {
      return 'too-long'
    }
    this.#shared = text
    await this.#origin.cameFrom(this.#deviceId, text)
    return 'share'
  }

  /** Another connection, another device process: what it has on its clipboard is not known. */
  forget(): void {
    this.#shared = undefined
  }
}
