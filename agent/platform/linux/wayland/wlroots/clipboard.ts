import { closeSync } from 'node:fs'
import { clipboardLimitText, maxClipboardBytes } from '../../../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../../../base/errors.ts'
import type { Clipboard } from '../../../desktop/desktop.ts'
import { readTextPipe, writeTextPipe } from '../text-pipe.ts'
import type { Connection, WaylandObject } from './connection.ts'
import { dataControlDevice, dataControlManager, dataControlOffer, dataControlSource, type wlSeat } from './protocol.ts'

/** Names of text in UTF-8, best first. */
const textTypes = ['text/plain;charset=utf-8', 'UTF8_STRING', 'text/plain', 'TEXT', 'STRING']

interface Offer {
  object: WaylandObject<typeof dataControlOffer>
  types: Set<string>
}

/** Clipboard of the seat, as text, by `zwlr_data_control`. */
export class WlrootsClipboard implements Clipboard {
  onChange: () => void = () => undefined
  readonly #connection: Connection
  readonly #manager: WaylandObject<typeof dataControlManager>
  readonly #device: WaylandObject<typeof dataControlDevice>
  readonly #offers = new Map<number, Offer>()
  #selected: Offer | undefined
  /** Text of ours, until another program takes the clipboard. */
  #own: { source: WaylandObject<typeof dataControlSource>; text: string } | undefined
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
    if (this.#own) {
      return this.#own.text
    }
    const offer = this.#selected
    const type = textTypes.find((name) => offer?.types.has(name))
    if (!offer || type === undefined) {
      return null
    }
    const [readEnd, writeEnd] = this.#connection.pipe()
    offer.object.request('receive', type, writeEnd)
    return await readTextPipe(readEnd)
  }

  async writeText(text: string): Promise<void> {
    if (Buffer.byteLength(text) > maxClipboardBytes) {
      throw new UserError(`This text is ${clipboardLimitText}.`)
    }
    const source = this.#connection.create(dataControlSource, {
      send: (type, fd) => {
        if (textTypes.includes(type)) {
          // Whether the other program takes the text is its own affair.
          writeTextPipe(fd, text).catch(() => undefined)
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
    for (const type of textTypes) {
      source.request('offer', type)
    }
    this.#device.request('set_selection', source.id)
    this.#own = { source, text }
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
    // The compositor names our own text too; when another program takes the clipboard, ours was cancelled before.
    if (this.#isOpened && !this.#own) {
      this.onChange()
    }
  }
}
