import { expect, test } from 'vitest'
import { filled, lastKnown, pathOf, shareOf } from '../../../../../renderer/pages/devices/device/plot.ts'

test('a plot omits unknown values and shows zero as a thin line', () => {
  expect(pathOf([0.5, null, 0], 40)).toBe('M0 40V20H1V40ZM2 40V39.2H3V40Z')
})

test('a value lasts as long as the device stays connected', () => {
  expect(filled([0.5, null, null, 0.1, null], [1, 0.4, 0, 1, null])).toEqual([0.5, 0.5, null, 0.1, null])
})

test('the last value and the mean ignore unknown values', () => {
  expect([lastKnown([0.2, null]), lastKnown([null])]).toEqual([0.2, undefined])
  expect([shareOf([1, null, 0]), shareOf([null])]).toEqual([0.5, undefined])
})
