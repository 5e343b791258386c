interface PressedKey {
  key: string
  modifiers: { control: boolean; shift: boolean; alt: boolean; meta: boolean }
}

/** Keys that type nothing, as browsers spell them. A list: a viewer may send a word that it typed as one key. */
const namedKey =
  /^(?:F\d{1,2}|Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|Page(?:Up|Down)|Arrow(?:Up|Down|Left|Right)|ContextMenu|PrintScreen|Pause|ScrollLock|Help)$/
const modifierKeys = new Set(['Control', 'Shift', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock', 'Dead', 'Process'])

/**
 * Name of a pressed key for a recording; undefined for one that types a character, which may be part of a password.
 * Alt types characters on some keyboards, alone or with Ctrl. Empty for a key that is not worth a mark.
 */
export function nameOfKey({ key, modifiers: { control, shift, alt, meta } }: PressedKey): string | undefined {
  if (modifierKeys.has(key)) {
    return ''
  }
  const isShortcut = (control || meta) && !alt && /^[\w+\-=,./]$/.test(key)
  if (!isShortcut && !namedKey.test(key)) {
    return undefined
  }
  const held = [control && 'Ctrl', alt && 'Alt', shift && 'Shift', meta && 'Meta'].filter((name) => name !== false)
  return [...held, isShortcut ? key.toUpperCase() : key].join('+')
}
