import { UserError } from '../../../base/errors.ts'
import type { KeyPress } from '../../desktop/desktop.ts'
import { HeldKeys } from '../../desktop/held-keys.ts'
import { meaningWithCode, nameOf } from '../../desktop/key-press.ts'
import type { KeyboardDevice } from '../../desktop/ordered-input.ts'
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
export class Keyboard implements KeyboardDevice {
  readonly #connection: Connection
  readonly #map: KeyboardMap
  readonly #xkb: Xkb | null
  readonly #press: (keycode: number, isPressed: boolean) => void
  readonly #held: HeldKeys<string, number>
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
    this.#held = new HeldKeys(press)
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
    const kept = new Set<Modifier>(meaning === 'shortcut' ? ['control', 'alt', 'meta'] : [])
    return meaning === 'none' ? undefined : this.#typeCharacters([key], kept)
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
    this.#held.releaseAll()
  }

  close() {
    clearTimeout(this.#restoring)
    this.releaseAll()
    this.#map.restore()
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
    const held = this.#held.keys.map((heldKeycode) => ({
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
