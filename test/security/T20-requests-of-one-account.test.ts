import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { manualClock } from '../support/clock.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { Visitor } from '../support/visitor.ts'

const clock = manualClock(Date.now())
const server = serverForFile({ clock })
const owner = ownerForFile(server)
const mebibyte = 1024 * 1024
const json = { 'Content-Type': 'application/json' }

let agent: RecordingAgent
let guest: Visitor

/** Visitor by a link of the owner for the device. */
async function guestWith() {
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
    body: {
      tenantId: owner.tenantId,
      deviceId: agent.id,
      permissions: ['device.read', 'device.logs.read'],
      userCorrelationId: randomUUID(),
      userDisplayName: 'Guest',
    },
  })
  const visitor = server.visitor()
  await visitor.openLink(deviceAccessUrl)
  return visitor
}

beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
  guest = await guestWith()
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

test('requests of a guest above 16 wait for the others of that guest, for a second at most, and hold up nobody else', async () => {
  const answer = Promise.withResolvers<unknown>()
  agent.answers.GetLogFiles = () => answer.promise
  const params = { deviceId: agent.id }
  const read = (by: Visitor) => by.deviceFileSystem.logs({ tenantId: owner.tenantId, params })
  const slow = Array.from({ length: 17 }, () => read(guest))
  const isAsked = (times: number) => () => agent.told.filter(([method]) => method === 'GetLogFiles').length === times
  await until(isAsked(16))
  let isAnswered = false
  const waiting = guest.devices.get({ params }).then(() => (isAnswered = true))
  const other = await guestWith()
  expect(await other.devices.get({ params })).toMatchObject({ id: agent.id })
  expect(await owner.devices.get({ params })).toMatchObject({ id: agent.id })
  expect(isAnswered).toBe(false)
  clock.advance(1_000)
  await waiting
  await until(isAsked(17))
  answer.resolve(successOf({ logFileGroups: [] }))
  await Promise.all(slow)
})
