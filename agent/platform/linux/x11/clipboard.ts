import { clipboardLimitText, maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../../base/errors.ts'
import type { Clipboard, ClipboardContent } from '../../desktop/desktop.ts'
import { fileLists, pathsOfList } from '../file-uris.ts'
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

/** Contents to offer, by target. */
type Offered = { [T in keyof SelectionAtoms]?: Buffer | (() => Buffer) }

/** CLIPBOARD selection of a display: text, pictures and files. */
export class X11Clipboard implements Clipboard {
  onChange: () => void = () => undefined
  readonly #connection: Connection
  readonly #atoms: SelectionAtoms
  readonly #window: number
  readonly #owner: SelectionOwner
  readonly pictures: ClipboardContent<Buffer> = {
    read: async () => (await this.#read('picture', ['picture']))?.value ?? null,
    write: (png) => this.#own('picture', { picture: png }),
  }
  readonly files: ClipboardContent<readonly string[]> = {
    read: async () =>
      pathsOfList((await this.#read('list of files', ['gnomeFiles', 'uriList']))?.value.toString() ?? ''),
    write: (paths) => this.#own('list of files', fileLists(paths)),
  }
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

  async readText(): Promise<string | null> {
    const found = await this.#read('text', ['utf8', 'latin1'])
    return found && found.value.toString(found.type === this.#atoms.latin1 ? 'latin1' : 'utf8')
  }

  writeText(text: string): Promise<void> {
    const content = Buffer.from(text)
    // Characters outside Latin-1 become question marks.
    const latin1 = () => Buffer.from(text.replaceAll(/[^\0-\xff]/gu, '?'), 'latin1')
    return this.#own('text', { utf8: content, text: content, latin1 })
  }

  /** Content as the first of the targets that its owner offers; `name` is that of the content in sentences. */
  async #read(name: string, targets: readonly (keyof SelectionAtoms)[]) {
    const atoms = targets.map((target) => this.#atoms[target])
    const { contents } = this.#owner
    if (contents) {
      const own = atoms.map((atom) => contents.get(atom)).find((content) => content !== undefined)
      return own ? { type: own.type, value: own.bytes() } : null
    }
    const read = this.#reading
      .catch(() => undefined)
      .then(() => readSelection(this.#connection, this.#atoms, this.#window, atoms, maxClipboardBytes))
    this.#reading = read
    const found = await read
    if (found === 'too long') {
      throw new UserError(`The ${name} on the clipboard of the device is ${clipboardLimitText}.`)
    }
    return found
  }

  async #own(name: string, offered: Offered) {
    const contents = Object.entries(offered).map(([target, content]) => {
      const atom = this.#atoms[target as keyof SelectionAtoms]
      // Text of all names but this one is UTF-8.
      const type = target === 'text' ? this.#atoms.utf8 : atom
      return [atom, { type, bytes: typeof content === 'function' ? content : () => content }] as const
    })
    if (Object.values(offered).some((content) => content.length > maxClipboardBytes)) {
      throw new UserError(`This ${name} is ${clipboardLimitText}.`)
    }
    await this.#owner.own(new Map(contents))
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
