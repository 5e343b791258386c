import type { MouseButton } from '../../../../shared/remote-control/values.ts'
import type { Input, KeyPress } from '../../desktop/desktop.ts'
import { Sequence } from '../../desktop/sequence.ts'
import { Wheel } from '../../desktop/wheel.ts'
import type { BusClipboard } from './bus-clipboard.ts'
import { BusKeyboard } from './bus-keyboard.ts'
import { linuxButtons } from './buttons.ts'
import type { InputEvents } from './input-events.ts'

/** Pointer and keyboard of a session of remote desktop. */
export class BusInput implements Input {
  /** Position of the last movement; the person's own movements are unknown. */
  pointer = { x: 0, y: 0 }
  readonly #events: InputEvents
  readonly #keyboard: BusKeyboard
  readonly #sequence = new Sequence()
  readonly #heldButtons = new Set<number>()
  readonly #wheel = new Wheel()

  /** Without a clipboard, text that the layout lacks cannot be typed. */
  constructor(events: InputEvents, clipboard: BusClipboard | undefined) {
    this.#events = events
    this.#keyboard = new BusKeyboard(events, clipboard)
  }

  movePointer(x: number, y: number): void {
    this.#sequence.add(() => {
      if (this.#events.move(x, y)) {
        this.pointer = { x, y }
      }
    })
  }

  setButton(button: MouseButton, isPressed: boolean): void {
    this.#sequence.add(() => this.#setButton(linuxButtons[button], isPressed))
  }

  scroll(x: number, y: number): void {
    this.#sequence.add(() => {
      this.#scroll('x', x)
      this.#scroll('y', y)
    })
  }

  setKey(press: KeyPress): void {
    this.#sequence.add(() => this.#keyboard.setKey(press))
  }

  typeText(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sequence.add(() => this.#keyboard.type(text).then(resolve, reject))
    })
  }

  releaseAll(): void {
    this.#sequence.add(() => this.releaseNow())
  }

  /** Releases all held keys and buttons, even while text is being typed. */
  releaseNow(): void {
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
    this.#events.button(button, isPressed)
  }

  #scroll(axis: 'x' | 'y', pixels: number) {
    const notches = this.#wheel.notches(axis, pixels)
    if (notches !== 0) {
      this.#events.scroll(axis, -notches)
    }
  }
}
