import { expect, test } from 'vitest'
import { Readings } from '../../../server/recordings/open-readings.ts'

function openReadings() {
  const readings = new Readings()
  let count = 0
  const add = (tenantId: string, account: string, owner = account) => {
    const id = `${count++}`
    readings.add({ id, recordingId: 'recording', owner, account, tenantId, blocks: [], usedAt: count })
    return id
  }
  return { add, isOpen: (id: string) => readings.get(id, count) !== undefined }
}

test('an account with many tokens ends its own readings beyond 20, the oldest first (T44)', () => {
  const { add, isOpen } = openReadings()
  const other = add('tenant', 'Ada')
  const own = Array.from({ length: 250 }, (_, index) => add('tenant', 'Eve', `token ${index % 50}`))
  expect(isOpen(other)).toBe(true)
  expect(own.filter(isOpen)).toEqual(own.slice(-20))
})

test('the tenant that has most readings loses one where places are missing (T44)', () => {
  const { add, isOpen } = openReadings()
  const other = add('small', 'Ada')
  const own = Array.from({ length: 400 }, (_, index) => add('large', `Account ${index % 100}`))
  const second = add('small', 'Grace')
  expect([other, second].map(isOpen)).toEqual([true, true])
  expect(own.filter(isOpen)).toEqual(own.slice(-198))
})
