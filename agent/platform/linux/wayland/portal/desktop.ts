import { pointerCursor } from '../../../../../shared/remote-control/values.ts'
import { UserError } from '../../../../base/errors.ts'
import type { Clipboard, Cursor, Desktop, Display, Input, Notice, Screen } from '../../../desktop/desktop.ts'
import { OrderedInput } from '../../../desktop/ordered-input.ts'
import { noSwitch } from '../../../desktop/switches.ts'
import type { DesktopUse } from '../../../platform.ts'
import { BusClipboard } from '../bus-clipboard.ts'
import { BusKeyboard } from '../bus-keyboard.ts'
import { type Bus, double } from '../bus.ts'
import { compositorEnded } from '../end-reasons.ts'
import { showNotification } from '../notification.ts'
import { PipeWireScreen } from '../pipewire-screen.ts'
import { newDesktopSound } from '../../sound/desktop-sound.ts'
import { openVp8 } from '../../video/vp8-encoder.ts'
import { remoteDesktop, screenCast, versionOf } from './request.ts'
import { PortalSession, type PortalStream } from './session.ts'
import { axes, type InputEvents, linuxButtons } from '../input-events.ts'

interface PortalDisplay extends Display {
  stream: PortalStream
}

const portalEvents = (session: PortalSession, displays: readonly PortalDisplay[]): InputEvents => ({
  move(x, y) {
    const display = displays.find(
      ({ bounds }) => x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height,
    )
    if (display) {
      const { stream, bounds } = display
      // In the units of the compositor, which a scaled display has fewer of than pixels.
      const left = ((x - bounds.x) * stream.width) / bounds.width
      const top = ((y - bounds.y) * stream.height) / bounds.height
      session.notify('PointerMotionAbsolute', 'udd', stream.node, double(left), double(top))
    }
    return display !== undefined
  },
  button: (button, isPressed) => session.notify('PointerButton', 'iu', linuxButtons[button], Number(isPressed)),
  keycode: (keycode, isPressed) => session.notify('KeyboardKeycode', 'iu', keycode, Number(isPressed)),
  keysym: (keysym, isPressed) => session.notify('KeyboardKeysym', 'iu', keysym, Number(isPressed)),
  turnWheel: (axis, notches) => session.notify('PointerAxisDiscrete', 'ui', axes[axis], -notches),
})

/** Size of the frames of a stream: the portal tells only the size that the compositor scales. */
async function frameSize(session: PortalSession, display: PortalDisplay) {
  const screen = screenOf(session, display)
  try {
    const { picture } = await screen.capture(true)
    return { width: picture.width, height: picture.height }
  } finally {
    screen.close()
  }
}

const screenOf = (session: PortalSession, display: PortalDisplay) =>
  new PipeWireScreen(
    display,
    () => display.stream.node,
    () => session.openPipeWire(),
  )

/** Displays with the size of their pictures: positions are enlarged by the largest scale, so that none overlap. */
async function displaysOf(session: PortalSession): Promise<PortalDisplay[]> {
  const shown = session.streams.map((stream: PortalStream, index) => ({
    id: String(index),
    name: `Display ${index + 1}`,
    isPrimary: index === 0,
    bounds: { x: stream.x, y: stream.y, width: stream.width, height: stream.height },
    stream,
  }))
  const sizes = await Promise.all(shown.map((display) => frameSize(session, display)))
  const scales = sizes.map(({ width }, index) => width / (shown[index]?.stream.width || width))
  const largest = Math.max(1, ...scales)
  return shown.map((display, index) => {
    const { stream } = display
    const size = sizes[index] ?? display.bounds
    return {
      ...display,
      bounds: { x: Math.round(stream.x * largest), y: Math.round(stream.y * largest), ...size },
      stream: stream.width > 0 ? stream : { ...stream, ...size },
    }
  })
}

/** Desktop whose person has shared it through the portal, such as KDE's. */
class PortalDesktop implements Desktop {
  readonly captureMode = 'Portal'
  readonly openVideo = openVp8
  readonly input: Input
  readonly clipboard: Clipboard
  readonly blockInput = noSwitch('This Wayland desktop offers no way to block the pointer and keyboard of the person.')
  readonly blankScreens = noSwitch('The agent cannot blank the screens of this Wayland desktop.')
  readonly sound = newDesktopSound()
  onDisplaysChanged: () => void = () => undefined
  onCursorChanged: () => void = () => undefined
  onEnd: (reason: string) => void = () => undefined
  readonly #bus: Bus
  readonly #session: PortalSession
  readonly #displays: readonly PortalDisplay[]
  readonly #input: OrderedInput
  readonly #screens = new Set<Screen>()
  /** Drawn into the frames; the portal tells neither position nor shape. */
  readonly #cursor: Cursor = { shape: pointerCursor.Unknown }
  #isClosed = false

  constructor(bus: Bus, session: PortalSession, displays: readonly PortalDisplay[]) {
    this.#bus = bus
    this.#session = session
    this.#displays = displays
    const clipboard = session.hasClipboard ? new BusClipboard(session) : undefined
    const events = portalEvents(session, displays)
    this.#input = new OrderedInput(events, new BusKeyboard(events, clipboard))
    this.input = this.#input
    this.clipboard = clipboard ?? {
      onChange: () => undefined,
      readText: () => Promise.resolve(null),
      writeText: () => Promise.reject(new UserError('The portal of this desktop does not share the clipboard.')),
    }
    bus.onEnd = () => this.#end('The person at the device signed out.')
    bus.whenGone(remoteDesktop.name, () => this.#end(compositorEnded))
    session.onClosed(() => this.#end('The person at the device ended the sharing of the screen.'))
  }

  displays(): readonly Display[] {
    return this.#displays
  }

  cursor(): Cursor {
    return this.#cursor
  }

  pointer(): Promise<{ x: number; y: number }> {
    return Promise.resolve(this.#input.position)
  }

  openScreen({ id, name }: Display): Promise<Screen> {
    const display = this.#displays.find((each) => each.id === id)
    if (!display) {
      return Promise.reject(new UserError(`The display ${name} is gone.`))
    }
    const screen = screenOf(this.#session, display)
    screen.onClose = () => this.#screens.delete(screen)
    this.#screens.add(screen)
    return Promise.resolve(screen)
  }

  /** The pointer is in every picture: the choice is made before the person is asked. */
  showPointer(): void {}

  showNotice(text: string, label: string, onEnd: () => void): Notice {
    return showNotification(this.#bus, text, label, onEnd)
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true
      for (const screen of this.#screens) {
        screen.close()
      }
      this.#input.releaseNow()
      void this.#session.stop().then(() => this.#bus.close())
    }
  }

  #end(reason: string) {
    if (!this.#isClosed) {
      this.close()
      this.onEnd(reason)
    }
  }
}

export const hasPortal = async (bus: Bus): Promise<boolean> =>
  (await versionOf(bus, remoteDesktop)) > 0 && (await versionOf(bus, screenCast)) > 0

/** Rejects with a UserError, such as that the person has refused. */
export async function openPortalDesktop(bus: Bus, use: DesktopUse): Promise<Desktop> {
  const session = await PortalSession.open(bus, use)
  try {
    return new PortalDesktop(bus, session, await displaysOf(session))
  } catch (error) {
    await session.stop()
    throw error
  }
}
