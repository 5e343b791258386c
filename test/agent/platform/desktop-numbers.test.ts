import { expect, test } from 'vitest'
import { numberOfX11, numbersOfWayland, x11Display } from '../../../agent/platform/linux/desktops/numbers.ts'

test('no two desktops of a machine have one number, whatever their displays and sockets are called', () => {
  const displays = Array.from({ length: 5_000 }, (_, display) => numberOfX11(`:${display}`))
  const users = Array.from({ length: 3_000 }, (_, userId) => userId % 1_500)
  const sessions = numbersOfWayland(users.map((userId) => ({ userId, socket: 'wayland-0' })))
  const numbers = [...displays, ...sessions, numberOfX11(':999999')]
  expect(new Set(numbers).size).toBe(numbers.length)
  // With the base of desktops without a process, still a number of 32 bits.
  expect(Math.max(...numbers)).toBeLessThan(147_483_648)
})

test('a Wayland desktop keeps its number when others appear', () => {
  const desktop = { userId: 1_000, socket: 'wayland-1' }
  const [alone] = numbersOfWayland([desktop])
  const others = [
    { userId: 1_001, socket: 'wayland-0' },
    { userId: 1_001, socket: 'wayland-4711' },
  ]
  expect(numbersOfWayland([...others, desktop])[2]).toBe(alone)
})

test('a display with leading zeros is none: it would have the number of another one', () => {
  expect(['0', '10', '99999'].filter((name) => x11Display.test(name))).toEqual(['0', '10', '99999'])
  expect(['', '00', '07', '1234567', '1x', ' 1'].filter((name) => x11Display.test(name))).toEqual([])
})
