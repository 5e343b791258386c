import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { defaultOptions } from '../../../../server/engines/relay/options.ts'
import { Side } from '../../../../server/engines/relay/side.ts'
import { otherAuthority } from '../../../support/certificates.ts'
import { until } from '../../../support/until.ts'

test('messages that a peer reads over TLS do not count as unread, however many they are', async () => {
  const { cert, key } = await (await otherAuthority()).issue(['localhost'])
  const server = createServer({ cert, key }).listen(0, '127.0.0.1')
  const [[socket], peer] = await Promise.all([
    once(server, 'secureConnection') as Promise<[TLSSocket]>,
    once(server, 'listening').then(() =>
      connect({ port: (server.address() as AddressInfo).port, rejectUnauthorized: false }),
    ),
  ])
  onTestFinished(() => {
    peer.destroy()
    socket.destroy()
    server.close()
  })
  peer.resume()
  const unread = { bytes: 0 }
  const side = new Side('requester', socket, { options: defaultOptions, unread })
  const send = (bytes: number) => {
    const chunk = Buffer.alloc(bytes)
    side.gather(chunk, () => {
      side.send(chunk, true)
      return bytes
    })
  }
  for (let messages = 0; messages < 20; messages++) {
    send(1_000)
    await until(() => socket.writableLength === 0)
  }
  expect(unread.bytes).toBe(0)

  peer.pause()
  send(5_000_000)
  expect(unread.bytes).toBe(5_000_000)
  peer.resume()
  await until(() => unread.bytes === 0)
})
