import type { z } from 'zod'

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/** Nouns of what a bound counts. */
const counted: Readonly<Record<string, string>> = { string: ' characters', array: ' items', set: ' items' }

const example = '2027-01-31T10:00:00Z'

const formats: Readonly<Record<string, (input: unknown) => string>> = {
  guid: () => 'must be a GUID',
  uuid: () => 'must be a GUID',
  email: () => 'must be an e-mail address',
  url: () => 'must be an absolute address',
  base64: () => 'must be base64',
  datetime: (input) =>
    /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(String(input).slice(0, 40))
      ? `needs an offset, as in ${example}`
      : `must be a time with an offset, as in ${example}`,
}

function outOfBounds(word: 'least' | 'most', origin: string, bound: number | bigint): string {
  const noun = counted[origin]
  return noun === undefined
    ? `must be at ${word} ${bound}`
    : `must have at ${word} ${bound}${Number(bound) === 1 ? noun.replace(/s$/, '') : noun}`
}

/**
 * Says what is wrong with a value, to follow its name: "name must be text". Used where a schema has no sentence of its
 * own, so that no message of the validator reaches a caller.
 */
export const sentenceOf: z.core.$ZodErrorMap = (issue) => {
  const { input } = issue
  switch (issue.code) {
    case 'invalid_type':
      return input === undefined ? 'is required' : `must be ${nouns[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return input === undefined
        ? 'is required'
        : `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : outOfBounds('least', issue.origin, issue.minimum)
    case 'too_big':
      return outOfBounds('most', issue.origin, issue.maximum)
    case 'invalid_format':
      return formats[issue.format]?.(input) ?? 'is not written as it must be'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_key':
      return 'has a name that it must not have'
    default:
      return input === undefined ? 'is required' : 'is not a value that fits here'
  }
}
