import { expect, test } from 'vitest'
import {
  dividersOf,
  neighbourOf,
  panesOf,
  rectsOf,
  withoutPane,
  withShare,
  withSplit,
} from '../../../../renderer/features/terminal/layout.ts'

/** Pane 1 on the left; on the right pane 2 above pane 3. */
const three = withSplit(withSplit(1, 1, 'row', 2), 2, 'column', 3)

test('a split halves the room of one pane, and leaves the others theirs', () => {
  expect(Object.fromEntries(rectsOf(three))).toEqual({
    1: { left: 0, top: 0, width: 50, height: 100 },
    2: { left: 50, top: 0, width: 50, height: 50 },
    3: { left: 50, top: 50, width: 50, height: 50 },
  })
})

test('a divider moves the edge between its two panes, and keeps both readable', () => {
  const [outer, inner] = dividersOf(three)
  expect([outer?.path, inner?.path]).toEqual(['', '2'])
  const moved = withShare(withShare(three, '', 0.6), '2', 0)
  expect(rectsOf(moved).get(1)).toEqual({ left: 0, top: 0, width: 60, height: 100 })
  expect(rectsOf(moved).get(2)).toEqual({ left: 60, top: 0, width: 40, height: 15 })
})

test('a pane that is closed gives its room back to the one beside it', () => {
  const left = withoutPane(three, 2)
  expect(left).toEqual({ direction: 'row', share: 0.5, first: 1, second: 3 })
  expect(panesOf(withoutPane(left!, 1)!)).toEqual([3])
  expect(withoutPane(3, 3)).toBeUndefined()
})

test.each([
  [1, 'right', 2],
  [2, 'left', 1],
  [2, 'down', 3],
  [3, 'up', 2],
  [1, 'left', undefined],
  [3, 'down', undefined],
] as const)('from pane %i to the %s is %s', (pane, side, expected) => {
  expect(neighbourOf(three, pane, side)).toBe(expected)
})
