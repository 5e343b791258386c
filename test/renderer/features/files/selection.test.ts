import { expect, test } from 'vitest'
import {
  among,
  cursorIndex,
  moveTo,
  noSelection,
  pickAll,
  toggle,
} from '../../../../renderer/features/files/selection.ts'

const ids = ['a', 'b', 'c', 'd', 'e']

test('a range grows and shrinks from where it began', () => {
  const one = moveTo(noSelection, ids, 1, 'one')
  const grown = moveTo(one, ids, 3, 'range')
  expect([...grown.picked]).toEqual(['b', 'c', 'd'])
  const turned = moveTo(grown, ids, 0, 'range')
  expect([...turned.picked]).toEqual(['a', 'b'])
  expect(turned.cursor).toBe('a')
})

test('a move of the cursor keeps the selection, and stops at both ends', () => {
  const moved = moveTo(moveTo(noSelection, ids, 1, 'one'), ids, 99, 'none')
  expect([moved.cursor, ...moved.picked]).toEqual(['e', 'b'])
  expect(moveTo(moved, ids, -5, 'one').cursor).toBe('a')
  expect(moveTo(noSelection, [], 0, 'one')).toBe(noSelection)
})

test('single rows are picked and dropped', () => {
  const two = toggle(toggle(noSelection, 'b'), 'd')
  expect([...two.picked]).toEqual(['b', 'd'])
  expect([...toggle(two, 'b').picked]).toEqual(['d'])
  expect(pickAll(two, ids).picked.size).toBe(5)
})

test('the cursor stays at its place when its row disappears', () => {
  const at = moveTo(noSelection, ids, 2, 'one')
  const left = among(at, ['a', 'b', 'd', 'e'], ids)
  expect([left.cursor, left.picked.size]).toEqual(['d', 0])
  expect(cursorIndex(left, ['a', 'b', 'd', 'e'])).toBe(2)
  expect(among(moveTo(noSelection, ids, 4, 'one'), ['a', 'b'], ids).cursor).toBe('b')
  expect(among(at, ['c', 'a'], ids)).toBe(at)
})
