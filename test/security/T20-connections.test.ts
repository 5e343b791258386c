import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ConnectionLimits, readMachine } from '../../server/engines/http/web/connection-limits.ts'
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

  test('that a second machine with the identity of its device has displaced remains open', async () => {
    const clock = manualClock()
    const server = await useTestServer({ clock })
    const agent = await enroll(await server.owner())
    const reportOf = (name: string) => agent.signed(agent.report({ name }), { timestamp: freshTimestamp(clock.now()) })
    const [office, copy] = [await agent.open(server.url), await agent.open(server.url)]
    expect((await office.UpdateDeviceSigned(reportOf('office'))).isSuccess).toBe(true)
    expect((await copy.UpdateDeviceSigned(reportOf('copy'))).isSuccess).toBe(true)
    clock.advance(31_000)
    expect((await office.UpdateDeviceSigned(reportOf('office'))).isSuccess).toBe(true)
  })
})

describe('the limit of open connections', () => {
  const gibibyte = 1024 ** 3
  const unset = { maxConnections: undefined, maxConnectionsPerAddress: undefined }
  const large = { memoryBytes: 64 * gibibyte, openFiles: 524_288 }

  test('leaves no address without a limit, and an untrusted proxy counts as one address', () => {
    const limits = new ConnectionLimits({ memoryBytes: 64 * gibibyte, openFiles: 21_000 }, unset)
    expect(limits.total).toBe(20_000)
    expect([limits.ofPeer('192.0.2.2'), limits.ofPeer('127.0.0.1'), limits.ofPeer('::1')]).toEqual([
      4_000, 16_000, 16_000,
    ])
    expect([limits.ofSocket('192.0.2.1', false), limits.ofSocket('192.0.2.1', true)]).toEqual([4_000, 20_000])
    expect(limits.ofSocket('127.0.0.1', true)).toBe(16_000)
  })

  test.each([
    ['the open files of the process', { memoryBytes: 64 * gibibyte, openFiles: 4_096 }, unset, 3_096, 'files'],
    ['very few open files', { memoryBytes: 64 * gibibyte, openFiles: 256 }, unset, 192, 'files'],
    ['the memory of a small machine', { memoryBytes: gibibyte, openFiles: 524_288 }, unset, 8_192, 'memory'],
    ['the processor of a large one', large, unset, 100_000, 'processor'],
    ['the setting', large, { ...unset, maxConnections: 250_000 }, 250_000, 'setting'],
    [
      'the open files, whatever the setting',
      { ...large, openFiles: 20_000 },
      { ...unset, maxConnections: 250_000 },
      19_000,
      'files',
    ],
  ] as const)('follows %s', (_what, machine, chosen, total, bound) => {
    expect(new ConnectionLimits(machine, chosen)).toMatchObject({ total, bound })
  })

  test('of one address follows its setting', () => {
    const limits = new ConnectionLimits(large, { maxConnections: 1_000, maxConnectionsPerAddress: 900 })
    expect([limits.ofPeer('192.0.2.2'), limits.ofPeer('127.0.0.1')]).toEqual([900, 900])
  })

  test('is read from the system', () => {
    const { memoryBytes, openFiles } = readMachine()
    expect(memoryBytes).toBeGreaterThan(gibibyte / 4)
    expect(memoryBytes).toBeLessThan(2 ** 50)
    expect(openFiles).toBeGreaterThan(200)
  })

  test('of one address is said in Health before it is reached', async () => {
    const server = await useTestServer({
      settings: { AppOptions__MaxConnections: '100', AppOptions__KnownProxies__0: '127.0.0.1' },
    })
    const owner = await server.owner()
    const row = async () => {
      const { checks } = await owner.applianceHealth.report({})
      return checks.find(({ id }) => id === 'connections')
    }
    expect(await row()).toMatchObject({ state: 'ok', summary: expect.stringMatching(/^\d+ open, 100 are possible$/) })
    const open = async (count: number) => {
      for (let index = 0; index < count; index++) {
        await openAgentSocket(server, { 'x-forwarded-for': '203.0.113.7' })
      }
    }
    await open(16)
    expect(await row()).toMatchObject({
      state: 'warning',
      summary: expect.stringContaining('; 16 of 20 from 203.0.113.7'),
      advice: expect.stringContaining('MaxConnectionsPerAddress'),
    })
  })

  test('is said in Health after it was reached', async () => {
    const server = await useTestServer({ settings: { AppOptions__MaxConnections: '100' } })
    const owner = await server.owner()
    const { port } = new URL(server.url)
    const sockets = Array.from({ length: 82 }, () => connect({ host: '127.0.0.1', port: Number(port) }))
    const refused = sockets.map(
      (socket) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString()))),
    )
    expect(await within(5_000, Promise.race(refused))).toContain('503')
    sockets.forEach((socket) => socket.destroy())
    const row = async () => {
      const { checks } = await owner.applianceHealth.report({}).catch(() => ({ checks: [] }))
      return checks.find(({ id }) => id === 'connections')
    }
    await expect.poll(row).toMatchObject({
      state: 'warning',
      summary: expect.stringContaining('; 127.0.0.1 reached its limit, the last time on '),
    })
  })
})

test('connections through a trusted proxy count for the address that it names', { timeout: 60_000 }, async () => {
  const server = await useTestServer({
    settings: { AppOptions__KnownProxies__0: '127.0.0.1', AppOptions__MaxConnectionsPerAddress: '400' },
    // Negotiated connections expire.
    clock: manualClock(),
  })
  const negotiate = (address: string) =>
    fetch(`${server.url}/hubs/agent/negotiate?negotiateVersion=1`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address },
    })
  for (let count = 0; count < 400; count += 100) {
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
