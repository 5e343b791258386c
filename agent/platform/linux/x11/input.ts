import { type MouseButton, mouseButton } from '../../../../shared/remote-control/values.ts'
import type { Input, KeyPress } from '../../desktop/desktop.ts'
import { Sequence } from '../../desktop/sequence.ts'
import { Wheel } from '../../desktop/wheel.ts'
import type { Connection } from './connection.ts'
import { KeyboardMap } from './keyboard-map.ts'
import { Keyboard } from './keyboard.ts'
import type { Test } from './protocol.ts'

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

export class X11Input implements Input {
  readonly #connection: Connection
  readonly #test: Test
  readonly #keyboard: Keyboard
  readonly #sequence = new Sequence()
  readonly #heldButtons = new Set<number>()
  readonly #wheel = new Wheel()

  private constructor(connection: Connection, test: Test, keyboard: (input: X11Input) => Keyboard) {
    this.#connection = connection
    this.#test = test
    this.#keyboard = keyboard(this)
  }

  static async open(connection: Connection): Promise<X11Input> {
    const [test, xkb] = await Promise.all([
      connection.extension('xtest'),
      connection.extension('xkb').catch(() => null),
    ])
    const map = await KeyboardMap.open(connection, xkb)
    return new X11Input(
      connection,
      test,
      (input) =>
        new Keyboard(connection, map, xkb, (keycode, isPressed) =>
          input.#send(isPressed ? keyPress : keyRelease, keycode),
        ),
    )
  }

  movePointer(x: number, y: number) {
    this.#sequence.add(() => this.#send(motion, 0, Math.round(x), Math.round(y)))
  }

  setButton(button: MouseButton, isPressed: boolean) {
    this.#sequence.add(() => this.#setButton(buttons[button], isPressed))
  }

  scroll(x: number, y: number) {
    this.#sequence.add(() => {
      this.#turnWheel('x', x)
      this.#turnWheel('y', y)
    })
  }

  setKey(press: KeyPress) {
    this.#sequence.add(() => this.#keyboard.setKey(press))
  }

  typeText(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sequence.add(() => this.#keyboard.type(text).then(resolve, reject))
    })
  }

  releaseAll() {
    this.#sequence.add(() => this.#releaseAll())
  }

  /** Releases all held keys and buttons, even while text is waiting to be typed. */
  close() {
    this.#releaseAll()
    this.#keyboard.close()
  }

  #releaseAll() {
    this.#keyboard.releaseAll()
    for (const button of this.#heldButtons) {
      this.#setButton(button, false)
    }
  }

  #setButton(button: number, isPressed: boolean) {
    if (isPressed) {
      this.#heldButtons.add(button)
    } else if (!this.#heldButtons.delete(button)) {
      return
    }
    this.#send(isPressed ? buttonPress : buttonRelease, button)
  }

  #turnWheel(axis: 'x' | 'y', pixels: number) {
    const notches = this.#wheel.notches(axis, pixels)
    const button = wheelButtons[axis][notches > 0 ? 0 : 1]
    for (let left = Math.abs(notches); left > 0; left--) {
      this.#send(buttonPress, button)
      this.#send(buttonRelease, button)
    }
  }

  #send(type: number, detail: number, x = 0, y = 0) {
    if (this.#connection.isOpen) {
      const clamp = (value: number) => Math.min(Math.max(value, 0), 0x7f_ff)
      this.#test.FakeInput(type, detail, 0, this.#connection.root, clamp(x), clamp(y))
    }
  }
}
