import type { z } from 'zod'
import { listLimit } from '../../shared/contract/lenient.ts'

/** Builds the text used for every string of a body. */
type Text = (length: number) => string

const repeated =
  (pattern: string): Text =>
  (length) =>
    pattern.repeat(Math.max(1, Math.floor(length / pattern.length)))

/** Texts that are hard for patterns and trimming. */
const texts: Record<string, Text> = {
  letters: repeated('a'),
  blanks: (length) => `${' '.repeat(length)}x`,
  'e-mail': repeated('a.a@a.'),
  digits: repeated('0'),
  quotes: repeated('\\u00e9'),
}

/** Below the 2 MiB limit of a body, with room for member names. */
const textBytes = 1_500_000

/** Above any list limit, for lists without a limit of their own. */
const manyItems = 10_000

/** Builds a value with every member and full lists, whose texts are all `text`. */
function filled(schema: z.core.$ZodType, text: () => string, maxItems: number): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).map(([name, member]) => [name, filled(member, text, maxItems)]),
      )
    case 'array':
      return Array.from({ length: Math.min(listLimit(schema).maxItems, maxItems) }, () =>
        filled(def.element, text, maxItems),
      )
    case 'pipe':
      return filled(def.in._zod.def.type === 'transform' ? def.out : def.in, text, maxItems)
    case 'number':
      return 1
    case 'boolean':
      return false
    case 'enum':
      return Object.values(def.entries)[0]
    case 'literal':
      return def.values[0]
    default:
      return 'innerType' in def ? filled(def.innerType, text, maxItems) : text()
  }
}

/** Number of texts in a full value. */
function countTexts(schema: z.core.$ZodType, maxItems: number): number {
  let count = 0
  filled(schema, () => String(count++), maxItems)
  return count
}

/** Hard bodies of the maximum size for a schema, by the kind of their text; `ids` fill the lists of one. */
export function hostileBodies(schema: z.ZodType, ids: readonly string[]): [string, string][] {
  const sized = (maxItems: number, text: Text) => {
    const length = Math.floor(textBytes / Math.max(1, countTexts(schema, maxItems)))
    return JSON.stringify(filled(schema, () => text(length), maxItems))
  }
  const manyMembers = Object.fromEntries(Array.from({ length: 14_900 }, (_, index) => [`m${index}`, 'x'.repeat(50)]))
  const wrongItems = filled(schema, () => '', 1)
  const asLists = Object.fromEntries(
    Object.keys(wrongItems as object).map((name) => [name, Array.from({ length: 2_000 }, () => ({ a: 0 }))]),
  )
  let used = 0
  const known = filled(schema, () => ids[used++ % ids.length]!, manyItems)
  return [
    ['known ids, lists full', JSON.stringify(known)],
    ...Object.entries(texts).map(([name, text]): [string, string] => [name, sized(manyItems, text)]),
    ['one long text each', sized(1, repeated('a'))],
    ['14,900 unknown members', JSON.stringify(manyMembers)],
    ['lists of wrong items', JSON.stringify(asLists)],
    ['too many lists', `{"a":[${'[],'.repeat(600_000)}[]]}`],
  ]
}
