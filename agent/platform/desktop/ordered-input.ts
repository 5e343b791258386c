import type { MouseButton } from '../../../shared/remote-control/values.ts'
import type { Input, KeyPress } from './desktop.ts'
import { HeldKeys } from './held-keys.ts'
import { Wheel } from './wheel.ts'

/** Runs work in order: synchronously while no earlier work waits. */
class Sequence {
  readonly #waiting: (() => void | Promise<void>)[] = []
  #isRunning = false

  add(work: () => void | Promise<void>): void {
    this.#waiting.push(work)
    if (!this.#isRunning) {
      void this.#run()
    }
  }

  async #run() {
    this.#isRunning = true
    for (let work = this.#waiting.shift(); work; work = this.#waiting.shift()) {
      try {
        const done = work()
        if (done) {
          await done
        }
      } catch {
        // Callers that need the failure handle their own promise; other failures surface through `onEnd` of the
        // desktop.
      }
    }
    this.#isRunning = false
  }
}

export interface PointerDevice {
  /** Moves the pointer, in pixels of the desktop; returns false beside all displays. */
  move(x: number, y: number): boolean
  button(button: MouseButton, isPressed: boolean): void
  /** Positive is up and left. */
  turnWheel(axis: 'x' | 'y', notches: number): void
}

export interface KeyboardDevice {
  /** Returns a promise if the desktop must be queried first. */
  setKey(press: KeyPress): void | Promise<void>
  type(text: string): Promise<void>
  releaseAll(): void
}

/** Input in the order of its calls, although typing takes time. */
export class OrderedInput implements Input {
  /** Last position that the pointer was moved to, in pixels of the desktop; movements by the person are not seen. */
  readonly position = { x: 0, y: 0 }
  readonly #pointer: PointerDevice
  readonly #keyboard: KeyboardDevice | undefined
  readonly #buttons: HeldKeys<MouseButton, MouseButton>
  readonly #sequence = new Sequence()
  readonly #wheel = new Wheel()

  constructor(pointer: PointerDevice, keyboard: KeyboardDevice | undefined) {
    this.#pointer = pointer
    this.#keyboard = keyboard
    this.#buttons = new HeldKeys((button, isPressed) => pointer.button(button, isPressed))
  }

  movePointer(x: number, y: number): void {
    this.#sequence.add(() => {
      if (this.#pointer.move(x, y)) {
        Object.assign(this.position, { x, y })
      }
    })
  }

  setButton(button: MouseButton, isPressed: boolean): void {
    this.#sequence.add(() => (isPressed ? this.#buttons.press(button, button) : this.#buttons.release(button)))
  }

  scroll(x: number, y: number): void {
    this.#sequence.add(() => {
      for (const [axis, pixels] of [['x', x] as const, ['y', y] as const]) {
        const notches = this.#wheel.notches(axis, pixels)
        if (notches !== 0) {
          this.#pointer.turnWheel(axis, notches)
        }
      }
    })
  }

  setKey(press: KeyPress): void {
    this.#sequence.add(() => this.#keyboard?.setKey(press))
  }

  typeText(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sequence.add(() => (this.#keyboard?.type(text) ?? Promise.resolve()).then(resolve, reject))
    })
  }

  releaseAll(): void {
    this.#sequence.add(() => this.releaseNow())
  }

  /** Releases all held keys and buttons, even while text is being typed. */
  releaseNow(): void {
    this.#keyboard?.releaseAll()
    this.#buttons.releaseAll()
  }
}
