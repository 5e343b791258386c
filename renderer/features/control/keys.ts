import type { Payload } from '../../../shared/remote-control/messages.ts'
import { keyboardInputMode, type KeyboardInputMode } from '../../../shared/remote-control/values.ts'

/** Which keys mean what: pure functions of keyboard events. */

export type KeyMessage = Payload<'KeyEvent'>
type Modifiers = KeyMessage['modifiers']

/** What is looked at of a `KeyboardEvent`. */
export interface KeyLike {
  key: string
  code: string
  ctrlKey: boolean
  shiftKey: boolean
  altKey: boolean
  metaKey: boolean
  isComposing: boolean
  /** Deprecated, and the only sign of some input methods. */
  keyCode: number
}

export const modifiersOf = ({ ctrlKey, shiftKey, altKey, metaKey }: KeyLike): Modifiers => ({
  control: ctrlKey,
  shift: shiftKey,
  alt: altKey,
  meta: metaKey,
})

/** Keys for the page and not for the device, all with the host keys Ctrl+Alt+Shift. */
export type HostCommand = 'full-screen' | 'toolbar' | 'view-only' | { display: number }

const hostCommands: Readonly<Record<string, HostCommand>> = {
  KeyF: 'full-screen',
  KeyT: 'toolbar',
  KeyV: 'view-only',
}

/** By position: the character that Ctrl+Alt+Shift makes differs from layout to layout. */
export function hostCommandOf({ code, ctrlKey, altKey, shiftKey, metaKey }: KeyLike): HostCommand | undefined {
  if (!ctrlKey || !altKey || !shiftKey || metaKey) {
    return undefined
  }
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1]
  return digit === undefined ? hostCommands[code] : { display: Number(digit) }
}

const ofInputMethod = 229
const modifierNames = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph']

export const isModifier = (key: string) => modifierNames.includes(key)
export const isOneCharacter = (key: string) => [...key].length === 1

/**
 * Whether the browser has to see the key first: it is part of a character that an input method or a dead key makes, or it
 * is on a keyboard on glass, which has no positions; it comes as text afterwards. On a Mac and in Safari, only the key code
 * of the first and of the last key of a composition says so.
 */
export function isForInputMethod({ key, code, isComposing, keyCode, ctrlKey, altKey, metaKey }: KeyLike) {
  const isOfMethod = isComposing || keyCode === ofInputMethod || ['Process', 'Dead', 'Unidentified', ''].includes(key)
  return isOfMethod || (code === '' && isOneCharacter(key) && !ctrlKey && !altKey && !metaKey)
}

/** The message for a key that goes down or up. */
export const keyMessage = (event: KeyLike, isPressed: boolean, inputMode: KeyboardInputMode): KeyMessage => ({
  key: event.key,
  code: event.code,
  isPressed,
  inputMode,
  modifiers: modifiersOf(event),
})

export type HeldModifier = 'control' | 'alt' | 'shift' | 'meta'

const modifierKeys: Readonly<Record<HeldModifier, readonly [key: string, code: string]>> = {
  control: ['Control', 'ControlLeft'],
  alt: ['Alt', 'AltLeft'],
  shift: ['Shift', 'ShiftLeft'],
  meta: ['Meta', 'MetaLeft'],
}
export const heldModifiers: readonly HeldModifier[] = ['control', 'alt', 'shift', 'meta']

interface SpecialKey {
  label: string
  held: readonly HeldModifier[]
  key: string
  code: string
}

const special = (label: string, held: readonly HeldModifier[], key: string, code = key): SpecialKey => ({
  label,
  held,
  key,
  code,
})

/** What browsers and systems keep for themselves. Named as they stand on keyboards. */
export const specialKeys: readonly SpecialKey[] = [
  special('Alt+Tab', ['alt'], 'Tab'),
  special('Alt+F4', ['alt'], 'F4'),
  special('Ctrl+Esc', ['control'], 'Escape'),
  special('Ctrl+Shift+Esc', ['control', 'shift'], 'Escape'),
  special('Win+L', ['meta'], 'l', 'KeyL'),
  special('Win+R', ['meta'], 'r', 'KeyR'),
  special('Ctrl+W', ['control'], 'w', 'KeyW'),
  special('Ctrl+Alt+F2', ['control', 'alt'], 'F2'),
  special('Esc', [], 'Escape'),
  special('PrtSc', [], 'PrintScreen'),
  special('Pause', [], 'Pause'),
]
export const windowsKey = special('', [], 'Meta', 'MetaLeft')
export const ctrlAltDel = special('Ctrl+Alt+Del', ['control', 'alt'], 'Delete')

/**
 * Presses and releases, in an order in which nothing stays down. Positions count: what is meant is the key. Without one it
 * is the character.
 */
export function strokesOf({ held, key, code }: SpecialKey): KeyMessage[] {
  const down = { control: false, alt: false, shift: false, meta: false }
  const stroke = (strokeKey: string, strokeCode: string, isPressed: boolean): KeyMessage => ({
    key: strokeKey,
    code: strokeCode,
    isPressed,
    inputMode: strokeCode === '' ? keyboardInputMode.Auto : keyboardInputMode.Physical,
    modifiers: { ...down },
  })
  const pressed = held.map((modifier) => {
    down[modifier] = true
    return stroke(...modifierKeys[modifier], true)
  })
  const taps = [stroke(key, code, true), stroke(key, code, false)]
  const released = held.toReversed().map((modifier) => {
    down[modifier] = false
    return stroke(...modifierKeys[modifier], false)
  })
  return [...pressed, ...taps, ...released]
}

/** A modifier alone goes down or up. */
export function modifierStroke(modifier: HeldModifier, isPressed: boolean): KeyMessage {
  const [key, code] = modifierKeys[modifier]
  const modifiers = { control: false, alt: false, shift: false, meta: false, [modifier]: isPressed }
  return { key, code, isPressed, inputMode: keyboardInputMode.Physical, modifiers }
}
