import { pointerCursor } from '../../../../../shared/remote-control/values.ts'
import { UserError } from '../../../../base/errors.ts'
import type { Clipboard, Cursor, Desktop, Display, Input, Notice, Screen } from '../../../desktop/desktop.ts'
import { OrderedInput } from '../../../desktop/ordered-input.ts'
import { noSwitch } from '../../../desktop/switches.ts'
import { BusClipboard } from '../bus-clipboard.ts'
import { BusKeyboard } from '../bus-keyboard.ts'
import { type Bus, double, quoted } from '../bus.ts'
import { compositorEnded } from '../end-reasons.ts'
import { showNotification } from '../notification.ts'
import { PipeWireScreen } from '../pipewire-screen.ts'
import { newDesktopSound } from '../../sound/desktop-sound.ts'
import { openVp8 } from '../../video/vp8-encoder.ts'
import { readDisplays, watchDisplays, type MutterDisplay } from './displays.ts'
import { MutterSession, remoteDesktop } from './session.ts'
import { axes, type InputEvents, linuxButtons } from '../input-events.ts'

function mutterEvents(session: MutterSession, displays: readonly MutterDisplay[]): InputEvents {
  // The first event creates Mutter's virtual pointer; a click right after it would be lost.
  session.send('NotifyPointerMotionRelative', '(dd)', '(0.0, 0.0)')
  return {
    move(x, y) {
      const display = displays.find(
        ({ bounds }) => x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height,
      )
      const stream = display && session.streamsOf(display.connector)
      if (!display || !stream) {
        return false
      }
      const [left, top] = [double(x - display.bounds.x), double(y - display.bounds.y)]
      session.send('NotifyPointerMotionAbsolute', '(sdd)', `(${quoted(stream.path)}, ${left}, ${top})`)
      return true
    },
    button: (button, isPressed) =>
      session.send('NotifyPointerButton', '(ib)', `(${linuxButtons[button]}, ${isPressed})`),
    keycode: (keycode, isPressed) => session.send('NotifyKeyboardKeycode', '(ub)', `(${keycode}, ${isPressed})`),
    keysym: (keysym, isPressed) => session.send('NotifyKeyboardKeysym', '(ub)', `(${keysym}, ${isPressed})`),
    turnWheel: (axis, notches) => session.send('NotifyPointerAxisDiscrete', '(ui)', `(${axes[axis]}, ${-notches})`),
  }
}

const isSame = (some: readonly MutterDisplay[], others: readonly MutterDisplay[]) =>
  JSON.stringify(some) === JSON.stringify(others)

/** Opens a session; again where the displays change meanwhile, as Mutter then ends the session or refuses to start it. */
async function openDependencies(bus: Bus) {
  for (;;) {
    const displays = await readDisplays(bus)
    try {
      return await openWith(bus, displays)
    } catch (error) {
      if (isSame(displays, await readDisplays(bus).catch(() => displays))) {
        throw error
      }
    }
  }
}

async function openWith(bus: Bus, displays: readonly MutterDisplay[]) {
  const session = await MutterSession.open(bus, displays)
  const clipboard = new BusClipboard(session)
  await session.call('EnableClipboard', { types: '(a{sv})', text: '({},)' })
  const events = mutterEvents(session, displays)
  const input = new OrderedInput(events, new BusKeyboard(events, clipboard))
  return { displays, session, clipboard, input }
}

type Dependencies = Awaited<ReturnType<typeof openDependencies>>

/** Desktop of GNOME on Wayland, through the interfaces of its compositor that GNOME's own remote desktop uses. */
class MutterDesktop implements Desktop {
  readonly captureMode = 'Mutter'
  readonly openVideo = openVp8
  readonly input: Input
  readonly clipboard: Clipboard
  onDisplaysChanged: () => void = () => undefined
  readonly blockInput = noSwitch('GNOME offers no way to block the pointer and keyboard of the person.')
  readonly blankScreens = noSwitch('GNOME offers no way to blank the screens for the person alone.')
  readonly sound = newDesktopSound()
  onCursorChanged: () => void = () => undefined
  onEnd: (reason: string) => void = () => undefined
  readonly #bus: Bus
  #deps: Dependencies
  readonly #screens = new Set<Screen>()
  /** Mutter tells shapes only within frames, where GStreamer does not pass them on. */
  readonly #cursor: Cursor = { shape: pointerCursor.Unknown }
  #isPointerShown = false
  #reopening: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(bus: Bus, deps: Dependencies) {
    this.#bus = bus
    this.#deps = deps
    this.input = {
      movePointer: (x, y) => this.#deps.input.movePointer(x, y),
      setButton: (button, isPressed) => this.#deps.input.setButton(button, isPressed),
      scroll: (x, y) => this.#deps.input.scroll(x, y),
      setKey: (press) => this.#deps.input.setKey(press),
      typeText: (text) => this.#deps.input.typeText(text),
      releaseAll: () => this.#deps.input.releaseAll(),
    }
    this.clipboard = {
      onChange: () => undefined,
      readText: () => this.#deps.clipboard.readText(),
      writeText: (text) => this.#deps.clipboard.writeText(text),
      pictures: {
        read: () => this.#deps.clipboard.pictures.read(),
        write: (png) => this.#deps.clipboard.pictures.write(png),
      },
      files: {
        read: () => this.#deps.clipboard.files.read(),
        write: (paths) => this.#deps.clipboard.files.write(paths),
      },
    }
    bus.onEnd = () => this.#end('The person at the device signed out.')
    bus.whenGone(remoteDesktop.name, () => this.#end(compositorEnded))
    watchDisplays(bus, () => {
      // In order: at the same time, a session that another one replaces would go on.
      this.#reopening = this.#reopening.then(() => this.#reopen())
    })
    this.#watch(deps)
  }

  displays(): readonly Display[] {
    return this.#deps.displays
  }

  cursor(): Cursor {
    return this.#cursor
  }

  pointer(): Promise<{ x: number; y: number }> {
    return Promise.resolve(this.#deps.input.position)
  }

  async openScreen(display: Display): Promise<Screen> {
    // The streams of the session before have ended, or will.
    await this.#reopening
    const { session } = this.#deps
    const streams = session.streamsOf(display.id)
    if (!streams) {
      throw new UserError(`The display ${display.name} is gone.`)
    }
    const node = () => (this.#isPointerShown ? streams.embedded : streams.hidden)
    const screen = new PipeWireScreen(display, node)
    screen.onClose = () => this.#screens.delete(screen)
    this.#screens.add(screen)
    return screen
  }

  showPointer(isShown: boolean): void {
    this.#isPointerShown = isShown
  }

  showNotice(text: string, label: string, onEnd: () => void): Notice {
    return showNotification(this.#bus, text, label, onEnd)
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#closeScreens()
      this.#deps.input.releaseNow()
      this.#deps.session.stop()
      this.#bus.close()
    }
  }

  #closeScreens() {
    for (const screen of this.#screens) {
      screen.close()
    }
  }

  #watch({ session, clipboard }: Dependencies) {
    clipboard.onChange = () => this.clipboard.onChange()
    void session.closed.then(() => {
      this.#reopening = this.#reopening.then(() => this.#replaceClosed(session))
    })
  }

  /** Mutter also ends a session whose displays get another scale, before it reports the change. */
  async #replaceClosed(session: MutterSession) {
    if (this.#deps.session !== session || this.#isClosed) {
      return
    }
    const displays = await readDisplays(this.#bus).catch(() => this.#deps.displays)
    if (isSame(displays, this.#deps.displays)) {
      this.#end('The person at the device ended the sharing of the screen, or locked it.')
    } else {
      await this.#reopen()
    }
  }

  /** Streams belong to a monitor: other displays need a new session. */
  async #reopen() {
    if (this.#isClosed) {
      return
    }
    try {
      const { session, input } = this.#deps
      this.#closeScreens()
      input.releaseNow()
      this.#deps = await openDependencies(this.#bus)
      session.stop()
      this.#watch(this.#deps)
      this.onDisplaysChanged()
    } catch (error) {
      this.#end((error as Error).message)
    }
  }

  #end(reason: string) {
    if (!this.#isClosed) {
      this.close()
      this.onEnd(reason)
    }
  }
}

/** Resolves with undefined where the compositor is not Mutter; rejects with a UserError. */
export async function openMutterDesktop(bus: Bus): Promise<Desktop | undefined> {
  return (await bus.hasName(remoteDesktop.name)) ? new MutterDesktop(bus, await openDependencies(bus)) : undefined
}
