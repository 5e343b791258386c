import { keyboardInputMode } from '../../../shared/remote-control/values.ts'
import { UserError } from '../../base/errors.ts'
import type { KeyPress } from '../desktop.ts'
import type { Connection } from './connection.ts'
import type { KeyPosition, KeyboardMap } from './keyboard-map.ts'
import { keycodeOf } from './keycodes.ts'
import { keysym, keysymsOf } from './keysyms.ts'
import type { Xkb } from './protocol.ts'

const capsLock = 2
/** Text is typed in pieces, so that programs that redraw for each character keep up. */
const charactersAtOnce = 32
const pauseMs = 5
/** Keys stay lent as long: a slow program looks up the character when it gets to the event. */
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

const isCharacter = (key: string) => [...key].length === 1

/**
 * Whether Control and Alt are held only because the viewer's keyboard makes a character of them: AltGr on Windows is
 * both, Option on a Mac is Alt. `é` or `@` is then meant, while Alt+F or Control+Alt+T stay shortcuts.
 */
function isComposed({ key, modifiers: { control, alt, shift } }: KeyPress) {
  return alt && (control || !shift) && !/^[a-z\d ]$/i.test(key)
}

/** Presses keys by position, and types characters with whatever key has them. */
export class Keyboard {
  readonly #connection: Connection
  readonly #map: KeyboardMap
  readonly #xkb: Xkb | null
  readonly #press: (keycode: number, isPressed: boolean) => void
  /** Codes, or names where there is none, to the keycodes that are down. */
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

  /** A promise where the display server must be asked first. */
  setKey(press: KeyPress): void | Promise<void> {
    const { key, code, isPressed, mode } = press
    const name = code || key.toLowerCase()
    if (!isPressed) {
      this.#release(name)
      return undefined
    }
    if (!isCharacter(key) && mode !== keyboardInputMode.Physical) {
      // Half of a character: what it becomes follows as a key of its own.
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

  /** Rejects with a UserError when the keyboard has no key to lend for a character. */
  async type(text: string) {
    // Line ends of other systems are one key as well.
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
    // The display server repeats a held key by itself.
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

  /** Presses and releases a key for each character; held modifiers are lifted meanwhile, except for those in `kept`. */
  async #typeCharacters(characters: readonly string[], kept: ReadonlySet<Modifier>) {
    clearTimeout(this.#restoring)
    const { group, lockedMods } = await this.#state()
    // Changes of the layout arrive before the answer.
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

  /** Makes keys for the first characters of `wanted`; resolves with how many of them can be typed now. */
  async #lendFor(wanted: readonly (readonly number[])[], group: number) {
    const { lendable } = this.#map
    // Half of the keys at a time: the others keep what they mean while programs still look it up.
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
    // Keys that a new layout has given a meaning are no longer lent.
    await this.#map.refresh().catch(() => undefined)
    this.#map.restore()
  }

  /** Which group of the layout is on, and which modifiers are locked. */
  async #state() {
    const xkb = this.#xkb
    return xkb
      ? this.#connection.ask<{ group: number; lockedMods: number }>((callback) =>
          xkb.GetState(xkb.UseCoreKbd, callback),
        )
      : { group: 0, lockedMods: 0 }
  }
}
