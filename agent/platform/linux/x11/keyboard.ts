import { keyboardInputMode } from '../../../../shared/remote-control/values.ts'
import { UserError } from '../../../base/errors.ts'
import type { KeyPress } from '../../desktop/desktop.ts'
import { isCharacter, isComposed } from './key-press.ts'
import type { Connection } from './connection.ts'
import type { KeyPosition, KeyboardMap } from './keyboard-map.ts'
import { keycodeOf } from './keycodes.ts'
import { keysym, keysymsOf } from './keysyms.ts'
import type { Xkb } from './protocol.ts'

const capsLock = 2
/** Number of characters typed at once, so that programs that redraw for each character keep up. */
const charactersAtOnce = 32
const pauseMs = 5
/** Time before lent keys are restored: slow programs look up the character when they process the event. */
const lentForMs = 5_000

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

type Modifier = 'shift' | 'control' | 'alt' | 'meta' | 'level3'

const modifiersOfKeysyms = new Map<number, Modifier>([
  [keysym.ShiftLeft, 'shift'],
  [keysym.ShiftRight, 'shift'],
  [keysym.ControlLeft, 'control'],
  [keysym.ControlRight, 'control'],
  [keysym.AltLeft, 'alt'],
  [keysym.AltRight, 'alt'],
  [keysym.MetaLeft, 'alt'],
  [keysym.MetaRight, 'alt'],
  [keysym.SuperLeft, 'meta'],
  [keysym.SuperRight, 'meta'],
  [keysym.Level3Shift, 'level3'],
  [keysym.ModeSwitch, 'level3'],
])

/** Presses keys by position, and types characters with any key that produces them. */
export class Keyboard {
  readonly #connection: Connection
  readonly #map: KeyboardMap
  readonly #xkb: Xkb | null
  readonly #press: (keycode: number, isPressed: boolean) => void
  /** Pressed keycodes, by code or, without a code, by key name. */
  readonly #held = new Map<string, number>()
  #restoring: NodeJS.Timeout | undefined

  constructor(
    connection: Connection,
    map: KeyboardMap,
    xkb: Xkb | null,
    press: (keycode: number, isPressed: boolean) => void,
  ) {
    this.#connection = connection
    this.#map = map
    this.#xkb = xkb
    this.#press = press
  }

  /** Returns a promise if the display server must be queried first. */
  setKey(press: KeyPress): void | Promise<void> {
    const { key, code, isPressed, mode } = press
    const name = code || key.toLowerCase()
    if (!isPressed) {
      this.#release(name)
      return undefined
    }
    if (!isCharacter(key) && mode !== keyboardInputMode.Physical) {
      // Dead keys and composition: the composed character follows as its own key event.
      return key === 'Dead' || key === 'Process' ? undefined : this.#hold(name, code, key)
    }
    const { control, alt, meta } = press.modifiers
    const isShortcut = (control || alt || meta) && !isComposed(press)
    const isPhysical =
      mode === keyboardInputMode.Physical || (mode === keyboardInputMode.Auto && isShortcut && code !== '')
    if (isPhysical) {
      return this.#hold(name, code, key)
    }
    const kept = new Set<Modifier>(isShortcut ? ['control', 'alt', 'meta'] : [])
    return this.#typeCharacters([key], kept)
  }

  /** Rejects with a UserError if the keyboard has no spare key for a character. */
  async type(text: string) {
    // Convert CRLF and CR, so that each line end is one key press.
    const characters = [...text.replaceAll(/\r\n?/g, '\n')]
    for (let first = 0; first < characters.length; first += charactersAtOnce) {
      await this.#typeCharacters(characters.slice(first, first + charactersAtOnce), new Set())
      await this.#connection.flush()
      await pause(pauseMs)
    }
  }

  releaseAll() {
    for (const name of this.#held.keys()) {
      this.#release(name)
    }
  }

  close() {
    clearTimeout(this.#restoring)
    this.releaseAll()
    this.#map.restore()
  }

  #hold(name: string, code: string, key: string) {
    const keycode = keycodeOf(code, key)
    // The display server generates key repeat.
    if (keycode !== undefined && !this.#held.has(name)) {
      this.#held.set(name, keycode)
      this.#press(keycode, true)
    }
  }

  #release(name: string) {
    const keycode = this.#held.get(name)
    if (keycode !== undefined) {
      this.#held.delete(name)
      this.#press(keycode, false)
    }
  }

  /** Presses and releases a key for each character; releases held modifiers meanwhile, except for those in `kept`. */
  async #typeCharacters(characters: readonly string[], kept: ReadonlySet<Modifier>) {
    clearTimeout(this.#restoring)
    const { group, lockedMods } = await this.#state()
    // Events for layout changes arrive before the reply.
    await this.#map.refresh()
    let rest = characters.map(keysymsOf).filter((symbols) => symbols.length > 0)
    try {
      while (rest.length > 0) {
        const ready = await this.#lendFor(rest, group)
        for (const symbols of rest.slice(0, ready)) {
          const position = this.#map.find(symbols, group)
          if (position) {
            this.#tap(position, kept, (lockedMods & capsLock) !== 0)
          }
        }
        rest = rest.slice(ready)
      }
    } finally {
      if (this.#map.hasLent) {
        this.#restoring = setTimeout(() => void this.#restore(), lentForMs).unref()
      }
    }
  }

  /** Lends keys for the first characters of `wanted`; resolves with the number of characters that can be typed now. */
  async #lendFor(wanted: readonly (readonly number[])[], group: number) {
    const { lendable } = this.#map
    // Use at most half of the keys at a time: programs may still be looking up the other half.
    const most = Math.ceil(lendable / 2)
    const missing = new Set<number>()
    const kept = new Set<number>()
    let ready = 0
    for (const symbols of wanted) {
      const symbol = symbols.at(-1) ?? 0
      const isNew = !missing.has(symbol) && !this.#map.find(symbols, group)
      if (isNew && (missing.size >= most || missing.size + kept.size >= lendable)) {
        break
      }
      if (isNew) {
        missing.add(symbol)
      } else if (this.#map.isLent(symbols)) {
        kept.add(symbol)
      }
      ready++
    }
    if (ready === 0) {
      throw new UserError('The keyboard of this device has no unused key, which is needed to type this character.')
    }
    await this.#map.lend([...missing], [...kept])
    return ready
  }

  #tap({ keycode, needsShift, needsLevel3, isLetter }: KeyPosition, kept: ReadonlySet<Modifier>, isLocked: boolean) {
    const needed = new Set<Modifier>(kept)
    if (needsShift !== (isLetter && isLocked)) {
      needed.add('shift')
    }
    if (needsLevel3) {
      needed.add('level3')
    }
    const held = [...this.#held.values()].map((heldKeycode) => ({
      heldKeycode,
      modifier: modifiersOfKeysyms.get(this.#map.plainKeysym(heldKeycode)),
    }))
    const lifted = held.filter(({ modifier }) => modifier !== undefined && !needed.has(modifier))
    const isHeld = (wanted: Modifier) => held.some(({ modifier }) => modifier === wanted)
    const added = [
      needed.has('shift') && !isHeld('shift') ? this.#map.keycodeOf(keysym.ShiftLeft) : undefined,
      needed.has('level3') && !isHeld('level3') ? this.#map.keycodeOf(keysym.Level3Shift) : undefined,
    ].filter((modifierKeycode) => modifierKeycode !== undefined)
    for (const { heldKeycode } of lifted) {
      this.#press(heldKeycode, false)
    }
    for (const modifierKeycode of added) {
      this.#press(modifierKeycode, true)
    }
    this.#press(keycode, true)
    this.#press(keycode, false)
    for (const modifierKeycode of added) {
      this.#press(modifierKeycode, false)
    }
    for (const { heldKeycode } of lifted) {
      this.#press(heldKeycode, true)
    }
  }

  async #restore() {
    // Keys that a new layout has mapped are no longer lent.
    await this.#map.refresh().catch(() => undefined)
    this.#map.restore()
  }

  /** Returns the active group of the layout, and the locked modifiers. */
  async #state() {
    const xkb = this.#xkb
    return xkb
      ? this.#connection.ask<{ group: number; lockedMods: number }>((callback) =>
          xkb.GetState(xkb.UseCoreKbd, callback),
        )
      : { group: 0, lockedMods: 0 }
  }
}
