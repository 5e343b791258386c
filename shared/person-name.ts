/**
 * Characters without a shape, such as fillers, marks of direction, and the blank of Braille. Joiners and variation
 * selectors are allowed: words of some scripts, and emoji, need them.
 */
const shapeless = /(?![\u180e\u200c\u200d\p{Variation_Selector}])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Latin letters, each with what people take for it: letters of Cyrillic and Greek in either case, and digits. */
const lookalikes = new Map(
  'aаαɑ bвβ cсϲ dԁ eеε gɡ hнһη jј kкκ lіιıi1|ӏ mмμ nν oоο0 pрρ qԛ sѕ tтτ wԝ xхχ yуυү zζ'
    .split(' ')
    .flatMap(([letter = '', ...others]) => others.map((other) => [other, letter] as const)),
)

/** Form of a name in which names that people take for the same one are equal, also in letters of different scripts. */
export const foldedName = (name: string): string =>
  name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/./gsu, (character) => lookalikes.get(character) ?? character)
    .replaceAll(/\s+/gu, ' ')
    .trim()

/** Whether people see the characters of a name, at least one (T45). */
export const isVisibleName = (name: string): boolean => !shapeless.test(name) && foldedName(name) !== ''

const linkAddition = foldedName('by a link of')

/** Whether a name reads like one with an addition of the server: a sign-in name, or the maker of a link (T45). */
export function imitatesAnother(name: string): boolean {
  const folded = foldedName(name)
  return folded.includes('@') || folded.includes(linkAddition)
}
