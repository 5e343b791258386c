import { closeSync, writeSync } from 'node:fs'
import type { KeyPress } from '../../../desktop/desktop.ts'
import { HeldKeys } from '../../../desktop/held-keys.ts'
import { meaningOf, nameOf } from '../../../desktop/key-press.ts'
import type { KeyboardDevice } from '../../../desktop/ordered-input.ts'
import { keycodeOf } from '../../x11/keycodes.ts'
import type { Connection, WaylandObject } from './connection.ts'
import { Keymap, type KeyPosition } from './keymap.ts'
import { virtualKeyboard, virtualKeyboardManager, type wlSeat } from './protocol.ts'
import { createMemoryFile } from './shared-buffer.ts'

const xkbFormat = 1
/** Keycodes of XKB are those of Linux plus 8. */
const keycodeOffset = 8
/** Number of characters typed at once, so that a slow program does not overrun. */
const charactersAtOnce = 32
const pauseMs = 5

const shift = 1
const control = 4
const alt = 8
const meta = 64
/** Modifiers by keycode, in the keymap that is sent. */
const modifiers: ReadonlyMap<number, number> = new Map([
  [50, shift],
  [62, shift],
  [37, control],
  [105, control],
  [64, alt],
  [108, alt],
  [133, meta],
  [134, meta],
])
const numLock = 16
/** Modifiers that a press turns on and off, by keycode. */
const locks: ReadonlyMap<number, number> = new Map([
  [66, 2],
  [77, numLock],
])

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Virtual keyboard with a keymap of its own, kept open: a compositor loses the first key of a new keyboard. */
export class Keyboard implements KeyboardDevice {
  readonly #object: WaylandObject<typeof virtualKeyboard>
  readonly #keymap = new Keymap()
  readonly #held = new HeldKeys<string, number>((keycode, isPressed) => {
    this.#locked ^= isPressed ? (locks.get(keycode) ?? 0) : 0
    this.#send(keycode, isPressed)
    this.#sendModifiers()
  })
  #locked = numLock

  constructor(connection: Connection, seat: WaylandObject<typeof wlSeat>) {
    const manager = connection.bind(virtualKeyboardManager)
    this.#object = connection.create(virtualKeyboard)
    manager.request('create_virtual_keyboard', seat.id, this.#object.id)
    this.#sendKeymap()
    this.#sendModifiers()
  }

  setKey(press: KeyPress): void {
    const { key, code, isPressed } = press
    const name = nameOf(press)
    const meaning = meaningOf(press)
    if (!isPressed) {
      this.#held.release(name)
    } else if (meaning === 'position') {
      this.#held.press(name, keycodeOf(code, key))
    } else if (meaning === 'shortcut') {
      // The letter on the viewer's keyboard; keyboards of other scripts name it by its position.
      this.#held.press(name, this.#keymap.find(key.toLowerCase())?.keycode ?? keycodeOf(code, key))
    } else if (meaning === 'character') {
      this.#typeTogether([key])
    }
  }

  async type(text: string): Promise<void> {
    // Convert CRLF and CR, so that each line end is one key press.
    const characters = [...text.replaceAll(/\r\n?/g, '\n')]
    for (let first = 0; first < characters.length; first += charactersAtOnce) {
      this.#typeTogether(characters.slice(first, first + charactersAtOnce))
      await pause(pauseMs)
    }
  }

  releaseAll(): void {
    this.#held.releaseAll()
  }

  close(): void {
    this.releaseAll()
    this.#object.request('destroy')
  }

  #typeTogether(characters: readonly string[]) {
    if (this.#keymap.assign(characters)) {
      this.#sendKeymap()
    }
    for (const character of characters) {
      const position = this.#keymap.find(character)
      if (position) {
        this.#tap(position)
      }
    }
  }

  #sendKeymap() {
    const text = Buffer.from(`${this.#keymap.toString()}\0`)
    const [kept, passed] = createMemoryFile()
    writeSync(kept, text)
    closeSync(kept)
    this.#object.request('keymap', xkbFormat, passed, text.length)
  }

  /** Presses and releases a key without the held modifiers. */
  #tap({ keycode, needsShift }: KeyPosition) {
    this.#object.request('modifiers', needsShift ? shift : 0, 0, 0, 0)
    this.#send(keycode, true)
    this.#send(keycode, false)
    this.#sendModifiers()
  }

  #sendModifiers() {
    const depressed = this.#held.keys.reduce((mask, keycode) => mask | (modifiers.get(keycode) ?? 0), 0)
    this.#object.request('modifiers', depressed, 0, this.#locked, 0)
  }

  #send(keycode: number, isPressed: boolean) {
    const time = Math.trunc(performance.now())
    this.#object.request('key', time, keycode - keycodeOffset, isPressed ? 1 : 0)
  }
}
