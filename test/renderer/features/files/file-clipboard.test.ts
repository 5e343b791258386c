import { expect, test } from 'vitest'
import { signedOut } from '../../../../renderer/api/sign-out.ts'
import { fileClipboard, setFileClipboard } from '../../../../renderer/features/files/file-clipboard.ts'

test('entries that were cut are forgotten when their person signs out', () => {
  setFileClipboard({ deviceId: 'one', isCut: true, entries: [] })
  expect(fileClipboard()).toMatchObject({ deviceId: 'one' })
  signedOut.emit()
  expect(fileClipboard()).toBeUndefined()
})
