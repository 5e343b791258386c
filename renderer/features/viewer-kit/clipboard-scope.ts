import { maxClipboardBytes } from '../../../shared/remote-control/clipboard.ts'

/** Rules for sharing clipboards: content copied on one device is never sent to another device automatically. */

/** Records the device that the text on this machine's clipboard came from, for all windows of this browser. */
export interface ClipboardOrigin {
  /** Device that the text came from; undefined if none. */
  deviceOf(text: string): Promise<string | undefined>
  cameFrom(deviceId: string, text: string): Promise<void>
}

/** UTF-8 has up to three bytes for a UTF-16 code unit. */
const mostBytesOfUnit = 3

const isTooLarge = (text: string) =>
  text.length * mostBytesOfUnit > maxClipboardBytes && new TextEncoder().encode(text).length > maxClipboardBytes

export type Sharing = 'share' | 'same' | 'foreign' | 'too-long'

/** Clipboard state of one session. */
export class ClipboardScope {
  readonly #deviceId: string
  readonly #origin: ClipboardOrigin
  /** Text that both clipboards are known to contain. */
  #shared: string | undefined

  constructor(deviceId: string, origin: ClipboardOrigin) {
    this.#deviceId = deviceId
    this.#origin = origin
  }

  /** Whether both clipboards are known to contain this text. */
  has(text: string): boolean {
    return text === this.#shared
  }

  /** Decides whether local text is sent to the device; `isMeant` if the user requested it explicitly. */
  async outgoing(text: string, isMeant = false): Promise<Sharing> {
    if (text === '' || (text === this.#shared && !isMeant)) {
      return 'same'
    }
    if (isTooLarge(text)) {
      return 'too-long'
    }
    const from = isMeant ? undefined : await this.#origin.deviceOf(text)
    if (from !== undefined && from !== this.#deviceId) {
      return 'foreign'
    }
    this.#shared = text
    return 'share'
  }

  /** Decides whether the device's text is copied to this machine. */
  async incoming(text: string): Promise<Sharing> {
    if (text === '' || text === this.#shared) {
      return 'same'
    }
    if (isTooLarge(text)) {
      return 'too-long'
    }
    this.#shared = text
    await this.#origin.cameFrom(this.#deviceId, text)
    return 'share'
  }

  /** Resets the state for a new connection, whose clipboard is unknown. */
  forget(): void {
    this.#shared = undefined
  }
}
