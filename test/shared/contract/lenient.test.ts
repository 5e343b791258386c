import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { z } from 'zod'
import { bytes, shortText, dateTime, id, nameEnum, numberEnum } from '../../../shared/contract/fields.ts'
import { memberOf, reader } from '../../../shared/contract/lenient.ts'

const Schema = z.object({
  firstName: z.string().default('nobody'),
  count: z.number().int().nullish(),
  inner: z.object({ deepValue: z.number() }).optional(),
  list: z.array(z.object({ isOn: z.boolean() })).default([]),
})
const read = (value: unknown) => Schema.parse(reader(Schema, { numbers: true })(value))

test.each([
  [
    'names in any letter case',
    { FIRSTNAME: 'Ada', Inner: { DEEPVALUE: 1 }, LIST: [{ ISON: true }] },
    { firstName: 'Ada', inner: { deepValue: 1 }, list: [{ isOn: true }] },
  ],
  [
    'numbers as strings',
    { count: ' 7 ', inner: { deepValue: '1.5e1' } },
    { firstName: 'nobody', count: 7, inner: { deepValue: 15 }, list: [] },
  ],
  [
    'unknown members dropped',
    { other: 1, inner: { deepValue: 1, other: 2 } },
    { firstName: 'nobody', inner: { deepValue: 1 }, list: [] },
  ],
  ['null as the default', { firstName: null, list: null, count: null }, { firstName: 'nobody', count: null, list: [] }],
])('a value is read: %s', (_, value, expected) => {
  expect(read(value)).toEqual(expected)
})

test.each(['', ' ', 'seven', 'Infinity', 'NaN', true, [], {}])('%j is not parsed as a number', (count) => {
  expect(Schema.safeParse(reader(Schema, { numbers: true })({ count })).success).toBe(false)
})

describe('of several spellings of a member, both look-ups choose', () => {
  const spellings = fc.constantFrom('firstName', 'FirstName', 'firstname', 'FIRSTNAME')

  test('the exact spelling, otherwise the first', () => {
    fc.assert(
      fc.property(fc.uniqueArray(spellings, { minLength: 1 }), (names) => {
        const value = Object.fromEntries(names.map((name, index) => [name, `value ${index}`]))
        const expected = names.includes('firstName') ? value['firstName'] : value[names[0]!]
        expect(read(value).firstName).toBe(expected)
        expect(memberOf(value, 'firstName')).toBe(expected)
      }),
    )
  })

  test('the exact spelling, even if it is null', () => {
    const value = JSON.parse('{"FirstName":"forged","firstName":null}') as object
    expect([read(value).firstName, memberOf(value, 'firstName')]).toEqual(['nobody', null])
  })
})

test('members named `__proto__` and `constructor` have no effect (T21)', () => {
  const text =
    '{"__proto__":{"polluted":1,"firstName":"x"},"constructor":{"prototype":{"polluted":1}},"inner":{"__proto__":{"deepValue":1},"deepValue":2}}'
  const value = read(JSON.parse(text))
  expect(value).toEqual({ firstName: 'nobody', inner: { deepValue: 2 }, list: [] })
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  expect(memberOf(JSON.parse(text) as object, 'toString')).toBeUndefined()
})

test('any JSON is accepted or rejected without a crash', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const result = Schema.safeParse(reader(Schema)(value))
      expect(typeof result.success).toBe('boolean')
    }),
  )
})

describe('fields', () => {
  const Kind = nameEnum('Kind', { Small: 0, Large: 5 })
  const Level = numberEnum('Level', { Low: 0, High: 9 })

  test.each([
    [id, 'A0B1C2D3-0000-0000-0000-00000000000F', 'a0b1c2d3-0000-0000-0000-00000000000f'],
    [dateTime, '2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
    [dateTime, '2026-01-02T03:04:05.1234567Z', '2026-01-02T03:04:05.123Z'],
    [Kind, 'LARGE', 'Large'],
    [Kind, 5, 'Large'],
    [Kind, '0', 'Small'],
    [Level, 'high', 9],
    [Level, '9', 9],
    [shortText(3), 'abcdef', 'abc'],
    [shortText(3), 'ab\u{1f600}', 'ab'],
  ])('%# is read', (field, text, value) => {
    expect(field.parse(reader(field)(text))).toBe(value)
  })

  test.each([
    [id, 'a0b1c2d3000000000000000000000000'],
    [id, '{a0b1c2d3-0000-0000-0000-00000000000f}'],
    [dateTime, 'yesterday'],
    [dateTime, '2026-02-30T00:00:00Z'],
    [dateTime, '9999-12-31T23:59:59-12:00'],
    [dateTime, '2026-01-02'],
    [Kind, 'Medium'],
    [Kind, 1],
    [Level, ''],
    [Level, 1],
    [bytes, 'not base64!'],
  ])('%# is refused', (field, text) => {
    expect(field.safeParse(text).success).toBe(false)
  })
})
