import { keyboardInputMode } from '../../../shared/remote-control/values.ts'
import type { KeyPress } from './desktop.ts'

/** Name under which a key is held: its position or, without a code, its key. */
export const nameOf = ({ code, key }: KeyPress): string => code || key.toLowerCase()

/**
 * Returns whether Control and Alt are held only to compose a character on the viewer's keyboard: AltGr on Windows
 * reports both, Option on a Mac reports Alt. `é` or `@` is then typed, while Alt+F or Control+Alt+T stay shortcuts.
 */
const isComposed = ({ key, modifiers: { control, alt, shift } }: KeyPress) =>
  alt && (control || !shift) && !/^[a-z\d ]$/i.test(key)

/** Meaning of a press: a key by its position, a character together with modifiers, or a character alone. */
export function meaningOf(press: KeyPress): 'position' | 'shortcut' | 'character' | 'none' {
  const { key, mode } = press
  if (mode === keyboardInputMode.Physical) {
    return 'position'
  }
  if ([...key].length !== 1) {
    // Dead keys and composition: the composed character follows as its own key event.
    return key === 'Dead' || key === 'Process' ? 'none' : 'position'
  }
  const { control, alt, meta } = press.modifiers
  return (control || alt || meta) && !isComposed(press) ? 'shortcut' : 'character'
}

/** Same, but a shortcut whose position is known is a key by its position, unless the viewer chose characters. */
export function meaningWithCode(press: KeyPress): ReturnType<typeof meaningOf> {
  const meaning = meaningOf(press)
  return meaning === 'shortcut' && press.mode === keyboardInputMode.Auto && press.code !== '' ? 'position' : meaning
}
