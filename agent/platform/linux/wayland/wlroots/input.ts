import type { MouseButton } from '../../../../../shared/remote-control/values.ts'
import type { Input, KeyPress } from '../../../desktop/desktop.ts'
import { Sequence } from '../../../desktop/sequence.ts'
import { Wheel } from '../../../desktop/wheel.ts'
import { linuxButtons } from '../buttons.ts'
import type { Connection, WaylandObject } from './connection.ts'
import { Keyboard } from './keyboard.ts'
import { placeInLayout, type Outputs } from './outputs.ts'
import { virtualPointer, virtualPointerManager, type wlSeat } from './protocol.ts'

const axes = { y: 0, x: 1 } as const
const wheelSource = 0
/** Distance of one notch, as compositors report real wheels. */
const notchDistance = 15

export class WlrootsInput implements Input {
  /** Last position that was sent, in pixels of the desktop. */
  readonly position = { x: 0, y: 0 }
  readonly #outputs: Outputs
  readonly #pointer: WaylandObject<typeof virtualPointer>
  readonly #keyboard: Keyboard | undefined
  readonly #sequence = new Sequence()
  readonly #heldButtons = new Set<number>()
  readonly #wheel = new Wheel()

  /**
   * Creates a keyboard for sessions alone, never for a look at the desktop: a compositor tells programs the modifiers of a
   * new keyboard before its keymap, and a program that starts after the end of a keyboard gets none. Chromium crashes of
   * both together.
   */
  constructor(connection: Connection, seat: WaylandObject<typeof wlSeat>, outputs: Outputs, isSession: boolean) {
    this.#outputs = outputs
    const manager = connection.bind(virtualPointerManager)
    this.#pointer = connection.create(virtualPointer)
    manager.request('create_virtual_pointer', seat.id, this.#pointer.id)
    this.#keyboard = isSession ? new Keyboard(connection, seat) : undefined
  }

  movePointer(x: number, y: number): void {
    this.#sequence.add(() => {
      const place = placeInLayout(this.#outputs.all(), x, y)
      if (place) {
        Object.assign(this.position, { x, y })
        this.#pointer.request('motion_absolute', this.#now(), place.x, place.y, place.width, place.height)
        this.#pointer.request('frame')
      }
    })
  }

  setButton(button: MouseButton, isPressed: boolean): void {
    this.#sequence.add(() => this.#setButton(linuxButtons[button], isPressed))
  }

  scroll(x: number, y: number): void {
    this.#sequence.add(() => {
      this.#turnWheel('x', x)
      this.#turnWheel('y', y)
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
    this.#sequence.add(() => this.#releaseAll())
  }

  /** Releases all held keys and buttons, even while text is waiting to be typed. */
  close(): void {
    this.#releaseAll()
    this.#keyboard?.close()
    this.#pointer.request('destroy')
  }

  #releaseAll() {
    this.#keyboard?.releaseAll()
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
    this.#pointer.request('button', this.#now(), button, isPressed ? 1 : 0)
    this.#pointer.request('frame')
  }

  #turnWheel(axis: 'x' | 'y', pixels: number) {
    // Wayland counts down and right.
    const notches = -this.#wheel.notches(axis, pixels)
    if (notches !== 0) {
      this.#pointer.request('axis_source', wheelSource)
      this.#pointer.request('axis_discrete', this.#now(), axes[axis], notches * notchDistance, notches)
      this.#pointer.request('frame')
    }
  }

  #now() {
    return Math.trunc(performance.now())
  }
}
