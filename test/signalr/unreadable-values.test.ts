import { encode } from '@msgpack/msgpack'
import { describe, expect, test } from 'vitest'
import { writeBinaryFrame } from '../../server/engines/signalr/protocol/binary-frames.ts'
import { createWire, settle } from '../support/wire.ts'

describe('a MessagePack value that cannot be decoded', () => {
  /** Follows the headers of a message; the byte has no meaning in MessagePack. */
  const bad = Uint8Array.of(0xc1)
  const packed = (start: unknown[], count: number) =>
    writeBinaryFrame(Buffer.concat([Buffer.from([0x90 + count]), ...start.map((part) => encode(part)), bad]))

  test('fails its call, and the connection stays open', async () => {
    const wire = createWire()
    const client = await wire.connect({ protocol: 'messagepack' })
    client.send(packed([1, {}, '7', 'Echo'], 5))
    client.sendPacked([1, {}, '8', 'Echo', [1]])
    await settle()
    expect(client.takePacked()).toMatchObject([
      { type: 3, invocationId: '7', error: "Failed to invoke 'Echo' due to an error on the server." },
      { type: 3, invocationId: '8', result: 1 },
    ])
  })

  test('fails its upload stream', async () => {
    const wire = createWire()
    const client = await wire.connect({ protocol: 'messagepack' })
    client.sendPacked([1, {}, '7', 'Sum', [], ['s']])
    client.send(packed([2, {}, 's'], 4))
    await settle()
    const error =
      "An unexpected error occurred invoking 'Sum' on the server. HubException: Failed to bind Stream message."
    expect(client.takePacked()).toMatchObject([{ type: 3, invocationId: '7', error }])
  })

  test('fails the client result it carries', async () => {
    const wire = createWire()
    const client = await wire.connect({ protocol: 'messagepack' })
    const answer = wire.engine.clients.invoke(client.id, 'Give', [1])
    await settle()
    client.send(packed([3, {}, 's1', 3], 5))
    await expect(answer).rejects.toThrow('Error trying to deserialize result to Give.')
    expect(client.connection.isEnded).toBe(false)
  })
})
