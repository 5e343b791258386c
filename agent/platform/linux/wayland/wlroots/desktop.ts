import { join } from 'node:path'
import { pointerCursor } from '../../../../../shared/remote-control/values.ts'
import { environment } from '../../../../base/environment.ts'
import { UserError } from '../../../../base/errors.ts'
import type { Cursor, Desktop, Display, Notice, Screen } from '../../../desktop/desktop.ts'
import { OrderedInput } from '../../../desktop/ordered-input.ts'
import { noSwitch } from '../../../desktop/switches.ts'
import { newDesktopSound } from '../../sound/desktop-sound.ts'
import { openVp8 } from '../../video/vp8-encoder.ts'
import { WlrootsClipboard } from './clipboard.ts'
import { Connection, type WaylandObject } from './connection.ts'
import { Keyboard } from './keyboard.ts'
import { showNotice } from './notice.ts'
import { Outputs } from './outputs.ts'
import { WlrootsPointer } from './pointer.ts'
import {
  dataControlManager,
  layerShell,
  screencopyManager,
  virtualKeyboardManager,
  virtualPointerManager,
  wlSeat,
  xdgOutputManager,
} from './protocol.ts'
import { WlrootsScreen } from './screen.ts'

/** Protocols of which `zwlr_screencopy` says that this is a compositor of wlroots; the others are then required. */
const required = [xdgOutputManager, virtualPointerManager, virtualKeyboardManager, dataControlManager, layerShell]

interface Dependencies {
  connection: Connection
  seat: WaylandObject<typeof wlSeat>
  outputs: Outputs
  clipboard: WlrootsClipboard
}

/** Desktop of a compositor that speaks the protocols of wlroots, such as sway, Hyprland and labwc. */
class WlrootsDesktop implements Desktop {
  readonly captureMode = 'wlr-screencopy'
  readonly openVideo = openVp8
  readonly input: OrderedInput
  readonly clipboard: WlrootsClipboard
  readonly blockInput = noSwitch('This Wayland desktop offers no way to block the pointer and keyboard of the person.')
  readonly blankScreens = noSwitch('The agent cannot blank the screens of this Wayland desktop.')
  readonly sound = newDesktopSound()
  onCursorChanged: () => void = () => undefined
  readonly #deps: Dependencies
  readonly #pointer: WlrootsPointer
  readonly #keyboard: Keyboard | undefined
  readonly #screens = new Set<WlrootsScreen>()
  /** wlroots tells no client the shape of the pointer. */
  readonly #cursor: Cursor = { shape: pointerCursor.Unknown }
  #isPointerShown = false

  /**
   * Creates a keyboard for sessions alone, never for a look at the desktop: a compositor tells programs the modifiers of a
   * new keyboard before its keymap, and a program that starts after the end of a keyboard gets none. Chromium crashes of
   * both together.
   */
  constructor(deps: Dependencies, isSession: boolean) {
    this.#deps = deps
    this.#pointer = new WlrootsPointer(deps.connection, deps.seat, deps.outputs)
    this.#keyboard = isSession ? new Keyboard(deps.connection, deps.seat) : undefined
    this.input = new OrderedInput(this.#pointer, this.#keyboard)
    this.clipboard = deps.clipboard
  }

  set onEnd(listener: (reason: string) => void) {
    this.#deps.connection.onEnd = listener
  }

  set onDisplaysChanged(listener: () => void) {
    this.#deps.outputs.onChange = listener
  }

  displays(): readonly Display[] {
    return this.#deps.outputs.displays()
  }

  cursor(): Cursor {
    return this.#cursor
  }

  /** The last position that was sent: wlroots tells no client where the person has moved the pointer. */
  pointer(): Promise<{ x: number; y: number }> {
    return Promise.resolve({ ...this.input.position })
  }

  /** The compositor draws the pointer of the person too. */
  showPointer(isShown: boolean): void {
    this.#isPointerShown = isShown
    for (const screen of this.#screens) {
      screen.showPointer(isShown)
    }
  }

  openScreen(display: Display): Promise<Screen> {
    const { connection, outputs } = this.#deps
    const output = outputs.all().find(({ name }) => name === display.id)
    if (!output) {
      return Promise.reject(new UserError(`The display ${display.name} is gone.`))
    }
    const screen = new WlrootsScreen(connection, output, display, this.#isPointerShown)
    screen.onClose = () => this.#screens.delete(screen)
    this.#screens.add(screen)
    return Promise.resolve(screen)
  }

  showNotice(text: string, label: string, onEnd: () => void): Notice {
    return showNotice(this.#deps, text, label, onEnd)
  }

  close(): void {
    for (const screen of this.#screens) {
      screen.close()
    }
    this.input.releaseNow()
    this.#keyboard?.close()
    this.#pointer.close()
    this.#deps.connection.close()
  }
}

/** Resolves with undefined where the compositor does not speak the protocols of wlroots. */
export async function openWlrootsDesktop(isSession: boolean): Promise<Desktop | undefined> {
  const { XDG_RUNTIME_DIR: folder = '', WAYLAND_DISPLAY: name = '' } = environment.variables()
  const connection = await Connection.open(join(folder, name))
  try {
    if (!connection.offers(screencopyManager)) {
      connection.close()
      return undefined
    }
    const missing = required.filter((definition) => !connection.offers(definition)).map((definition) => definition.name)
    if (missing.length > 0) {
      throw new UserError(`This Wayland desktop does not offer ${missing.join(', ')}.`)
    }
    const seat = connection.bind(wlSeat)
    const [outputs, clipboard] = await Promise.all([Outputs.open(connection), WlrootsClipboard.open(connection, seat)])
    const desktop = new WlrootsDesktop({ connection, seat, outputs, clipboard }, isSession)
    // Input works from the first key on: the compositor knows keyboard and pointer.
    await connection.roundtrip()
    return desktop
  } catch (error) {
    connection.close()
    throw error
  }
}
