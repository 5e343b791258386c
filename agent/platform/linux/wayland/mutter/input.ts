import type { MouseButton } from '../../../../../shared/remote-control/values.ts'
import type { Input, KeyPress } from '../../../desktop/desktop.ts'
import { Sequence } from '../../../desktop/sequence.ts'
import { Wheel } from '../../../desktop/wheel.ts'
import { double, quoted } from '../bus.ts'
import { linuxButtons } from '../buttons.ts'
import type { MutterClipboard } from './clipboard.ts'
import type { MutterDisplay } from './displays.ts'
import { MutterKeyboard } from './keyboard.ts'
import type { MutterSession } from './session.ts'

const axes = { y: 0, x: 1 } as const

/** Pointer and keyboard of a session of remote desktop. */
export class MutterInput implements Input {
  /** Position of the last movement; the person's own movements are unknown. */
  pointer = { x: 0, y: 0 }
  readonly #session: MutterSession
  readonly #displays: readonly MutterDisplay[]
  readonly #keyboard: MutterKeyboard
  readonly #sequence = new Sequence()
  readonly #heldButtons = new Set<number>()
  readonly #wheel = new Wheel()

  constructor(session: MutterSession, displays: readonly MutterDisplay[], clipboard: MutterClipboard) {
    this.#session = session
    this.#displays = displays
    this.#keyboard = new MutterKeyboard(session, clipboard)
    // The first event creates Mutter's virtual pointer; a click right after it would be lost.
    session.send('NotifyPointerMotionRelative', '(dd)', '(0.0, 0.0)')
  }

  movePointer(x: number, y: number): void {
    this.#sequence.add(() => {
      const display = this.#displays.find(
        ({ bounds }) => x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height,
      )
      const stream = display && this.#session.streamsOf(display.connector)
      if (display && stream) {
        this.pointer = { x, y }
        const [left, top] = [double(x - display.bounds.x), double(y - display.bounds.y)]
        this.#session.send('NotifyPointerMotionAbsolute', '(sdd)', `(${quoted(stream.path)}, ${left}, ${top})`)
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
    this.#session.send('NotifyPointerButton', '(ib)', `(${button}, ${isPressed})`)
  }

  #scroll(axis: 'x' | 'y', pixels: number) {
    const notches = this.#wheel.notches(axis, pixels)
    if (notches !== 0) {
      // Positive is down and right here.
      this.#session.send('NotifyPointerAxisDiscrete', '(ui)', `(${axes[axis]}, ${-notches})`)
    }
  }
}
