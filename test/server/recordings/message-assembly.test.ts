import { expect, test } from 'vitest'
import { AssemblyBudget, MessageAssembly } from '../../../server/recordings/message-assembly.ts'

const megabyte = 1024 * 1024
const piece = Buffer.alloc(megabyte, 'x')

test('unfinished messages of all sessions share one memory, which a finished or closed one gives back (T20)', () => {
  const budget = new AssemblyBudget(4 * megabyte)
  const [first, second] = [new MessageAssembly(64 * megabyte, budget), new MessageAssembly(64 * megabyte, budget)]
  first.add(piece, false)
  first.add(piece, false)
  second.add(piece, false)
  // A larger buffer is not left: this message is left out, and its memory is given back.
  second.add(piece, false)
  expect(budget.used).toBe(2 * megabyte)
  expect(second.add(piece, true)).toBeUndefined()
  first.close()
  second.close()
  expect(budget.used).toBe(0)
  second.add(piece, false)
  expect(second.add(piece, true)?.length).toBe(2 * megabyte)
  expect(budget.used).toBe(0)
})
