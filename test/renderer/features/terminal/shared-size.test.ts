import { expect, test, vi } from 'vitest'
import { SharedSize } from '../../../../renderer/features/terminal/shared-size.ts'

const own = { columns: 80, rows: 24 }
const others = { columns: 132, rows: 50 }

function makeSize() {
  const [follow, send, onFollow] = [vi.fn(), vi.fn(), vi.fn()]
  return { size: new SharedSize({ screen: { size: () => own, follow }, send, onFollow }), follow, send, onFollow }
}

test('a size that another viewer gave is followed until this one takes the terminal back', () => {
  const { size, follow, send, onFollow } = makeSize()
  size.follow(others)
  expect(size.isFollowing).toBe(true)
  size.fit()
  expect(size.isFollowing).toBe(false)
  expect(follow.mock.calls).toEqual([[others], [undefined]])
  expect(onFollow.mock.calls).toEqual([[true], [false]])
  expect(send.mock.calls).toEqual([[own]])
})

test('a terminal that has its own size is left alone', () => {
  const { size, follow, send, onFollow } = makeSize()
  size.fit()
  size.follow(undefined)
  expect([follow, send, onFollow].flatMap(({ mock }) => mock.calls)).toEqual([])
})
