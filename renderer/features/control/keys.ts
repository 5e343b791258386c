import type { Payload } from '../../../shared/remote-control/messages.ts'
import { keyboardInputMode, type KeyboardInputMode } from '../../../shared/remote-control/values.ts'

export type KeyMessage = Payload<'KeyEvent'>
type Modifiers = KeyMessage['modifiers']

/** Members of a `KeyboardEvent` that determine its message. */
export interface KeyLike {
  key: string
  code: string
  ctrlKey: boolean
  shiftKey: boolean
  altKey: boolean
  metaKey: boolean
  isComposing: boolean
  /** Deprecated, but some input methods set nothing else. */
  keyCode: number
}

export const modifiersOf = ({ ctrlKey, shiftKey, altKey, metaKey }: KeyLike): Modifiers => ({
  control: ctrlKey,
  shift: shiftKey,
  alt: altKey,
  meta: metaKey,
})

const ofInputMethod = 229
const modifierNames = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph']

export const isModifier = (key: string) => modifierNames.includes(key)
export const isOneCharacter = (key: string) => [...key].length === 1

/**
 * Whether the browser handles the key and turns it into text: the key belongs to an input method, a dead key, or an
 * on-screen keyboard without positions. On macOS and Safari only `keyCode` marks the first and last key of a
 * composition.
 */
export function isForInputMethod({ key, code, isComposing, keyCode, ctrlKey, altKey, metaKey }: KeyLike) {
  const isOfMethod = isComposing || keyCode === ofInputMethod || ['Process', 'Dead', 'Unidentified', ''].includes(key)
  return isOfMethod || (code === '' && isOneCharacter(key) && !ctrlKey && !altKey && !metaKey)
}

/** Message for a pressed or released key. */
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

export interface SpecialKey {
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

/** Keys that browsers and operating systems reserve, with the names on keyboards. */
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
 * Messages that press and release a key with its modifiers. The key is sent by position, or by character if it has no
 * position.
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

/** Message that presses or releases a modifier. */
export function modifierStroke(modifier: HeldModifier, isPressed: boolean): KeyMessage {
  const [key, code] = modifierKeys[modifier]
  const modifiers = { control: false, alt: false, shift: false, meta: false, [modifier]: isPressed }
  return { key, code, isPressed, inputMode: keyboardInputMode.Physical, modifiers }
}
