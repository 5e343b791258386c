import type { KeyPress } from '../../desktop/desktop.ts'

export const isCharacter = (key: string): boolean => [...key].length === 1

/**
 * Returns whether Control and Alt are held only to compose a character on the viewer's keyboard: AltGr on Windows
 * reports both, Option on a Mac reports Alt. `é` or `@` is then typed, while Alt+F or Control+Alt+T stay shortcuts.
 */
export function isComposed({ key, modifiers: { control, alt, shift } }: KeyPress): boolean {
  return alt && (control || !shift) && !/^[a-z\d ]$/i.test(key)
}
