import { expect, test } from 'vitest'
import { personLeft } from '../../../../renderer/api/person-left.ts'
import { heldEntries, holdEntries } from '../../../../renderer/features/files/file-clipboard.ts'

test('entries that were cut are forgotten when their person signs out', () => {
  holdEntries({ deviceId: 'one', isCut: true, entries: [] })
  expect(heldEntries()).toMatchObject({ deviceId: 'one' })
  personLeft.emit()
  expect(heldEntries()).toBeUndefined()
})
