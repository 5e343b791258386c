import { setTimeout as wait } from 'node:timers/promises'
import { clipboardLimitText, maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../../base/errors.ts'
import type { Clipboard } from '../../desktop/desktop.ts'
import { common, reasonOf, type Handle } from '../library.ts'
import { winbase } from '../win32/winbase.ts'
import { winuser } from '../win32/winuser.ts'
import { processWindows, type ProcessWindows } from './process-windows.ts'

const clipboardUpdate = 0x31d
/** `CF_UNICODETEXT` */
const unicodeText = 13
const moveable = 2
/** `WM_NULL`, which every program that handles messages answers. */
const emptyMessage = 0
/** `SMTO_ABORTIFHUNG` */
const unlessHung = 2
const ownerAnswersMs = 1000
/** Another program may have the clipboard open for a moment. */
const attempts = 50
const retryMs = 20

async function loadApi() {
  const [library, user, base] = await Promise.all([common(), winuser(), winbase()])
  return { ...library, ...user, ...base }
}
type Api = Awaited<ReturnType<typeof loadApi>>

/** Text on the clipboard of this session. */
export class WindowsClipboard implements Clipboard {
  onChange: () => void = () => undefined
  readonly #api: Api
  readonly #windows: ProcessWindows
  readonly #window: Handle

  private constructor(api: Api, windows: ProcessWindows) {
    this.#api = api
    this.#windows = windows
    this.#window = windows.createHidden(({ message }) => {
      if (message === clipboardUpdate && api.getClipboardOwner() !== this.#window) {
        this.onChange()
      }
    })
    api.addClipboardFormatListener(this.#window)
  }

  static async open(): Promise<WindowsClipboard> {
    return new WindowsClipboard(await loadApi(), await processWindows())
  }

  async readText(): Promise<string | null> {
    const { koffi, isClipboardFormatAvailable, getClipboardData, globalSize } = this.#api
    await this.#requireOwner()
    return await this.#withClipboard(() => {
      const memory = isClipboardFormatAvailable(unicodeText) ? getClipboardData(unicodeText) : 0
      if (memory === 0) {
        return null
      }
      const byteCount = globalSize(memory)
      // Each unit of UTF-16, two bytes, takes at least one byte in UTF-8; the last unit is a NUL.
      if (byteCount / 2 - 1 > maxClipboardBytes * 2) {
        throw new UserError(`The text on the clipboard of the device is ${clipboardLimitText}.`)
      }
      const text = this.#locked(memory, (address) => Buffer.from(koffi.view(address, byteCount)).toString('utf16le'))
      const end = text.indexOf('\0')
      const read = end === -1 ? text : text.slice(0, end)
      if (Buffer.byteLength(read) > maxClipboardBytes) {
        throw new UserError(`The text on the clipboard of the device is ${clipboardLimitText}.`)
      }
      return read
    })
  }

  async writeText(text: string): Promise<void> {
    if (Buffer.byteLength(text) > maxClipboardBytes) {
      throw new UserError(`This text is ${clipboardLimitText}.`)
    }
    // Programs of Windows expect CR LF.
    const bytes = Buffer.from(`${text.replaceAll(/\r?\n/g, '\r\n')}\0`, 'utf16le')
    await this.#requireOwner()
    await this.#withClipboard(() => {
      const { koffi, emptyClipboard, globalAlloc, globalFree, setClipboardData, lastError } = this.#api
      emptyClipboard()
      const memory = globalAlloc(moveable, bytes.length)
      if (memory === 0) {
        throw new UserError(`Windows has no memory for this text: ${reasonOf(lastError())}.`)
      }
      this.#locked(memory, (address) => Buffer.from(koffi.view(address, bytes.length)).set(bytes))
      if (setClipboardData(unicodeText, memory) === 0) {
        const code = lastError()
        globalFree(memory)
        throw new UserError(`Windows did not take the text: ${reasonOf(code)}.`)
      }
    })
  }

  close(): void {
    this.#api.removeClipboardFormatListener(this.#window)
    this.#windows.destroy(this.#window)
  }

  /**
   * Many programs make the text only when it is read, and are told when it is replaced; Windows waits for them without a
   * limit. Rejects with a UserError if the program is hung.
   */
  async #requireOwner() {
    const { getClipboardOwner, sendMessageTimeout } = this.#api
    const owner = getClipboardOwner()
    if (owner === 0 || owner === this.#window) {
      return
    }
    const answer = await new Promise<number>((resolve) => {
      sendMessageTimeout.async(owner, emptyMessage, 0, 0, unlessHung, ownerAnswersMs, null, (error, result) =>
        resolve(error ? 0 : result),
      )
    })
    // A window that is gone does not answer either, and leaves what it put there.
    if (answer === 0 && getClipboardOwner() === owner) {
      throw new UserError('The program that has the text does not answer.')
    }
  }

  #locked<T>(memory: Handle, use: (address: unknown) => T): T {
    const address = this.#api.globalLock(memory)
    try {
      return use(address)
    } finally {
      this.#api.globalUnlock(memory)
    }
  }

  async #withClipboard<T>(use: () => T): Promise<T> {
    for (let attempt = 1; !this.#api.openClipboard(this.#window); attempt++) {
      if (attempt === attempts) {
        throw new UserError('Another program keeps the clipboard of the device open.')
      }
      await wait(retryMs)
    }
    try {
      return use()
    } finally {
      this.#api.closeClipboard()
    }
  }
}
