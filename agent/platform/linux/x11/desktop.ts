import { UserError } from '../../../base/errors.ts'
import type { Cursor, Desktop, DesktopSwitch, Display, Input, Notice, Screen } from '../../desktop/desktop.ts'
import { newDesktopSound } from '../sound/desktop-sound.ts'
import { openVp8 } from '../video/vp8-encoder.ts'
import { openBlankScreens } from './blank-screens.ts'
import { InputBlock } from './block-input.ts'
import { X11Clipboard } from './clipboard.ts'
import { Connection, type DisplayAddress } from './connection.ts'
import { X11Cursor } from './cursor.ts'
import { Displays } from './displays.ts'
import { openInput } from './input.ts'
import { showNotice } from './notice.ts'
import { X11Screen } from './screen.ts'

const lsbFirst = 0
const blueLowest = 0xff
/** Opcode of `QueryPointer`, which returns the pointer's position. */
const queryPointer = 38

/** Throws unless pixels have four bytes: blue, green, red and one unused byte. */
function requireTrueColor({ display, server, screen }: Connection) {
  const visual = screen.depths[screen.root_depth]?.[screen.root_visual]
  const bits = server.format[screen.root_depth]?.bits_per_pixel
  if (bits !== 32 || visual?.blue_mask !== blueLowest || server.image_byte_order !== lsbFirst) {
    throw new UserError(`The display ${display} has a color depth of ${screen.root_depth} bits; 24 are needed.`)
  }
}

async function openParts(connection: Connection, address: DisplayAddress) {
  requireTrueColor(connection)
  const [displays, input, clipboard, cursor, blockInput, blankScreens] = await Promise.all([
    Displays.open(connection),
    openInput(connection),
    X11Clipboard.open(connection),
    X11Cursor.open(connection),
    InputBlock.open(connection),
    openBlankScreens(connection, address),
    // Required: without DAMAGE no event reports drawing.
    connection.extension('damage'),
  ])
  return { displays, input, clipboard, cursor, blockInput, blankScreens }
}

type Dependencies = Awaited<ReturnType<typeof openParts>>

/** Desktop of one X display server on this machine. */
class X11Desktop implements Desktop {
  readonly captureMode = 'LibX11'
  readonly openVideo = openVp8
  readonly spansDisplays = true
  readonly input: Input
  readonly clipboard: X11Clipboard
  readonly blockInput: DesktopSwitch
  readonly blankScreens: DesktopSwitch
  readonly sound = newDesktopSound()
  readonly #connection: Connection
  readonly #deps: Dependencies
  readonly #screens = new Set<Screen>()

  constructor(connection: Connection, deps: Dependencies) {
    this.#connection = connection
    this.#deps = deps
    this.input = deps.input.input
    this.clipboard = deps.clipboard
    this.blockInput = deps.blockInput
    this.blankScreens = deps.blankScreens
  }

  set onEnd(listener: (reason: string) => void) {
    this.#connection.onEnd = listener
  }

  set onDisplaysChanged(listener: () => void) {
    this.#deps.displays.onChange = listener
  }

  set onCursorChanged(listener: () => void) {
    this.#deps.cursor.onChange = listener
  }

  displays(): readonly Display[] {
    return this.#deps.displays.list()
  }

  cursor(): Cursor {
    return this.#deps.cursor.current
  }

  pointer(): Promise<{ x: number; y: number }> {
    const { root } = this.#connection
    const body = Buffer.alloc(4)
    body.writeUInt32LE(root)
    return this.#connection.request(queryPointer, 0, body, (answer) => ({
      x: answer.readInt16LE(8),
      y: answer.readInt16LE(10),
    }))
  }

  async openScreen(display: Display): Promise<Screen> {
    const screen = await X11Screen.open(this.#connection, display)
    this.#screens.add(screen)
    return screen
  }

  showNotice(text: string, label: string, onEnd: () => void): Notice {
    const notices = this.displays().map((display) => showNotice(this.#connection, display, text, label, onEnd))
    return { close: () => notices.forEach((notice) => notice.close()) }
  }

  close() {
    for (const screen of this.#screens) {
      screen.close()
    }
    this.#deps.input.close()
    void this.blankScreens.set(false).catch(() => undefined)
    this.#connection.close()
  }
}

/** Rejects with a UserError that explains why this display cannot be shown. */
export async function openX11Desktop(address: DisplayAddress): Promise<Desktop> {
  const connection = await Connection.open(address)
  try {
    return new X11Desktop(connection, await openParts(connection, address))
  } catch (error) {
    connection.close()
    throw error
  }
}
