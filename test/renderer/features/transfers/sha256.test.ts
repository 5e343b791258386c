import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha256Of } from '../../../../renderer/features/transfers/sha256.ts'

test.each([0, 1, 600_000, 9 * 1024 * 1024])('the hash of %i bytes is that of OpenSSL', async (size) => {
  const bytes = randomBytes(size)
  const read: number[] = []
  expect(await sha256Of(new Blob([bytes]), (count) => read.push(count))).toBe(
    createHash('sha256').update(bytes).digest('hex'),
  )
  expect(read.at(-1) ?? 0).toBe(size)
})
