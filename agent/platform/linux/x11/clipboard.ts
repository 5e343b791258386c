import { UserError } from '../../../base/errors.ts'
import { clipboardLimitText, maxClipboardBytes } from '../../desktop/clipboard-limit.ts'
import type { Clipboard } from '../../desktop/desktop.ts'
import type { Connection } from './connection.ts'
import type { Event, Fixes } from './protocol.ts'
import { readAtoms, type SelectionAtoms } from './selection-atoms.ts'
import { readSelection } from './selection-reader.ts'
import { SelectionOwner } from './selection-owner.ts'

const inputOutput = 1
/** Mask for a new owner, a destroyed owner window and a closed owner connection. */
const anyChange = 0b111

/** Creates a window that is never shown: programs exchange clipboards between windows. */
function createHiddenWindow({ client, root }: Connection) {
  const window = client.AllocID()
  const eventMask = 0x40_00_00
  client.CreateWindow(window, root, -10, -10, 1, 1, 0, 0, inputOutput, 0, { eventMask, overrideRedirect: 1 })
  return window
}

/** CLIPBOARD selection of a display, as text. */
export class X11Clipboard implements Clipboard {
  onChange: () => void = () => undefined
  readonly #connection: Connection
  readonly #atoms: SelectionAtoms
  readonly #window: number
  readonly #owner: SelectionOwner
  /** Serializes reads: all replies arrive in the same property. */
  #reading: Promise<unknown> = Promise.resolve()

  private constructor(connection: Connection, atoms: SelectionAtoms) {
    this.#connection = connection
    this.#atoms = atoms
    this.#window = createHiddenWindow(connection)
    this.#owner = new SelectionOwner(connection, atoms, this.#window)
  }

  static async open(connection: Connection): Promise<X11Clipboard> {
    const [atoms, fixes] = await Promise.all([readAtoms(connection), connection.extension('fixes')])
    const clipboard = new X11Clipboard(connection, atoms)
    clipboard.#watch(fixes)
    return clipboard
  }

  readText(): Promise<string | null> {
    const text = this.#owner.text
    if (text !== null) {
      return Promise.resolve(text)
    }
    const read = this.#reading
      .catch(() => undefined)
      .then(() => readSelection(this.#connection, this.#atoms, this.#window, maxClipboardBytes))
      .then(({ text: found, isTooLong }) => {
        if (isTooLong) {
          throw new UserError(`The text on the clipboard of the device is ${clipboardLimitText}.`)
        }
        return found
      })
    this.#reading = read
    return read
  }

  async writeText(text: string) {
    if (Buffer.byteLength(text) > maxClipboardBytes) {
      throw new UserError(`This text is ${clipboardLimitText}.`)
    }
    await this.#owner.own(text)
  }

  #watch(fixes: Fixes) {
    const { clipboard } = this.#atoms
    // The core protocol has an event of the same name.
    const isOwnerChange = ({ type, selection }: Event) => type === fixes.firstEvent && selection === clipboard
    this.#connection.listen((event) => {
      if (isOwnerChange(event) && event.owner !== this.#window && event.seq >= this.#owner.ownedSince) {
        this.#owner.lose()
        this.onChange()
      }
    })
    fixes.SelectSelectionInput(this.#window, clipboard, anyChange)
  }
}
