import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Sha256, sha256Of } from '../../../../renderer/features/transfers/sha256.ts'

test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1_000, 600_000])(
  'the hash of %i bytes is that of others',
  async (size) => {
    const bytes = randomBytes(size)
    const expected = createHash('sha256').update(bytes).digest('hex')
    const hash = new Sha256()
    for (let at = 0; at < size; at += 37) {
      hash.update(bytes.subarray(at, at + 37))
    }
    expect(hash.digest()).toBe(expected)
    expect(await sha256Of(new Blob([bytes]), () => {})).toBe(expected)
  },
)
