import { expect, test } from 'vitest'
import { boundedWriter, maxWaiting } from '../../../../renderer/features/terminal/bounded-writer.ts'

/** Screen that draws when the test says so. */
function slowScreen() {
  const drawn: string[] = []
  const waiting: (() => void)[] = []
  const write = boundedWriter((text, onDrawn) => {
    waiting.push(() => {
      drawn.push(text)
      onDrawn()
    })
  })
  const drawAll = () => {
    for (let draw = waiting.shift(); draw; draw = waiting.shift()) {
      draw()
    }
  }
  return { write, drawAll, drawn, waiting }
}

test('output that the screen draws in time is drawn whole', () => {
  const { write, drawAll, drawn } = slowScreen()
  write('a')
  write('x'.repeat(maxWaiting - 1))
  drawAll()
  write('b')
  drawAll()
  expect(drawn.map(({ length }) => length)).toEqual([1, maxWaiting - 1, 1])
})

test('T35: a device that sends faster than the screen draws does not fill memory, and the screen shows how much is missing', () => {
  const { write, drawAll, drawn, waiting } = slowScreen()
  const piece = 'x'.repeat(1_000_000)
  for (let count = 0; count < 100; count++) {
    write(piece)
  }
  expect(waiting).toHaveLength(maxWaiting / piece.length)
  drawAll()
  expect(drawn.at(-1)).toContain('of output left out')
  write('prompt')
  drawAll()
  expect(drawn.at(-1)).toBe('prompt')
})
