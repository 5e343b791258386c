/**
 * Characters without a shape, such as fillers, marks of direction, and the blank of Braille. Joiners and variation
 * selectors are allowed: words of some scripts, and emoji, need them.
 */
const shapeless = /(?![\u180e\u200c\u200d\p{Variation_Selector}])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Form of a name in which names that people take for the same one are equal. */
export const foldedName = (name: string): string =>
  name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .trim()

/** Whether people see the characters of a name, at least one (T45). */
export const isVisibleName = (name: string): boolean => !shapeless.test(name) && foldedName(name) !== ''
