import type { z } from 'zod'
import { listLimit } from '../../shared/contract/lenient.ts'

/** Below the 2 MiB limit of a body, with room for member names. */
const textBytes = 1_500_000

/** Texts of all members, by the reason why they are hard: for patterns, for trimming, for decoding. */
const patterns = { letters: 'a', blanks: ' ', 'e-mail': 'a.a@a.', escapes: '\\u00e9' }

/** Above any list limit, for lists without a limit of their own. */
const manyItems = 10_000

/** Builds a value with every member and full lists, whose texts are all `text`. */
function filled(schema: z.core.$ZodType, text: () => string): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([name, member]) => [name, filled(member, text)]))
    case 'array':
      return Array.from({ length: Math.min(listLimit(schema).maxItems, manyItems) }, () => filled(def.element, text))
    case 'pipe':
      return filled(def.in._zod.def.type === 'transform' ? def.out : def.in, text)
    case 'number':
      return 1
    case 'boolean':
      return false
    case 'enum':
      return Object.values(def.entries)[0]
    case 'literal':
      return def.values[0]
    default:
      return 'innerType' in def ? filled(def.innerType, text) : text()
  }
}

/** Hard bodies of the maximum size for a schema, by the reason why they are hard; `ids` fill the lists of one. */
export function hostileBodies(schema: z.ZodType, ids: readonly string[]): [string, string][] {
  let used = 0
  const known = JSON.stringify(filled(schema, () => ids[used++ % ids.length]!))
  const ofTexts = Object.entries(patterns).map(([name, pattern]): [string, string] => {
    const text = pattern.repeat(Math.max(1, textBytes / Math.max(1, used) / pattern.length))
    return [name, JSON.stringify(filled(schema, () => text))]
  })
  return [['known ids, lists full', known], ...ofTexts, ['too many lists', `{"a":[${'[],'.repeat(600_000)}[]]}`]]
}
