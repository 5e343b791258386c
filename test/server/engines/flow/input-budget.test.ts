import { expect, test } from 'vitest'
import { InputBudget } from '../../../../server/engines/flow/input-budget.ts'

/** Named peers, and the names of the dropped ones. */
function scene(limits: { all: number; share: number }) {
  const input = new InputBudget(limits)
  const dropped: string[] = []
  const open = (name: string, { address = name, isWhole = false } = {}) =>
    input.open(address, { drop: () => dropped.push(name), isUnfinished: () => !isWhole })
  return { input, dropped, open }
}

test('when the budget is used, the peer that has held bytes for the longest time is dropped', () => {
  const { input, dropped, open } = scene({ all: 100, share: 60 })
  const [a, b, c] = [open('a'), open('b'), open('c')]
  a.take(40)
  b.take(40)
  a.give(40)
  a.take(40)
  c.take(50)
  expect([dropped, input.used]).toEqual([['b'], 90])
})

test('when the share of an address is used, another peer of that address is dropped', () => {
  const { input, dropped, open } = scene({ all: 100, share: 60 })
  open('known').take(30)
  open('a', { address: 'x' }).take(40)
  open('b', { address: 'x' }).take(40)
  expect([dropped, input.used]).toEqual([['a'], 70])
})

test('a peer that exceeds its share is dropped itself, and no longer counts', () => {
  const { input, dropped, open } = scene({ all: 100, share: 60 })
  const a = open('a')
  a.take(61)
  a.take(10)
  a.give(10)
  expect([dropped, input.used]).toEqual([['a'], 0])
})

test('T40: when the share is used, unfinished input is dropped, and older complete input is not', () => {
  const { dropped, open } = scene({ all: 100, share: 60 })
  open('whole', { address: 'x', isWhole: true }).take(40)
  open('half', { address: 'x' }).take(15)
  open('last', { address: 'x', isWhole: true }).take(20)
  expect(dropped).toEqual(['half'])
})

test('T40: complete input may exceed the share, and above the limit of all the largest share loses its oldest', () => {
  const { input, dropped, open } = scene({ all: 100, share: 60 })
  open('other', { isWhole: true }).take(10)
  open('first', { address: 'x', isWhole: true }).take(40)
  open('second', { address: 'x', isWhole: true }).take(50)
  expect([dropped, input.used]).toEqual([[], 100])
  open('late', { isWhole: true }).take(10)
  expect([dropped, input.used]).toEqual([['first'], 70])
})
