import { expect, test } from 'vitest'
import { AssemblyMemory, MessageAssembly } from '../../../server/recordings/message-assembly.ts'
import { isNight } from '../../support/night.ts'

const mebibyte = 1024 * 1024
const piece = Buffer.alloc(mebibyte, 'x')

/** Recorded session of a device, which sends pieces of a message. */
function openSession(memory: AssemblyMemory, tenant: string, device: string) {
  const assembly = new MessageAssembly(64 * mebibyte, memory, { tenant, device })
  const add = (pieces: number) => {
    for (let index = 0; index < pieces; index++) {
      assembly.add(piece, false)
    }
  }
  return { add, finish: () => assembly.add(piece, true)?.length, close: () => assembly.close() }
}

test('a finished or closed message gives its memory back (T20)', () => {
  const memory = new AssemblyMemory()
  const [first, second] = [openSession(memory, 'a', '1'), openSession(memory, 'a', '2')]
  first.add(40)
  second.add(20)
  expect(first.finish()).toBe(41 * mebibyte)
  second.close()
  expect(memory.used).toBe(0)
})

test('a message that is left out ends with its last piece, and the next one is whole', () => {
  const session = openSession(new AssemblyMemory(), 'a', '1')
  session.add(70)
  expect(session.finish()).toBeUndefined()
  session.add(1)
  expect(session.finish()).toBe(2 * mebibyte)
})

test('neither a device nor a tenant takes the memory of the others with messages that it does not finish (T44)', () => {
  const memory = new AssemblyMemory()
  const sessions = [openSession(memory, 'a', '1'), openSession(memory, 'a', '1'), openSession(memory, 'a', '1')]
  sessions.forEach(({ add }) => add(40))
  const sibling = openSession(memory, 'a', '2')
  sibling.add(20)
  expect(sibling.finish()).toBe(21 * mebibyte)
  const crowd = Array.from({ length: 20 }, (_, index) => openSession(memory, 'a', `more ${index}`))
  crowd.forEach(({ add }) => add(15))
  const other = openSession(memory, 'b', '3')
  other.add(63)
  expect(other.finish()).toBe(64 * mebibyte)
})

test('the devices of two tenants that hold all memory leave a third one what it needs (T44)', () => {
  const memory = new AssemblyMemory()
  const hostile = ['a', 'b'].flatMap((tenant) =>
    [1, 2].map((device) => openSession(memory, tenant, `${tenant}${device}`)),
  )
  hostile.forEach(({ add }) => add(60))
  hostile.forEach(({ add }) => add(60))
  const other = openSession(memory, 'c', '3')
  other.add(63)
  expect(other.finish()).toBe(64 * mebibyte)
  expect(memory.used).toBeLessThanOrEqual(192 * mebibyte)
})

test.runIf(isNight)('sessions that wait for their next message keep no memory from one that needs it', () => {
  const memory = new AssemblyMemory()
  const small = Buffer.alloc(1_000)
  const idle = Array.from({ length: 768 }, (_, index) => {
    const assembly = new MessageAssembly(64 * mebibyte, memory, { tenant: 'a', device: `${index}` })
    assembly.add(small, false)
    assembly.add(small, true)
    return assembly
  })
  expect(memory.used).toBe(192 * mebibyte)
  const other = openSession(memory, 'a', 'other')
  other.add(3)
  expect(other.finish()).toBe(4 * mebibyte)
  idle[0]!.add(small, false)
  expect(idle[0]!.add(small, true)?.length).toBe(2_000)
})
