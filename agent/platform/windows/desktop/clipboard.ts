import { setTimeout as wait } from 'node:timers/promises'
import {
  clipboardLimitText,
  maxClipboardBytes,
  maxClipboardFiles,
} from '../../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../../base/errors.ts'
import type { Clipboard, ClipboardContent } from '../../desktop/desktop.ts'
import { common, reasonOf, type Handle } from '../library.ts'
import { winbase } from '../win32/winbase.ts'
import { bitmapInfo, wingdi, type Bitmap } from '../win32/wingdi.ts'
import { winuser } from '../win32/winuser.ts'
import {
  dibOf,
  dropFilesOf,
  format,
  pathsOfDropFiles,
  pngFormatName,
  pngOf,
  requirePixels,
  requireSize,
  textOf,
  unicodeOf,
  usablePaths,
} from './clipboard-formats.ts'
import { processWindows, type ProcessWindows } from './process-windows.ts'

const clipboardUpdate = 0x31d
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
  const [library, user, base, gdi] = await Promise.all([common(), winuser(), winbase(), wingdi()])
  return { ...library, ...user, ...base, ...gdi }
}
type Api = Awaited<ReturnType<typeof loadApi>>

/** Text, pictures and files on the clipboard of this session. */
export class WindowsClipboard implements Clipboard {
  onChange: () => void = () => undefined
  readonly pictures: ClipboardContent<Buffer>
  readonly files: ClipboardContent<readonly string[]>
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
    const png = api.registerClipboardFormat(pngFormatName)
    this.pictures = {
      read: async () => (await this.#read('picture', png)) ?? (await this.#readBitmap()),
      write: async (picture) => {
        const dib = await dibOf(picture)
        await this.#write(
          'picture',
          new Map<number, Buffer>([
            [png, picture],
            [format.dib, dib],
          ]),
        )
      },
    }
    this.files = {
      read: async () => {
        const content = await this.#read('list of files', format.files)
        return content && usablePaths(pathsOfDropFiles(content, maxClipboardFiles))
      },
      write: (paths) => this.#write('list of files', new Map([[format.files, dropFilesOf(paths)]])),
    }
  }

  static async open(): Promise<WindowsClipboard> {
    return new WindowsClipboard(await loadApi(), await processWindows())
  }

  async readText(): Promise<string | null> {
    // Each unit of UTF-16, two bytes, takes at least one byte in UTF-8; the last unit is a NUL.
    const unicode = await this.#read('text', format.unicodeText, maxClipboardBytes * 2 + 2)
    const text = unicode && textOf(unicode)
    requireSize('text', Buffer.byteLength(text ?? ''))
    return text
  }

  async writeText(text: string): Promise<void> {
    if (Buffer.byteLength(text) > maxClipboardBytes) {
      throw new UserError(`This text is ${clipboardLimitText}.`)
    }
    await this.#write('text', new Map([[format.unicodeText, unicodeOf(text)]]))
  }

  close(): void {
    this.#api.removeClipboardFormatListener(this.#window)
    this.#windows.destroy(this.#window)
  }

  /** Copies the content of a format; null without one. `name` is that of the content in sentences. */
  #read(name: string, wanted: number, maxBytes = maxClipboardBytes): Promise<Buffer | null> {
    const { koffi, globalSize } = this.#api
    return this.#use(wanted, (memory) => {
      const byteCount = globalSize(memory)
      if (byteCount > maxBytes) {
        requireSize(name, byteCount)
      }
      return this.#locked(memory, (address) => Buffer.from(Buffer.from(koffi.view(address, byteCount))))
    })
  }

  /** Picture of programs that offer no PNG; Windows makes a bitmap of every other format. */
  async #readBitmap(): Promise<Buffer | null> {
    const { getObject, bitmapSize, createCompatibleDc, getDiBits, deleteDc } = this.#api
    const found = await this.#use(format.bitmap, (bitmap) => {
      const size: Partial<Bitmap> = {}
      getObject(bitmap, bitmapSize, size)
      const { bmWidth: width = 0, bmHeight: height = 0 } = size
      requirePixels(width, height)
      const pixels = Buffer.alloc(width * height * 4)
      const dc = createCompatibleDc(0)
      const rows = getDiBits(dc, bitmap, 0, height, pixels, bitmapInfo(width, height), 0)
      deleteDc(dc)
      return rows === height ? { pixels, width, height } : null
    })
    const png = found && (await pngOf(found.pixels, found.width, found.height))
    requireSize('picture', png?.length ?? 0)
    return png
  }

  /** Uses the content of a format while the clipboard is open. Resolves with null without one. */
  async #use<T>(wanted: number, use: (content: Handle) => T): Promise<T | null> {
    const { isClipboardFormatAvailable, getClipboardData } = this.#api
    await this.#requireOwner()
    return await this.#withClipboard(() => {
      const content = isClipboardFormatAvailable(wanted) ? getClipboardData(wanted) : 0
      return content === 0 ? null : use(content)
    })
  }

  async #write(name: string, contents: ReadonlyMap<number, Buffer>): Promise<void> {
    await this.#requireOwner()
    await this.#withClipboard(() => {
      this.#api.emptyClipboard()
      contents.forEach((bytes, wanted) => this.#put(name, wanted, bytes))
    })
  }

  #put(name: string, wanted: number, bytes: Buffer) {
    const { koffi, globalAlloc, globalFree, setClipboardData, lastError } = this.#api
    const memory = globalAlloc(moveable, bytes.length)
    if (memory === 0) {
      throw new UserError(`Windows has no memory for this ${name}: ${reasonOf(lastError())}.`)
    }
    this.#locked(memory, (address) => Buffer.from(koffi.view(address, bytes.length)).set(bytes))
    if (setClipboardData(wanted, memory) === 0) {
      const code = lastError()
      globalFree(memory)
      throw new UserError(`Windows did not take the ${name}: ${reasonOf(code)}.`)
    }
  }

  /**
   * Many programs make their content only when it is read, and are told when it is replaced; Windows waits for them
   * without a limit. Rejects with a UserError if the program is hung.
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
      throw new UserError('The program that owns the clipboard of the device does not answer.')
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
