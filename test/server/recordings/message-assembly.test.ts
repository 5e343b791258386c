import { expect, test } from 'vitest'
import { assemblyBudget, MessageAssembly } from '../../../server/recordings/message-assembly.ts'

const mebibyte = 1024 * 1024
const piece = Buffer.alloc(mebibyte, 'x')

/** Recorded session of a device, with how many pieces of a message it has memory for. */
function openSession(budget: ReturnType<typeof assemblyBudget>, tenant: string, device: string) {
  const assembly = new MessageAssembly(64 * mebibyte, budget.open({ tenant, device }))
  const add = (pieces: number) => {
    for (let index = 0; index < pieces; index++) {
      assembly.add(piece, false)
    }
  }
  return { add, finish: () => assembly.add(piece, true)?.length, close: () => assembly.close() }
}

test('a finished or closed message gives its memory back (T20)', () => {
  const budget = assemblyBudget()
  const [first, second] = [openSession(budget, 'a', '1'), openSession(budget, 'a', '2')]
  first.add(40)
  second.add(20)
  expect(first.finish()).toBe(41 * mebibyte)
  second.close()
  expect(budget.used).toBe(0)
})

test('neither a device nor a tenant takes the memory of the others with messages that it does not finish (T44)', () => {
  const budget = assemblyBudget()
  const sessions = [openSession(budget, 'a', '1'), openSession(budget, 'a', '1'), openSession(budget, 'a', '1')]
  sessions.forEach(({ add }) => add(40))
  const sibling = openSession(budget, 'a', '2')
  sibling.add(20)
  expect(sibling.finish()).toBe(21 * mebibyte)
  const crowd = Array.from({ length: 10 }, (_, index) => openSession(budget, 'a', `more ${index}`))
  crowd.forEach(({ add }) => add(15))
  const other = openSession(budget, 'b', '3')
  other.add(63)
  expect(other.finish()).toBe(64 * mebibyte)
})
