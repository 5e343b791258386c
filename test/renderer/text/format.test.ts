import { describe, expect, test } from 'vitest'
import {
  byteSize,
  clockTime,
  fraction,
  gibibytes,
  macText,
  moment,
  percent,
  relativeTime,
  workTime,
} from '../../../renderer/text/format.ts'

const now = Date.parse('2026-03-14T12:00:00Z')
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

describe('relativeTime', () => {
  test.each([
    [0, 'now'],
    [9_999, 'now'],
    [10_000, '10s ago'],
    [minute - 1, '59s ago'],
    [minute, '1m ago'],
    [hour - 1, '59m ago'],
    [hour, '1h ago'],
    [day - 1, '23h ago'],
    [2 * day, '2d ago'],
    [29 * day, '29d ago'],
  ])('an age of %i ms is written as %s', (age, words) => expect(relativeTime(now - age, now)).toBe(words))

  test('an older time is written as its day', () => expect(relativeTime(now - 40 * day, now)).toBe('Feb 2, 2026'))

  test('a time in the future is written as now', () => expect(relativeTime(now + hour, now)).toBe('now'))
})

describe('gibibytes', () => {
  test.each([
    [0, '0 GiB'],
    [0.25, '256 MiB'],
    [1.5, '1.5 GiB'],
    [15.9, '16 GiB'],
    [2048, '2 TiB'],
  ])('writes %d GiB', (size, words) => expect(gibibytes(size)).toBe(words))
})

test('a fraction of 0 is 0', () => expect(fraction(5, 0)).toBe(0))
test('a fraction stays between 0 and 1', () => expect([fraction(9, 3), fraction(-1, 3)]).toEqual([1, 0]))
test('a percentage is rounded', () => expect(percent(0.333)).toBe('33%'))

test('a MAC address is written in pairs, and anything else as it is', () => {
  expect(['0a1b2c3d4e5f', '0A-1B', '<b>'].map(macText)).toEqual(['0A:1B:2C:3D:4E:5F', '0A-1B', '<b>'])
})

test.each([
  [0, '0 B'],
  [1_023, '1,023 B'],
  [1_024, '1 KiB'],
  [3_500, '3.4 KiB'],
  [120 * 1_024 * 1_024, '120 MiB'],
])('%i bytes are %s', (bytes, words) => {
  expect(byteSize(bytes)).toBe(words)
})

test.each([
  [-5, '0:00'],
  [7_900, '0:07'],
  [12 * minute + 4_000, '12:04'],
  [3 * hour + 9_000, '3:00:09'],
])('%i ms are %s on a clock', (ms, words) => {
  expect(clockTime(ms)).toBe(words)
})

test('work of less than a second is not 0:00', () => {
  expect([workTime(0), workTime(999), workTime(1_000)]).toEqual(['< 1 s', '< 1 s', '0:01'])
})

test('a time in more than 300 days, past or future, shows its year', () => {
  expect(moment(now - 400 * day, now)).toContain('2025')
  expect(moment(now + 400 * day, now)).toContain('2027')
  expect(moment(now + 20 * day, now)).not.toContain('2026')
})
