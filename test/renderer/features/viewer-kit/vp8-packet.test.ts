import fc from 'fast-check'
import { expect, test } from 'vitest'
import { vp8Packet } from '../../../../renderer/features/viewer-kit/vp8-packet.ts'
import { keyPacket } from '../../../support/vp8.ts'

test('a key packet tells its size; others tell none', async () => {
  const key = await keyPacket(321, 199, [200, 30, 30])
  expect(vp8Packet(key)).toEqual({ size: { width: 321, height: 199 } })
  const delta = Buffer.from(key)
  delta[0]! |= 1
  expect(vp8Packet(delta)).toEqual({ size: undefined })
})

test('any bytes are read or rejected (T35)', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const size = vp8Packet(bytes)?.size
      expect(size === undefined || Math.max(size.width, size.height) < 16_384).toBe(true)
    }),
  )
})
