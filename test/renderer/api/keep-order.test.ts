import { describe, expect, test } from 'vitest'
import { keepOrder, type DevicePage } from '../../../renderer/api/keep-order.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'

const device = (name: string, cpuUtilization = 0) => ({ id: name, name, cpuUtilization }) as DeviceResponseDto
const page = (items: DeviceResponseDto[], totalItems: number, orderedAt: number): DevicePage => ({
  items,
  totalItems,
  orderedAt,
  anyDevicesForUser: true,
  problems: [],
  filterCounts: { taggedDevices: 0, untaggedDevices: 0, onlineDevices: 0, offlineDevices: 0 },
})
const names = ({ items }: DevicePage) => items.map(({ name }) => name).join('')

const before = page([device('a', 0.9), device('b', 0.5), device('c', 0.1)], 3, 100)

describe('a page whose order is held', () => {
  test('has the order of the server at first', () => expect(keepOrder(undefined, before)).toBe(before))

  test('keeps its rows in place and updates their values', () => {
    const now = page([device('c', 1), device('a', 0.8), device('b', 0)], 3, 200)
    expect(keepOrder(before, now)).toEqual(page([device('a', 0.8), device('b', 0), device('c', 1)], 3, 100))
  })

  test('puts a new device last', () =>
    expect(names(keepOrder(before, page([device('d'), device('c'), device('b'), device('a')], 4, 200)))).toBe('abcd'))

  test('drops a deleted device', () =>
    expect(names(keepOrder(before, page([device('c'), device('a')], 2, 200)))).toBe('ac'))

  test('keeps a device that has only moved to another page', () => {
    const full = page([device('a'), device('b')], 4, 100)
    expect(names(keepOrder(full, page([device('x'), device('a')], 4, 200)))).toBe('ab')
  })
})
