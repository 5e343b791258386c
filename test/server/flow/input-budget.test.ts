import { expect, test } from 'vitest'
import { until } from '../../support/until.ts'
import { InputBudget } from '../../../server/flow/input-budget.ts'

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

/** A socket that records whether it is read. */
function reader() {
  const state = { isRead: false }
  return { state, start: () => void (state.isRead = true), stop: () => void (state.isRead = false) }
}

test('T40: when the share is used, unfinished input is dropped, and older complete input is not', () => {
  const { dropped, open } = scene({ all: 100, share: 60 })
  open('whole', { address: 'x', isWhole: true }).take(40)
  open('half', { address: 'x' }).take(15)
  open('last', { address: 'x', isWhole: true }).take(20)
  expect(dropped).toEqual(['half'])
})

test('T40: when complete input uses the share, sockets are not read until budget is free', async () => {
  const { dropped, open } = scene({ all: 100, share: 60 })
  const [first, idle, last, other] = [reader(), reader(), reader(), reader()]
  const whole = open('whole', { address: 'x', isWhole: true })
  whole.readWhenRoom(first)
  open('idle', { address: 'x' }).readWhenRoom(idle)
  whole.take(61)
  open('last', { address: 'x' }).readWhenRoom(last)
  open('other').readWhenRoom(other)
  expect([idle, last, other].map(({ state }) => state.isRead)).toEqual([false, false, true])
  whole.give(61)
  await until(() => idle.state.isRead && last.state.isRead)
  expect(dropped).toEqual([])
})

test('T40: while the budget of all is used, waiting addresses are read in fair order', async () => {
  const { open } = scene({ all: 100, share: 100 })
  const full = open('full', { isWhole: true })
  full.readWhenRoom(reader())
  full.take(101)
  const order: string[] = []
  for (const [name, address] of [
    ['a', 'x'],
    ['b', 'x'],
    ['c', 'y'],
  ] as const) {
    const holder = open(name, { address, isWhole: true })
    const start = () => {
      order.push(name)
      holder.take(101)
      setImmediate(() => holder.give(101))
    }
    holder.readWhenRoom({ start, stop() {} })
  }
  full.give(101)
  await until(() => order.length === 3)
  expect(order).toEqual(['a', 'c', 'b'])
})

test('a socket that waits for budget is read when its peer is proved', () => {
  const { open } = scene({ all: 100, share: 60 })
  const waiting = reader()
  const whole = open('whole', { address: 'x', isWhole: true })
  whole.readWhenRoom(reader())
  whole.take(61)
  const holder = open('known', { address: 'x' })
  holder.readWhenRoom(waiting)
  expect(waiting.state.isRead).toBe(false)
  holder.close()
  expect(waiting.state.isRead).toBe(true)
})

test('T40: a socket that began to read before budget is free is stopped', async () => {
  const { open } = scene({ all: 100, share: 60 })
  const whole = open('whole', { isWhole: true })
  whole.take(60)
  const upgraded = reader()
  upgraded.start()
  open('upgraded', { address: 'whole' }).readWhenRoom(upgraded)
  expect(upgraded.state.isRead).toBe(false)
  whole.give(60)
  await until(() => upgraded.state.isRead)
})
