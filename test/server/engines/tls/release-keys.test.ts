import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { ReleaseKeys, type StoredReleaseKey } from '../../../../server/engines/tls/release-keys.ts'
import { mostReleaseKeys, succession } from '../../../../shared/agent-release.ts'

function keptKeys() {
  let stored: StoredReleaseKey | undefined
  let isBroken = false
  const open = () =>
    new ReleaseKeys({
      load: () => Promise.resolve(stored),
      save(next) {
        if (isBroken) {
          return Promise.reject(new Error('The disk is full.'))
        }
        stored = next
        return Promise.resolve()
      },
    })
  return { open, breakDisk: (is: boolean) => void (isBroken = is) }
}

const isSigned = (key: string, text: string, signature: string) =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }),
    Buffer.from(signature, 'base64'),
  )

test('the release key is created once, survives restarts, and signs', async () => {
  const { open } = keptKeys()
  const keys = open()
  const [named] = await keys.named()
  expect(named?.signature).toBeNull()
  const again = open()
  expect(await again.named()).toEqual([named])
  expect(isSigned(named!.key, 'a text', await again.sign(Buffer.from('a text')))).toBe(true)
})

test('each rotation adds a key signed by the previous key and drops the oldest names; two rotations at once add two', async () => {
  const { open } = keptKeys()
  const keys = open()
  await Promise.all([keys.rotate(), keys.rotate()])
  const [first, second, third, ...others] = await keys.named()
  expect(others).toEqual([])
  expect(isSigned(first!.key, succession(second!.key), second!.signature!)).toBe(true)
  expect(isSigned(second!.key, succession(third!.key), third!.signature!)).toBe(true)
  for (let count = 0; count < mostReleaseKeys; count++) {
    await keys.rotate()
  }
  expect((await keys.named()).length).toBe(mostReleaseKeys)
  expect(await open().named()).toEqual(await keys.named())
})

test('a rotation that fails before the first key is stored leaves nothing behind', async () => {
  const { open, breakDisk } = keptKeys()
  breakDisk(true)
  const keys = open()
  await expect(keys.rotate()).rejects.toThrow('The disk is full.')
  breakDisk(false)
  expect(await keys.named()).toHaveLength(1)
})

test('a key that cannot be stored is not used', async () => {
  const { open, breakDisk } = keptKeys()
  breakDisk(true)
  const keys = open()
  await expect(keys.named()).rejects.toThrow('The disk is full.')
  breakDisk(false)
  const before = await keys.named()
  breakDisk(true)
  await expect(keys.rotate()).rejects.toThrow('The disk is full.')
  expect(await keys.named()).toEqual(before)
})
