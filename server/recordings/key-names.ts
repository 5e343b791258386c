import { keyboardInputMode, type KeyboardInputMode } from '../../shared/remote-control/values.ts'

interface PressedKey {
  key: string
  /** Position, as in `KeyboardEvent.code`; empty if unknown. */
  code: string
  inputMode: KeyboardInputMode
  modifiers: { control: boolean; shift: boolean; alt: boolean; meta: boolean }
}

/** Keys that type nothing, as browsers spell them. A list: a viewer may send a word that it typed as one key. */
const namedKey =
  /^(?:F\d{1,2}|Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|Page(?:Up|Down)|Arrow(?:Up|Down|Left|Right)|ContextMenu|PrintScreen|Pause|ScrollLock|Help)$/
const modifierKey = /^(?:(?:Control|Shift|Alt|Meta)(?:Left|Right)?|AltGraph|CapsLock|NumLock|Dead|Process)$/
/** Positions of keys that have another name without NumLock. */
const numberPad = /^Numpad(?:\d|Decimal)$/
/** Positions of keys that type characters. */
const typingPosition =
  /^(?:Key[A-Z]|Digit\d|Numpad(?:\d|Add|Subtract|Multiply|Divide|Decimal|Equal|Comma)|Minus|Equal|Comma|Period|Slash|Semicolon|Quote|Backquote|Bracket(?:Left|Right)|(?:Intl)?Backslash|Intl(?:Ro|Yen)|Space)$/

/**
 * Name of a pressed key for a recording; undefined for one that types a character, which may be part of a password, and
 * for an unknown one. Empty for a key that is not worth a mark. Alt types characters on some keyboards, alone or with
 * Ctrl. Agents press most keys by their position, whatever key a viewer names beside it: a position that differs is named.
 */
export function nameOfKey({ key, code, inputMode, modifiers }: PressedKey): string | undefined {
  const { control, shift, alt, meta } = modifiers
  const position = code === 'Unidentified' ? '' : code.replace(/^Numpad(?=Enter$)/, '')
  const held = [control && 'Ctrl', alt && 'Alt', shift && 'Shift', meta && 'Meta'].filter((name) => name !== false)
  if ((control || meta) && !alt && /^[\w+\-=,./]$/.test(key)) {
    const letter = key.toUpperCase()
    const name = [...held, letter].join('+')
    if (['', `Key${letter}`, `Digit${letter}`, `Numpad${letter}`].includes(position)) {
      return name
    }
    const isKnown = [namedKey, modifierKey, typingPosition].some((known) => known.test(position))
    return isKnown ? `${name} (${position})` : undefined
  }
  if ([...key].length === 1 && inputMode !== keyboardInputMode.Physical) {
    return undefined
  }
  if (numberPad.test(position) && namedKey.test(key)) {
    return `${[...held, key].join('+')} (${position})`
  }
  const pressed = position || key
  if (modifierKey.test(pressed)) {
    return ''
  }
  return namedKey.test(pressed) ? [...held, pressed].join('+') : undefined
}
