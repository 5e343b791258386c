import { double, quoted } from '../bus.ts'
import { linuxButtons } from '../buttons.ts'
import { axes, type InputEvents } from '../input-events.ts'
import type { MutterDisplay } from './displays.ts'
import type { MutterSession } from './session.ts'

export function mutterEvents(session: MutterSession, displays: readonly MutterDisplay[]): InputEvents {
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
