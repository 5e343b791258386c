import { describe, expect, test } from 'vitest'
import { dateTime, nameEnum, numberEnum } from '../../../shared/contract/fields.ts'

const values = { Allow: 0, Deny: 1 }
const strange: unknown[] = [
  { toString: 0 },
  { toString: null, valueOf: null },
  [],
  ['Allow'],
  {},
  null,
  true,
  '',
  'allowed',
  2,
]

describe('an enum', () => {
  const byName = nameEnum('ByName', values)
  const byNumber = numberEnum('ByNumber', values)

  test.each(['Deny', 'deny', 'DENY', 1, '1'])('accepts %j', (value) => {
    expect([byName.parse(value), byNumber.parse(value)]).toEqual(['Deny', 1])
  })

  test.each(strange.map((value) => [JSON.stringify(value), value]))('rejects %s', (_, value) => {
    expect([byName.safeParse(value).success, byNumber.safeParse(value).success]).toEqual([false, false])
  })
})

test('a text of a megabyte is no instant', () => {
  expect(dateTime.safeParse('2026-11-27T17:00:00.5+02:00').data).toBe('2026-11-27T15:00:00.500Z')
  expect(dateTime.safeParse('a.a@'.repeat(250_000)).success).toBe(false)
})
