import { expect, test } from 'vitest'
import { UnprovedInput } from '../../server/unproved-input.ts'

/** Peers with names, and who of them was dropped. */
function scene(limits: { all: number; address: number }) {
  const input = new UnprovedInput(limits)
  const dropped: string[] = []
  const open = (name: string, address = name) => input.open(address, () => dropped.push(name))
  return { input, dropped, open }
}

test('where nothing is left, the peer that has held bytes for the longest time is dropped', () => {
  const { input, dropped, open } = scene({ all: 100, address: 60 })
  const [a, b, c] = [open('a'), open('b'), open('c')]
  a.take(40)
  b.take(40)
  a.give(40)
  a.take(40)
  c.take(50)
  expect([dropped, input.used]).toEqual([['b'], 90])
})

test('where the share of an address is full, another peer of that address is dropped', () => {
  const { input, dropped, open } = scene({ all: 100, address: 60 })
  open('known').take(30)
  open('a', 'x').take(40)
  open('b', 'x').take(40)
  expect([dropped, input.used]).toEqual([['a'], 70])
})

test('a peer that takes more than its share is dropped itself, and counts no more', () => {
  const { input, dropped, open } = scene({ all: 100, address: 60 })
  const a = open('a')
  a.take(61)
  a.take(10)
  a.give(10)
  expect([dropped, input.used]).toEqual([['a'], 0])
})
