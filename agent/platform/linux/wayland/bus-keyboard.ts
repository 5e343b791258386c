import type { KeyPress } from '../../desktop/desktop.ts'
import { HeldKeys } from '../../desktop/held-keys.ts'
import { meaningWithCode, nameOf } from '../../desktop/key-press.ts'
import type { KeyboardDevice } from '../../desktop/ordered-input.ts'
import { keycodeOf } from '../x11/keycodes.ts'
import { keysymsOf } from '../x11/keysyms.ts'
import type { BusClipboard } from './bus-clipboard.ts'
import type { InputEvents } from './input-events.ts'
import { currentLayout, keysymsOfLayout } from './layout.ts'

/** Keycodes of X display servers are those of Linux, plus 8. */
const offset = 8
const layoutForMs = 10_000
/** Time for the program to take a pasted text. */
const pasteMs = 1_000
/** Keycodes of modifiers, as in `keycodes.ts`. */
const modifiers = new Map([
  [50, 'shift'],
  [62, 'shift'],
  [37, 'shortcut'],
  [105, 'shortcut'],
  [64, 'shortcut'],
  [133, 'shortcut'],
  [134, 'shortcut'],
  [108, 'level3'],
])

/** Presses keys by position, types characters of the layout by keysym, and pastes other characters. */
export class BusKeyboard implements KeyboardDevice {
  readonly #events: InputEvents
  readonly #clipboard: BusClipboard | undefined
  readonly #held = new HeldKeys<string, number>((keycode, isPressed) => this.#press(keycode, isPressed))
  #layout: ReadonlySet<number> = new Set()
  #layoutUntil = 0

  constructor(events: InputEvents, clipboard: BusClipboard | undefined) {
    this.#events = events
    this.#clipboard = clipboard
  }

  setKey(press: KeyPress): void | Promise<void> {
    const { key, code, isPressed } = press
    if (!isPressed) {
      return this.#held.release(nameOf(press))
    }
    const meaning = meaningWithCode(press)
    if (meaning === 'position') {
      return this.#held.press(nameOf(press), keycodeOf(code, key))
    }
    return meaning === 'none' ? undefined : this.#type([key], meaning === 'shortcut')
  }

  type(text: string): Promise<void> {
    return this.#type([...text.replaceAll(/\r\n?/g, '\n')], false)
  }

  releaseAll(): void {
    this.#held.releaseAll()
  }

  /** Lifts held modifiers meanwhile; the compositor presses those that a character needs. */
  async #type(characters: readonly string[], isShortcut: boolean) {
    await this.#refreshLayout()
    const keysyms = characters.map((character) => keysymsOf(character).find((keysym) => this.#isTypeable(keysym)))
    const lifted = this.#held.keys.filter((keycode) => {
      const modifier = modifiers.get(keycode)
      return modifier !== undefined && !(isShortcut && modifier === 'shortcut')
    })
    lifted.forEach((keycode) => this.#press(keycode, false))
    if (keysyms.every((keysym) => keysym !== undefined)) {
      keysyms.forEach((keysym) => this.#tap(keysym))
    } else if (this.#clipboard) {
      await this.#paste(this.#clipboard, characters.join(''))
    } else {
      // The compositor drops what its layout lacks.
      characters.flatMap((character) => keysymsOf(character).slice(0, 1)).forEach((keysym) => this.#tap(keysym))
    }
    lifted.forEach((keycode) => this.#press(keycode, true))
  }

  /** Pastes a text with Control+V from the clipboard, which is restored: typed text, as of passwords, never stays. */
  async #paste(clipboard: BusClipboard, text: string) {
    const control = 37
    const paste = () => {
      this.#press(control, true)
      this.#tap('v'.charCodeAt(0))
      this.#press(control, false)
    }
    await clipboard.lend(text, paste, pasteMs)
  }

  #isTypeable(keysym: number) {
    return this.#layout.size === 0 ? keysym < 0x80 || keysym >= 0xff00 : this.#layout.has(keysym)
  }

  async #refreshLayout() {
    const now = performance.now()
    if (now > this.#layoutUntil) {
      this.#layoutUntil = now + layoutForMs
      // Without the library, only letters of ASCII are typed and all others pasted.
      this.#layout = await currentLayout()
        .then(keysymsOfLayout)
        .catch(() => new Set())
    }
  }

  #press(keycode: number, isPressed: boolean) {
    this.#events.keycode(keycode - offset, isPressed)
  }

  #tap(keysym: number) {
    for (const isPressed of [true, false]) {
      this.#events.keysym(keysym, isPressed)
    }
  }
}
