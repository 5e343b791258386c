import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { maxHubConnectionsOf, socketLimits } from '../../server/engines/http/web/connection-limits.ts'
import { enroll, freshTimestamp } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/server-process.ts'
import { useTestServer, type TestServer } from '../support/server.ts'
import { steady, until, within } from '../support/until.ts'

const handshake = '{"protocol":"json","version":1}\x1e'

/** Connects to the agent hub and completes the handshake. */
async function openAgentSocket(server: TestServer, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/hubs/agent`, { headers })
  onTestFinished(() => socket.terminate())
  const frames: string[] = []
  socket.on('message', (data: Buffer) => frames.push(data.toString()))
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  socket.send(handshake)
  await until(() => frames.length > 0)
  return { socket, frames, closed }
}

describe('a connection to the agent hub', () => {
  test('that has not proved a device within half a minute is closed, and may reconnect', async () => {
    const clock = manualClock()
    const server = await useTestServer({ clock })
    const { frames, closed } = await openAgentSocket(server)
    clock.advance(29_000)
    expect(frames).toEqual(['{}\x1e'])
    clock.advance(1_000)
    expect(await within(5_000, closed)).toBe(1000)
    expect(frames.filter((frame) => frame.includes('"type":7'))).toEqual(['{"type":7,"allowReconnect":true}\x1e'])
  })

  test('that only claims a device is closed as well', async () => {
    const clock = manualClock()
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const agent = await enroll(owner)
    const { UpdateDeviceSigned, closed } = await agent.open(server.url)
    const forged = { ...agent.signed(agent.report()), signature: Buffer.alloc(64).toString('base64') }
    expect((await UpdateDeviceSigned(forged)).isSuccess).toBe(false)
    clock.advance(30_000)
    await within(5_000, closed)
  })

  test('that has proved its device remains open', async () => {
    const clock = manualClock()
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const agent = await enroll(owner)
    const { UpdateDeviceSigned, connection } = await agent.open(server.url)
    const signed = () => agent.signed(agent.report(), { timestamp: freshTimestamp(clock.now()) })
    expect((await UpdateDeviceSigned(signed())).isSuccess).toBe(true)
    clock.advance(31_000)
    expect((await UpdateDeviceSigned(signed())).isSuccess).toBe(true)
    expect(connection.state).toBe('Connected')
  })
})

test('no address is without a limit, and an untrusted proxy counts as one address', () => {
  const { total, ofAddress } = socketLimits((address) => address !== '192.0.2.1')
  expect([total, ofAddress('192.0.2.1'), ofAddress('127.0.0.1'), ofAddress('::1'), ofAddress('192.0.2.2')]).toEqual([
    20_000, 4_000, 16_000, 16_000, 20_000,
  ])
  expect([maxHubConnectionsOf('192.0.2.2'), maxHubConnectionsOf('127.0.0.1')]).toEqual([4_000, 16_000])
})

test('connections through a trusted proxy count for the address that it names', { timeout: 60_000 }, async () => {
  const server = await useTestServer({
    settings: { AppOptions__KnownProxies__0: '127.0.0.1' },
    // Negotiated connections expire.
    clock: manualClock(),
  })
  const negotiate = (address: string) =>
    fetch(`${server.url}/hubs/agent/negotiate?negotiateVersion=1`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address },
    })
  for (let count = 0; count < 4_000; count += 100) {
    // A single computer may use every address of its network.
    const address = `2001:db8::${count + 1}`
    await Promise.all(Array.from({ length: 100 }, async () => (await negotiate(address)).arrayBuffer()))
  }
  const refused = await negotiate('2001:db8::ffff')
  expect([refused.status, await refused.text()]).toEqual([
    503,
    'Too many connections of this address are open. Close some.',
  ])
  expect([(await negotiate('2001:db8:0:1::1')).status, (await negotiate('203.0.113.10')).status]).toEqual([200, 200])
})

const fileBytes = 2_000_000

/** Server with a file to download, and a client that pipelines many requests for it. */
async function pipeline(requests: number) {
  const directory = await temporaryFolder()
  await writeFile(join(directory, 'large.bin'), Buffer.alloc(fileBytes))
  const clock = manualClock()
  const server = await useTestServer({ settings: { DownloadsDirectory: directory }, clock })
  const { host, port } = new URL(server.url)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`GET /downloads/large.bin HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(requests))
  // The client does not read: Node buffers part of the first response by itself.
  await until(() => socket.bytesRead > 0)
  return { server, clock, socket, closed }
}

describe('a peer that pipelines requests', () => {
  test('and reads no answer is disconnected after half a minute', async () => {
    const { clock, socket, closed } = await pipeline(100)
    // Advances well past half a minute in steps, because the server may still be filling the system's buffers.
    for (let look = 0; look < 40; look++) {
      clock.advance(5_000)
      await steady(() => socket.bytesRead, 2)
    }
    let bytes = 0
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
    await within(5_000, closed)
    expect(bytes).toBeLessThan(100 * fileBytes)
  })

  test('and reads slowly gets all answers in order', async () => {
    const { clock, socket } = await pipeline(20)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      // Completes only after more than half a minute.
      clock.advance(100)
    })
    await until(() => bytes > 20 * fileBytes)
  })
})
