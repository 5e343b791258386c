import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { addDevices } from '../support/stored.ts'
import { until } from '../support/until.ts'
import type { Visitor } from '../support/visitor.ts'

const server = serverForFile()
const owner = ownerForFile(server)
const mebibyte = 1024 * 1024
const json = { 'Content-Type': 'application/json' }

/** Visitor by a link of the owner for one device. */
let guest: Visitor
beforeAll(async () => {
  const deviceId = (await addDevices(server, owner.tenantId, 1))[0]!.id
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
    body: {
      tenantId: owner.tenantId,
      deviceId,
      permissions: ['device.read'],
      userCorrelationId: 'guest',
      userDisplayName: 'Guest',
    },
  })
  guest = server.visitor()
  await guest.openLink(deviceAccessUrl)
})

/** Sends a request without the last bytes of its body. */
function sendHalf(headers: Record<string, string>, body: Uint8Array) {
  const { host, hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const lines = Object.entries({ ...headers, Host: host, 'Content-Length': String(body.length + 8) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`POST /api/v1/devices/search HTTP/1.1\r\n${head}\r\n`)
  socket.write(body)
  return socket
}

const long = Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(2 * mebibyte - 100, 'a')])

test.each([
  ['small bodies that unpack to 2 MiB', gzipSync(long).subarray(0, -8), { 'Content-Encoding': 'gzip' }],
  ['bodies of 2 MiB', long, {}],
])('unfinished %s hold 16 MiB of an account at most: the oldest are dropped', async (_, body, encoding) => {
  const headers = { ...guest.headers, ...json, ...encoding }
  const sockets = Array.from({ length: 20 }, () => sendHalf(headers, body))
  let dropped = 0
  sockets.forEach((socket) => socket.once('close', () => dropped++))
  await until(() => dropped >= sockets.length - 8)
  await owner.userStorage.set({ tenantId: owner.tenantId, body: { key: 'a', value: 'a' } })
})

test('hundreds of writes of a guest do not hold up the write of somebody else', async () => {
  const all = 300
  let answered = 0
  const write = async () => {
    await guest.userStorage.set({ tenantId: owner.tenantId, body: { key: 'a', value: 'a' } })
    answered++
  }
  const writes = Array.from({ length: all }, write)
  // The others have arrived by then.
  await until(() => answered >= 50)
  const before = answered
  await owner.tags.create({ tenantId: owner.tenantId, body: { name: 'berlin' } })
  // At most the 64 that run, and what ends on the way.
  expect(answered - before).toBeLessThan(110)
  await Promise.all(writes)
})
