import type { Randr } from './protocol.ts'
import type { Display } from '../../desktop/desktop.ts'
import type { Connection } from './connection.ts'

/** Request number and version of RANDR 1.5. */
const getMonitors = 42
const firstMinorWithMonitors = 5
const answerHeaderBytes = 24
const monitorBytes = 24
/** Mask for screen, CRTC and output changes. */
const allChanges = 0b111
const structureChanges = 0x2_00_00

interface Monitor {
  name: number
  isPrimary: boolean
  bounds: Display['bounds']
}

function parseMonitors(answer: Buffer): Monitor[] {
  const monitors: Monitor[] = []
  for (let count = answer.readUInt32LE(4), at = answerHeaderBytes; count > 0; count--) {
    monitors.push({
      name: answer.readUInt32LE(at),
      isPrimary: answer[at + 4] === 1,
      bounds: {
        x: answer.readInt16LE(at + 8),
        y: answer.readInt16LE(at + 10),
        width: answer.readUInt16LE(at + 12),
        height: answer.readUInt16LE(at + 14),
      },
    })
    at += monitorBytes + answer.readUInt16LE(at + 6) * 4
  }
  return monitors
}

async function readMonitors(connection: Connection, randr: Randr) {
  const body = Buffer.alloc(8)
  body.writeUInt32LE(connection.root, 0)
  body[4] = 1
  const monitors = await connection.request(randr.majorOpcode, getMonitors, body, parseMonitors)
  const visible = monitors.filter(({ bounds }) => bounds.width > 0 && bounds.height > 0)
  return Promise.all(
    visible.map(async ({ name: atom, isPrimary, bounds }) => {
      const name = await connection.ask<string>((callback) => connection.client.GetAtomName(atom, callback))
      return { id: name, name, isPrimary, bounds }
    }),
  )
}

/** Monitors of a display server; without a monitor list, the whole screen as one display. */
export class Displays {
  onChange: () => void = () => undefined
  #displays: Display[] = []
  #isStale = false
  #isReading = false
  readonly #connection: Connection
  readonly #randr: Randr | null

  private constructor(connection: Connection, randr: Randr | null) {
    this.#connection = connection
    this.#randr = randr
  }

  static async open(connection: Connection): Promise<Displays> {
    const randr = await connection.extension('randr').catch(() => null)
    const displays = new Displays(connection, randr)
    displays.#displays = await displays.#read()
    connection.listen(({ type, name, wid }) => {
      const isOfRandr = randr !== null && (type === randr.firstEvent || type === randr.firstEvent + 1)
      if (isOfRandr || (name === 'ConfigureNotify' && wid === connection.root)) {
        void displays.#readAgain()
      }
    })
    randr?.SelectInput(connection.root, allChanges)
    // Covers monitors that a program has defined, and display servers without RANDR.
    connection.client.ChangeWindowAttributes(connection.root, { eventMask: structureChanges })
    return displays
  }

  list(): readonly Display[] {
    return this.#displays
  }

  async #read(): Promise<Display[]> {
    const hasMonitors = this.#randr !== null && this.#randr.minor_version >= firstMinorWithMonitors
    const monitors = hasMonitors ? await readMonitors(this.#connection, this.#randr as Randr) : []
    const displays = monitors.length > 0 ? monitors : [await this.#wholeScreen()]
    const hasPrimary = displays.some(({ isPrimary }) => isPrimary)
    return hasPrimary ? displays : displays.map((display, index) => ({ ...display, isPrimary: index === 0 }))
  }

  async #wholeScreen(): Promise<Display> {
    const { client, root } = this.#connection
    const { width, height } = await this.#connection.ask<{ width: number; height: number }>((callback) =>
      client.GetGeometry(root, callback),
    )
    const bounds = { x: 0, y: 0, width, height }
    return { id: 'screen', name: 'Screen', isPrimary: true, bounds }
  }

  /** Serializes reads, so that an older reply never overwrites a newer reply. */
  async #readAgain() {
    this.#isStale = true
    if (this.#isReading) {
      return
    }
    this.#isReading = true
    while (this.#isStale) {
      this.#isStale = false
      const displays = await this.#read().catch(() => this.#displays)
      // A resize causes several events.
      if (JSON.stringify(displays) !== JSON.stringify(this.#displays)) {
        this.#displays = displays
        this.onChange()
      }
    }
    this.#isReading = false
  }
}
