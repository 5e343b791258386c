import * as t from '../../texts.ts'
import type { ClipboardScope, Sharing } from './clipboard-scope.ts'

/** Whether the page can use the clipboard: only on secure origins. */
export const hasClipboard = () => window.isSecureContext && navigator.clipboard !== undefined

export interface ClipboardOptions {
  /** Whether text is shared automatically (a setting). */
  isShared: boolean
  canRead: boolean
  canWrite: boolean
  /** Whether the session can receive text: it is open and not view-only. */
  canSend: () => boolean
  /** Longest text, in UTF-16 code units, in either direction. */
  maxLength: number
  /** `maxLength` in words. */
  limit: string
  send: (text: string) => void
  onReceived?: (text: string) => void
  onNote: (note: string) => void
}

export type BrowserClipboard = Pick<Clipboard, 'readText' | 'writeText'>

/**
 * Whether the page may read the clipboard without a prompt. Browsers without this permission prompt at every reading,
 * so there the clipboard is read only on request.
 */
async function canReadUnasked() {
  // TypeScript's DOM types lack this name.
  const name = 'clipboard-read' as PermissionName
  const status = await navigator.permissions.query({ name }).catch(() => undefined)
  return status !== undefined && status.state !== 'denied'
}

const noteOf = (sharing: Sharing, limit: string) =>
  sharing === 'foreign'
    ? t.viewer.clipboardForeign
    : sharing === 'too-long'
      ? t.viewer.clipboardTooLong(limit)
      : undefined

/** Shares text between the clipboards of this machine and one device, while the focus is in the session. */
export class SessionClipboard {
  options: ClipboardOptions
  readonly scope: ClipboardScope
  readonly #browser: () => BrowserClipboard | undefined
  readonly #canReadUnasked: () => Promise<boolean>
  #isFocused = false

  constructor(
    scope: ClipboardScope,
    options: ClipboardOptions,
    browser: () => BrowserClipboard | undefined = () => (hasClipboard() ? navigator.clipboard : undefined),
    mayRead: () => Promise<boolean> = canReadUnasked,
  ) {
    this.scope = scope
    this.options = options
    this.#browser = browser
    this.#canReadUnasked = mayRead
  }

  /** Handles text copied on the device: untrusted. */
  async receive(received: string): Promise<void> {
    const { canRead, isShared, maxLength, limit, onNote, onReceived } = this.options
    if (!canRead) {
      return
    }
    if (received.length > maxLength) {
      onNote(t.viewer.clipboardTooLong(limit))
      return
    }
    const text = received.toWellFormed()
    onReceived?.(text)
    const browser = this.#browser()
    if (!isShared || !this.#isFocused || !browser) {
      return
    }
    if ((await this.scope.incoming(text)) === 'share') {
      await browser.writeText(text).then(
        () => onNote(t.viewer.clipboardTaken),
        () => onNote(t.viewer.clipboardRefused),
      )
    }
  }

  /** Sends this machine's clipboard to the device, on the user's request. */
  async sendNow(): Promise<void> {
    const text = await this.#browser()
      ?.readText()
      .catch(() => this.options.onNote(t.viewer.clipboardRefused))
    if (text !== undefined) {
      await this.sendText(text)
    }
  }

  /** Sends a text to the device, on the user's request. Returns whether the text was sent. */
  sendText(text: string): Promise<boolean> {
    return this.#send(text, true)
  }

  get isFocused(): boolean {
    return this.#isFocused
  }

  /** Whether content of this machine may go to the device without a separate request. */
  get canShare(): boolean {
    const { isShared, canWrite, canSend } = this.options
    return isShared && canWrite && canSend()
  }

  /** Sends a text that the browser hands over with a paste, by the rules of a text that is shared unasked. */
  sharePasted(text: string): Promise<boolean> {
    return this.#send(text, false)
  }

  /** Called when the focus enters or leaves the session; on entering, the clipboard is shared. */
  setFocused(isFocused: boolean): void {
    this.#isFocused = isFocused
    if (isFocused) {
      void this.#share()
    }
  }

  /** Called when another connection begins, whose clipboard is unknown. */
  forget(): void {
    this.scope.forget()
  }

  async #share() {
    const browser = this.#browser()
    if (!this.canShare || !browser || !(await this.#canReadUnasked())) {
      return
    }
    const text = await browser.readText().catch(() => undefined)
    if (text !== undefined && this.#isFocused) {
      await this.#send(text, false)
    }
  }

  async #send(text: string, isRequested: boolean): Promise<boolean> {
    const { canWrite, canSend, maxLength, limit, send, onNote } = this.options
    if (!canWrite || !canSend()) {
      return false
    }
    const sharing = text.length > maxLength ? 'too-long' : await this.scope.outgoing(text, isRequested)
    if (sharing === 'share') {
      send(text)
    }
    const note = sharing === 'share' && isRequested ? t.viewer.clipboardSent : noteOf(sharing, limit)
    if (note !== undefined) {
      onNote(note)
    }
    return sharing === 'share'
  }
}
