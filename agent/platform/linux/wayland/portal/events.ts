import type { Display } from '../../../desktop/desktop.ts'
import { double } from '../bus.ts'
import { linuxButtons } from '../buttons.ts'
import { axes, type InputEvents } from '../input-events.ts'
import type { PortalSession, PortalStream } from './session.ts'

export interface PortalDisplay extends Display {
  stream: PortalStream
}

export const portalEvents = (session: PortalSession, displays: readonly PortalDisplay[]): InputEvents => ({
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
