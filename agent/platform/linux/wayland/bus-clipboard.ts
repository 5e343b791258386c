import { deferred } from '../../../../shared/deferred.ts'
import type { Clipboard, ClipboardContent } from '../../desktop/desktop.ts'
import { gnomeFilesType, offers, pathsOfList, pictureType, textTypes, uriListType } from '../file-uris.ts'
import { quoted, type Arguments, type Bus, type Reply } from './bus.ts'
import type { Value } from './gio.ts'
import { readPipe, writePipe } from './text-pipe.ts'

/** Methods and signals of the clipboard in a session of remote desktop. */
export interface SelectionCalls {
  call(method: string, given: Arguments): Promise<Reply>
  send(method: string, types: string, text: string): void
  listen(signal: string, listener: Parameters<Bus['listen']>[2]): void
  /** Names of options. */
  mimeTypes: string
  isOwner: string
}

/** Time for a desktop to begin its own copy of a content; others take none. */
const copyMs = 100

type Contents = ReadonlyMap<string, Buffer>

const fileTypes = [gnomeFilesType, uriListType]

/** Names of a signal's types; Mutter puts their list into a structure. */
const typesOf = (value: Value | undefined): Set<string> =>
  new Set(Array.isArray(value) ? value.flat().filter((type) => typeof type === 'string') : [])

/** Clipboard of a session of remote desktop. */
export class BusClipboard implements Clipboard {
  onChange: () => void = () => undefined
  readonly pictures: ClipboardContent<Buffer> = {
    read: () => this.#read('picture', [pictureType]),
    write: (png) => this.#offer(offers.picture(png)),
  }
  readonly files: ClipboardContent<readonly string[]> = {
    read: async () => pathsOfList(String((await this.#read('list of files', fileTypes)) ?? '')),
    write: (paths) => this.#offer(offers.files(paths)),
  }
  readonly #session: SelectionCalls
  /** Contents that this program offers, by type; undefined while another program owns the clipboard. */
  #own: Contents | undefined
  /** Types that the other program offers; undefined until the desktop has named them. */
  #offered: ReadonlySet<string> | undefined
  /** Serializes reads: the desktop rejects a second one at the same time. */
  #reading: Promise<unknown> = Promise.resolve()
  #onTaken: () => void = () => undefined

  constructor(session: SelectionCalls) {
    this.#session = session
    session.listen('SelectionOwnerChanged', ([options]) => {
      if (options instanceof Map && options.get(session.isOwner) !== true) {
        this.#own = undefined
        const types = typesOf(options.get(session.mimeTypes))
        // Portals may name none.
        this.#offered = types.size > 0 ? types : undefined
        this.onChange()
      }
    })
    session.listen('SelectionTransfer', ([type, serial]) => {
      if (typeof type === 'string') {
        void this.#transfer(type, Number(serial))
      }
    })
  }

  async readText(): Promise<string | null> {
    return (await this.#read('text', textTypes))?.toString() || null
  }

  writeText(text: string): Promise<void> {
    return this.#offer(offers.text(text))
  }

  /** Offers a text until a program has pasted it, or until the limit, and then what was there before. */
  async lend(text: string, paste: () => void, limitMs: number): Promise<void> {
    const before = await this.#present().catch(() => undefined)
    // GNOME takes a copy of each content at once, which is no paste.
    await this.#untilTaken(() => this.writeText(text), copyMs)
    await this.#untilTaken(paste, limitMs)
    await this.#offer(before ?? offers.text(''))
  }

  /** Resolves when a program has taken the content that it has asked for since `work` began, or after the limit. */
  async #untilTaken(work: () => unknown, limitMs: number) {
    const taken = deferred<void>()
    const timer = setTimeout(taken.resolve, limitMs)
    this.#onTaken = taken.resolve
    try {
      await work()
      await taken.promise
    } finally {
      clearTimeout(timer)
      this.#onTaken = () => undefined
    }
  }

  /** Contents of the clipboard, of the first kind that it has. */
  async #present(): Promise<Contents | undefined> {
    if (this.#own) {
      return this.#own
    }
    const paths = await this.files.read()
    if (paths) {
      return offers.files(paths)
    }
    const text = await this.readText()
    const png = text === null ? await this.pictures.read() : null
    return png ? offers.picture(png) : offers.text(text ?? '')
  }

  /** Content as the first of the types that its owner offers; `name` is that of the content in sentences. */
  #read(name: string, types: readonly string[]): Promise<Buffer | null> {
    const reading = this.#reading
      .catch(() => undefined)
      .then(() => {
        const own = this.#own
        return own ? (types.map((type) => own.get(type)).find(Boolean) ?? null) : this.#readOther(name, types)
      })
    this.#reading = reading
    return reading
  }

  async #readOther(name: string, types: readonly string[]): Promise<Buffer | null> {
    const offered = this.#offered
    for (const type of offered ? types.filter((each) => offered.has(each)) : types) {
      const reply = await this.#session
        .call('SelectionRead', { types: '(s)', text: `(${quoted(type)},)` })
        .catch(() => undefined)
      const fd = reply?.descriptors[0]
      const content = fd === undefined ? undefined : await readPipe(fd, name)
      if (content && content.length > 0) {
        return content
      }
    }
    return null
  }

  async #offer(contents: Contents): Promise<void> {
    this.#own = contents
    await this.#session.call('SetSelection', {
      types: '(a{sv})',
      text: `({'${this.#session.mimeTypes}': <[${[...contents.keys()].map(quoted).join(', ')}]>},)`,
    })
  }

  async #transfer(type: string, serial: number) {
    const content = this.#own?.get(type)
    const onTaken = this.#onTaken
    let isSuccess = false
    try {
      const { descriptors } = await this.#session.call('SelectionWrite', { types: '(u)', text: `(${serial},)` })
      const [fd] = descriptors
      if (fd !== undefined) {
        await writePipe(fd, content ?? '')
        isSuccess = content !== undefined
      }
    } catch {
      // The reader has ended, or another program owns the clipboard now.
    }
    this.#session.send('SelectionWriteDone', '(ub)', `(${serial}, ${isSuccess})`)
    onTaken()
  }
}
