import { closeSync } from 'node:fs'
import type { Clipboard, ClipboardContent } from '../../../desktop/desktop.ts'
import { gnomeFilesType, offers, pathsOfList, pictureType, textTypes, uriListType } from '../../file-uris.ts'
import { readPipe, writePipe } from '../text-pipe.ts'
import type { Connection, WaylandObject } from './connection.ts'
import { dataControlDevice, dataControlManager, dataControlOffer, dataControlSource, type wlSeat } from './protocol.ts'

interface Offer {
  object: WaylandObject<typeof dataControlOffer>
  types: Set<string>
}

/** Clipboard of the seat, by `zwlr_data_control`. */
export class WlrootsClipboard implements Clipboard {
  onChange: () => void = () => undefined
  readonly pictures: ClipboardContent<Buffer> = {
    read: () => this.#read('picture', [pictureType]),
    write: (png) => this.#offer(offers.picture(png)),
  }
  readonly files: ClipboardContent<readonly string[]> = {
    read: async () => pathsOfList(String((await this.#read('list of files', [gnomeFilesType, uriListType])) ?? '')),
    write: (paths) => this.#offer(offers.files(paths)),
  }
  readonly #connection: Connection
  readonly #manager: WaylandObject<typeof dataControlManager>
  readonly #device: WaylandObject<typeof dataControlDevice>
  readonly #offers = new Map<number, Offer>()
  #selected: Offer | undefined
  /** Contents of ours by name, until another program takes the clipboard. */
  #own: { source: WaylandObject<typeof dataControlSource>; contents: ReadonlyMap<string, Buffer> } | undefined
  #isOpened = false

  private constructor(connection: Connection, seat: WaylandObject<typeof wlSeat>) {
    this.#connection = connection
    this.#manager = connection.bind(dataControlManager)
    this.#device = connection.create(dataControlDevice, {
      data_offer: (id) => this.#addOffer(id),
      selection: (id) => this.#select(id),
    })
    this.#manager.request('get_data_device', this.#device.id, seat.id)
  }

  static async open(connection: Connection, seat: WaylandObject<typeof wlSeat>): Promise<WlrootsClipboard> {
    const clipboard = new WlrootsClipboard(connection, seat)
    // The compositor first names the present owner.
    await connection.roundtrip()
    clipboard.#isOpened = true
    return clipboard
  }

  async readText(): Promise<string | null> {
    return (await this.#read('text', textTypes))?.toString() ?? null
  }

  writeText(text: string): Promise<void> {
    return this.#offer(offers.text(text))
  }

  /** Content as the first of the types that its owner offers; `name` is that of the content in sentences. */
  async #read(name: string, types: readonly string[]): Promise<Buffer | null> {
    const { contents } = this.#own ?? {}
    if (contents) {
      return types.map((type) => contents.get(type)).find((content) => content !== undefined) ?? null
    }
    const offer = this.#selected
    const type = types.find((each) => offer?.types.has(each))
    if (!offer || type === undefined) {
      return null
    }
    const [readEnd, writeEnd] = this.#connection.pipe()
    offer.object.request('receive', type, writeEnd)
    return await readPipe(readEnd, name)
  }

  async #offer(contents: ReadonlyMap<string, Buffer>): Promise<void> {
    const source = this.#connection.create(dataControlSource, {
      send: (type, fd) => {
        const content = contents.get(type)
        if (content) {
          // Whether the other program takes the content is its own affair.
          writePipe(fd, content).catch(() => undefined)
        } else {
          closeSync(fd)
        }
      },
      cancelled: () => {
        source.request('destroy')
        this.#connection.forget(source)
        if (this.#own?.source === source) {
          this.#own = undefined
        }
      },
    })
    this.#manager.request('create_data_source', source.id)
    for (const type of contents.keys()) {
      source.request('offer', type)
    }
    this.#device.request('set_selection', source.id)
    this.#own = { source, contents }
    await this.#connection.roundtrip()
  }

  #addOffer(id: number) {
    const types = new Set<string>()
    const object = this.#connection.adopt(dataControlOffer, id, { offer: (type) => types.add(type) })
    this.#offers.set(id, { object, types })
  }

  #select(id: number) {
    this.#selected = this.#offers.get(id)
    for (const [other, { object }] of this.#offers) {
      if (other !== id) {
        object.request('destroy')
        this.#connection.forget(object)
        this.#offers.delete(other)
      }
    }
    // The compositor names our own content too; when another program takes the clipboard, ours was cancelled before.
    if (this.#isOpened && !this.#own) {
      this.onChange()
    }
  }
}
