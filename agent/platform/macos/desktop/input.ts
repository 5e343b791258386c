import type robotjs from '@hurdlegroup/robotjs'
import { keyboardInputMode, type MouseButton, mouseButton } from '../../../../shared/remote-control/values.ts'
import type { Input, KeyPress } from '../../desktop/desktop.ts'
import { Wheel } from '../../desktop/wheel.ts'
import { keyNameOf } from './keys.ts'

export type Robot = typeof robotjs

/** Buttons that the package supports. */
const buttons: Partial<Record<MouseButton, 'left' | 'middle' | 'right'>> = {
  [mouseButton.Left]: 'left',
  [mouseButton.Middle]: 'middle',
  [mouseButton.Right]: 'right',
}

export class MacInput implements Input {
  readonly #robot: Robot
  readonly #heldKeys = new Map<string, string>()
  readonly #heldButtons = new Set<'left' | 'middle' | 'right'>()
  readonly #wheel = new Wheel()

  constructor(robot: Robot) {
    this.#robot = robot
    // By default the package sleeps after each call, which blocks the event loop.
    robot.setMouseDelay(0)
    robot.setKeyboardDelay(0)
  }

  movePointer(x: number, y: number) {
    this.#robot.moveMouse(Math.round(x), Math.round(y))
  }

  setButton(button: MouseButton, isPressed: boolean) {
    const name = buttons[button]
    if (!name || (!isPressed && !this.#heldButtons.delete(name))) {
      return
    }
    if (isPressed) {
      this.#heldButtons.add(name)
    }
    this.#robot.mouseToggle(isPressed ? 'down' : 'up', name)
  }

  scroll(x: number, y: number) {
    const horizontal = this.#wheel.notches('x', x)
    const vertical = this.#wheel.notches('y', y)
    if (horizontal !== 0 || vertical !== 0) {
      this.#robot.scrollMouse(horizontal, vertical)
    }
  }

  setKey({ key, code, isPressed, mode, modifiers: { control, alt, meta } }: KeyPress) {
    const name = code || key.toLowerCase()
    if (!isPressed) {
      this.#release(name)
      return
    }
    const isCharacter = [...key].length === 1
    const isTyped = mode === keyboardInputMode.Virtual || (mode === keyboardInputMode.Auto && !control && !alt && !meta)
    if (isCharacter && isTyped) {
      this.#robot.typeString(key)
      return
    }
    const keyName = keyNameOf(code, key)
    if (keyName !== undefined && !this.#heldKeys.has(name)) {
      this.#heldKeys.set(name, keyName)
      this.#robot.keyToggle(keyName, 'down')
    }
  }

  typeText(text: string): Promise<void> {
    for (const part of text.replaceAll(/\r\n?/g, '\n').split(/([\n\t])/)) {
      if (part === '\n' || part === '\t') {
        this.#robot.keyTap(part === '\n' ? 'enter' : 'tab')
      } else if (part !== '') {
        this.#robot.typeString(part)
      }
    }
    return Promise.resolve()
  }

  releaseAll() {
    for (const name of this.#heldKeys.keys()) {
      this.#release(name)
    }
    for (const name of this.#heldButtons) {
      this.#robot.mouseToggle('up', name)
    }
    this.#heldButtons.clear()
  }

  #release(name: string) {
    const keyName = this.#heldKeys.get(name)
    if (keyName !== undefined) {
      this.#heldKeys.delete(name)
      this.#robot.keyToggle(keyName, 'up')
    }
  }
}
