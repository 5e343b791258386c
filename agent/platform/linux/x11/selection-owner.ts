import type { Connection } from './connection.ts'
import type { Event } from './protocol.ts'
import type { SelectionAtoms } from './selection-atoms.ts'

const now = 0
const replace = 0
const bytes = 8
const words = 32
/**
 * Maximum length of one part; longer contents are sent in parts (INCR), each of which the other program deletes before the
 * next part.
 */
const partBytes = 128 * 1024
const deleted = 1
const propertyChanges = 0x40_00_00
/** Timeout for programs that stop reading in the middle of a long content. */
const silenceMs = 10_000
const atomType = 4
const noEvents = 0

/** Type and bytes of an offered content. */
interface Content {
  type: number
  bytes: () => Buffer
}

/** Contents by the target that other programs ask for. */
export type Contents = ReadonlyMap<number, Content>

/** Offers contents to all programs of a display, until another program becomes the owner. */
export class SelectionOwner {
  readonly #connection: Connection
  readonly #atoms: SelectionAtoms
  readonly #window: number
  #contents: Contents | null = null
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

  /** Contents offered at present; null after another program became the owner. */
  get contents(): Contents | null {
    return this.#contents
  }

  /** Sequence number of the request that made us the owner: events from before concern older owners. */
  get ownedSince() {
    return this.#ownedSince
  }

  async own(contents: Contents) {
    this.#contents = contents
    this.#connection.client.SetSelectionOwner(this.#window, this.#atoms.clipboard, now)
    this.#ownedSince = this.#connection.client.seq_num
    await this.#connection.flush()
  }

  lose() {
    this.#contents = null
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
    const { targets } = this.#atoms
    if (target === targets) {
      const offered = [...(this.#contents?.keys() ?? [])]
      client.ChangeProperty(replace, requestor, property, atomType, words, [targets, ...offered])
      return true
    }
    const found = this.#contents?.get(target)
    if (!found) {
      return false
    }
    const { type } = found
    const content = found.bytes()
    if (content.length <= partBytes) {
      client.ChangeProperty(replace, requestor, property, type, bytes, content)
    } else {
      this.#putParts(requestor, property, type, content)
    }
    return true
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
