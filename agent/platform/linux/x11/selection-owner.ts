import type { Connection } from './connection.ts'
import type { Event } from './protocol.ts'
import type { SelectionAtoms } from './selection-atoms.ts'

const now = 0
const replace = 0
const bytes = 8
const words = 32
/**
 * Maximum length of one part; longer texts are sent in parts (INCR), each of which the other program deletes before the
 * next part.
 */
const partBytes = 128 * 1024
const deleted = 1
const propertyChanges = 0x40_00_00
/** Timeout for programs that stop reading in the middle of a long text. */
const silenceMs = 10_000
const atomType = 4
const noEvents = 0

/** Offers a text to all programs of a display, until another program becomes the owner. */
export class SelectionOwner {
  readonly #connection: Connection
  readonly #atoms: SelectionAtoms
  readonly #window: number
  #text: Buffer | null = null
  #ownedSince = 0

  constructor(connection: Connection, atoms: SelectionAtoms, window: number) {
    this.#connection = connection
    this.#atoms = atoms
    this.#window = window
    connection.listen((event) => {
      if (event.name === 'SelectionRequest' && event.owner === window && event.selection === atoms.clipboard) {
        this.#answer(event)
      }
    })
  }

  /** Text offered at present; null after another program became the owner. */
  get text(): string | null {
    return this.#text?.toString() ?? null
  }

  /** Sequence number of the request that made us the owner: events from before concern older owners. */
  get ownedSince() {
    return this.#ownedSince
  }

  async own(text: string) {
    this.#text = Buffer.from(text)
    this.#connection.client.SetSelectionOwner(this.#window, this.#atoms.clipboard, now)
    this.#ownedSince = this.#connection.client.seq_num
    await this.#connection.flush()
  }

  lose() {
    this.#text = null
  }

  #answer({ requestor, selection, target, property: named, time }: Event) {
    // Obsolete clients name no property and read the property named like the target.
    const property = named || target
    const isGiven = this.#put(requestor, target, property)
    const answer = { name: 'SelectionNotify', time, requestor, selection, target, property: isGiven ? property : 0 }
    this.#connection.client.SendEvent(requestor, 0, noEvents, { ...answer, seq: 0 })
  }

  #put(requestor: number, target: number, property: number) {
    const { client } = this.#connection
    const { targets, utf8, text, latin1 } = this.#atoms
    if (target === targets) {
      client.ChangeProperty(replace, requestor, property, atomType, words, [targets, utf8, text, latin1])
      return true
    }
    const content = this.#textAs(target)
    if (!content) {
      return false
    }
    const type = target === latin1 ? latin1 : utf8
    if (content.length <= partBytes) {
      client.ChangeProperty(replace, requestor, property, type, bytes, content)
    } else {
      this.#putParts(requestor, property, type, content)
    }
    return true
  }

  #textAs(target: number): Buffer | null {
    const { utf8, text, latin1 } = this.#atoms
    if (target === latin1) {
      // Characters outside Latin-1 become question marks.
      return this.#text && Buffer.from(this.#text.toString().replaceAll(/[^\0-\xff]/gu, '?'), 'latin1')
    }
    return target === utf8 || target === text ? this.#text : null
  }

  #putParts(requestor: number, property: number, type: number, content: Buffer) {
    const { client } = this.#connection
    let sent = 0
    let isOver = false
    const stop = () => {
      unlisten()
      clearTimeout(silence)
    }
    const silence = setTimeout(stop, silenceMs).unref()
    const unlisten = this.#connection.listen(({ name, wid, atom, state }) => {
      if (name !== 'PropertyNotify' || wid !== requestor || atom !== property || state !== deleted) {
        return
      }
      const part = content.subarray(sent, sent + partBytes)
      // An empty part marks the end and is deleted by the reader as well.
      if (isOver) {
        stop()
        return
      }
      isOver = part.length === 0
      sent += part.length
      silence.refresh()
      client.ChangeProperty(replace, requestor, property, type, bytes, part)
    })
    client.ChangeWindowAttributes(requestor, { eventMask: propertyChanges })
    client.ChangeProperty(replace, requestor, property, this.#atoms.incremental, words, [content.length])
  }
}
