import { type MouseButton, mouseButton } from '../../../../shared/remote-control/values.ts'
import { OrderedInput } from '../../desktop/ordered-input.ts'
import type { Connection } from './connection.ts'
import { KeyboardMap } from './keyboard-map.ts'
import { Keyboard } from './keyboard.ts'

const keyPress = 2
const keyRelease = 3
const buttonPress = 4
const buttonRelease = 5
const motion = 6

const buttons: Readonly<Record<MouseButton, number>> = {
  [mouseButton.Left]: 1,
  [mouseButton.Middle]: 2,
  [mouseButton.Right]: 3,
  [mouseButton.Back]: 8,
  [mouseButton.Forward]: 9,
}

/** X11 buttons of the wheels, for positive and negative values. */
const wheelButtons = { x: [6, 7], y: [4, 5] } as const

const clamp = (value: number) => Math.min(Math.max(Math.round(value), 0), 0x7f_ff)

/** Pointer and keyboard of an X display server, through its XTEST extension. */
export async function openInput(connection: Connection) {
  const [test, xkb] = await Promise.all([connection.extension('xtest'), connection.extension('xkb').catch(() => null)])
  const map = await KeyboardMap.open(connection, xkb)
  const send = (type: number, detail: number, x = 0, y = 0) => {
    if (connection.isOpen) {
      test.FakeInput(type, detail, 0, connection.root, clamp(x), clamp(y))
    }
  }
  const keyboard = new Keyboard(connection, map, xkb, (keycode, isPressed) =>
    send(isPressed ? keyPress : keyRelease, keycode),
  )
  const pointer = {
    move(x: number, y: number) {
      send(motion, 0, x, y)
      return true
    },
    button: (button: MouseButton, isPressed: boolean) => send(isPressed ? buttonPress : buttonRelease, buttons[button]),
    turnWheel(axis: 'x' | 'y', notches: number) {
      const button = wheelButtons[axis][notches > 0 ? 0 : 1]
      for (let left = Math.abs(notches); left > 0; left--) {
        send(buttonPress, button)
        send(buttonRelease, button)
      }
    },
  }
  const input = new OrderedInput(pointer, keyboard)
  return {
    input,
    /** Releases all held keys and buttons, even while text is waiting to be typed. */
    close() {
      input.releaseNow()
      keyboard.close()
    },
  }
}
