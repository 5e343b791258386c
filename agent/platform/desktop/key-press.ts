import type { KeyPress } from './desktop.ts'

export const isCharacter = (key: string): boolean => [...key].length === 1

/**
 * Returns whether Control and Alt are held only to compose a character on the viewer's keyboard: AltGr on Windows
 * reports both, Option on a Mac reports Alt. `é` or `@` is then typed, while Alt+F or Control+Alt+T stay shortcuts.
 */
const isComposed = ({ key, modifiers: { control, alt, shift } }: KeyPress) =>
  alt && (control || !shift) && !/^[a-z\d ]$/i.test(key)

/** Returns whether the key is pressed together with modifiers that make it a shortcut. */
export function isShortcut(press: KeyPress): boolean {
  const { control, alt, meta } = press.modifiers
  return (control || alt || meta) && !isComposed(press)
}
