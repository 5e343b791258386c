import { clipboardLimitText, maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../../base/errors.ts'
import type { Clipboard } from '../../desktop/desktop.ts'
import { quoted, type Arguments, type Bus, type Reply } from './bus.ts'
import { readPipe, writePipe } from './text-pipe.ts'

/** Names of text, best first. */
const textTypes = ['text/plain;charset=utf-8', 'UTF8_STRING', 'text/plain']
const typeList = `[${textTypes.map(quoted).join(', ')}]`

/** Methods and signals of the clipboard in a session of remote desktop. */
export interface SelectionCalls {
  call(method: string, given: Arguments): Promise<Reply>
  send(method: string, types: string, text: string): void
  listen(signal: string, listener: Parameters<Bus['listen']>[2]): void
  /** Names of options. */
  mimeTypes: string
  isOwner: string
}

/** Clipboard of a session of remote desktop. */
export class BusClipboard implements Clipboard {
  onChange: () => void = () => undefined
  readonly #session: SelectionCalls
  /** Text that this program offers; null while another program owns the clipboard. */
  #own: string | null = null
  #onTaken: () => void = () => undefined

  constructor(session: SelectionCalls) {
    this.#session = session
    session.listen('SelectionOwnerChanged', ([options]) => {
      if (options instanceof Map && options.get(session.isOwner) !== true) {
        this.#own = null
        this.onChange()
      }
    })
    session.listen('SelectionTransfer', ([, serial]) => void this.#transfer(Number(serial)))
  }

  async readText(): Promise<string | null> {
    if (this.#own !== null) {
      return this.#own
    }
    for (const type of textTypes) {
      const reply = await this.#session
        .call('SelectionRead', { types: '(s)', text: `(${quoted(type)},)` })
        .catch(() => undefined)
      const fd = reply?.descriptors[0]
      if (fd !== undefined) {
        return (await readPipe(fd)).toString() || null
      }
    }
    return null
  }

  async writeText(text: string): Promise<void> {
    if (Buffer.byteLength(text) > maxClipboardBytes) {
      throw new UserError(`This text is ${clipboardLimitText}.`)
    }
    this.#own = text
    await this.#session.call('SetSelection', {
      types: '(a{sv})',
      text: `({'${this.#session.mimeTypes}': <${typeList}>},)`,
    })
  }

  /** Offers a text; resolves when a program has taken it, or after the limit. */
  async lend(text: string, paste: () => void, limitMs: number): Promise<void> {
    await this.writeText(text)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs)
      this.#onTaken = () => {
        clearTimeout(timer)
        resolve()
      }
      paste()
    })
    this.#onTaken = () => undefined
  }

  async #transfer(serial: number) {
    let isSuccess = false
    try {
      const { descriptors } = await this.#session.call('SelectionWrite', { types: '(u)', text: `(${serial},)` })
      const [fd] = descriptors
      if (fd !== undefined) {
        await writePipe(fd, this.#own ?? '')
        isSuccess = true
      }
    } catch {
      // The reader has ended, or another program owns the clipboard now.
    }
    this.#session.send('SelectionWriteDone', '(ub)', `(${serial}, ${isSuccess})`)
    this.#onTaken()
  }
}
