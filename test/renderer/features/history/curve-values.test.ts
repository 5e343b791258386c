import { expect, test } from 'vitest'
import { alone, filled, lastKnown, shareOf } from '../../../../renderer/features/history/curve-values.ts'

test('a value lasts as long as the device stays connected', () => {
  expect(filled([0.5, null, null, 0.1, null], [1, 0.4, 0, 1, null])).toEqual([0.5, 0.5, null, 0.1, null])
})

test('the last value and the mean ignore unknown values', () => {
  expect([lastKnown([0.2, null]), lastKnown([null])]).toEqual([0.2, undefined])
  expect([shareOf([1, null, 0]), shareOf([null])]).toEqual([0.5, undefined])
})

test('a value between two gaps, or the only one, is drawn as a point', () => {
  expect([alone([0.1, null, 0.2, 0.3, null, 0.4]), alone([0.1])]).toEqual([[0, 5], [0]])
})
