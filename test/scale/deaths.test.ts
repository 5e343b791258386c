import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HubResult } from '../../shared/dtos/hub-result.ts'
import { missingForCluster, placeOf, startCluster, type TestCluster } from '../support/cluster.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { isNight } from '../support/night.ts'
import { startRealDevice, type RealDevice } from '../support/real-device.ts'
import { endUpload, sha256Of, uploadTo } from '../support/resumed-upload.ts'
import { registerOwner, signInTo, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const timeout = 120_000
/** Starting servers from the source takes long on a busy machine. */
const startMs = 240_000
/** Time in which the devices of a dead server are on others. */
const movedMs = 30_000

/** Repeats a call until it succeeds, as a page does: a server may not know yet where the device is. */
const succeeds = (call: () => Promise<HubResult>) =>
  until(async () => (await call().catch(() => undefined))?.isSuccess === true)

// Waits for leases and for processes that start: in npm run test:scale, and at night.
describe.skipIf(missingForCluster || !isNight)('a real agent behind a balancer', { timeout }, () => {
  const ends: (() => void | Promise<void>)[] = []
  let cluster: TestCluster
  let device: RealDevice
  beforeAll(async () => {
    cluster = await startCluster((work) => void ends.push(work))
    await registerOwner(cluster.first.url)
    device = await startRealDevice(await signInTo(cluster.url))
    ends.push(() => device.stop())
  }, startMs)
  afterAll(async () => {
    for (const end of ends.toReversed()) {
      await end()
    }
  })

  const placed = () => placeOf(cluster, device.id)

  /** Waits until another connection speaks for the device; returns its place. */
  const movedFrom = async (connectionId: string) => {
    const start = performance.now()
    const now = await until(async () => {
      const place = await placed()
      return place.connectionId === connectionId ? undefined : place
    })
    expect(performance.now() - start).toBeLessThan(movedMs)
    return now
  }

  const shows = (viewer: Viewer, expected: string) =>
    until(() =>
      viewer.outputs
        .map(({ output }) => output)
        .join('')
        .includes(expected),
    )

  /** Opens a terminal, and runs a command in it. */
  async function runs(member: Member, terminalId: string, input: string, expected: string) {
    const viewer = await connectViewer(member)
    const deviceId = device.id
    await succeeds(() => viewer.CreateTerminalSession2({ deviceId, terminalId }))
    await succeeds(() => viewer.SendTerminalInput2({ deviceId, input: { terminalId, input } }))
    await shows(viewer, expected)
    return viewer
  }

  /** Attaches to a terminal that was opened before. */
  async function findsAgain(member: Member, terminalId: string, expected: string) {
    const viewer = await connectViewer(member)
    const input = { terminalId, input: '', isAttach: true }
    await succeeds(() => viewer.SendTerminalInput2({ deviceId: device.id, input }))
    await shows(viewer, expected)
  }

  test('the server of the agent is killed: a viewer at another server is told, and finds its terminal again', async () => {
    const { holder, other, connectionId } = await placed()
    const member = await signInTo(other.url)
    const terminalId = randomUUID()
    const viewer = await runs(member, terminalId, 'echo be$((20+1))fore', 'be21fore')
    await holder.process.kill()
    await viewer.closed
    await findsAgain(member, terminalId, 'be21fore')
    expect((await movedFrom(connectionId)).holder).toBe(other)
    await holder.start()
  })

  test('an upload goes on where it was when the server of the agent was killed', async () => {
    const { holder, connectionId } = await placed()
    const upload = uploadTo(await signInTo(cluster.url), device, 16_000_000)
    const sending = upload.begin(0, 12_000_000)
    await upload.begun()
    await holder.process.kill()
    expect(['cut', 502, 503]).toContain(await sending.status)
    expect(await endUpload(upload)).toBeGreaterThan(upload.content.length / 4)
    await movedFrom(connectionId)
    await holder.start()
  })

  test('a download goes on where it was when the server of the agent was killed', async () => {
    const { holder, connectionId } = await placed()
    const member = await signInTo(cluster.url)
    const content = randomBytes(64_000_000)
    const filePath = device.path('large.bin')
    writeFileSync(filePath, content)
    const query = new URLSearchParams({ tenantId: member.tenantId, filePath })
    const path = `/api/v1/device-file-system/download/${device.id}?${query}`
    const parts: Uint8Array[] = []
    const { body, headers } = await member.fetch(path)
    const reader = body!.getReader()
    parts.push((await reader.read()).value!)
    await holder.process.kill()
    const rest = async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        parts.push(next.value)
      }
    }
    await expect(rest()).rejects.toThrow('terminated')
    const received = Buffer.concat(parts).length
    const range = { range: `bytes=${received}-`, 'if-range': headers.get('etag')! }
    const answer = await until(async () => {
      const again = await member.fetch(path, { headers: range }).catch(() => undefined)
      expect(again?.status).not.toBe(500)
      return again?.ok ? again : undefined
    })
    expect(answer.status).toBe(206)
    parts.push(new Uint8Array(await answer.arrayBuffer()))
    expect(sha256Of(Buffer.concat(parts))).toBe(sha256Of(content))
    await movedFrom(connectionId)
    await holder.start()
  })

  test('a server that stood still for longer than its lease does not speak for the device that moved on', async () => {
    const { holder, other, connectionId } = await placed()
    const member = await signInTo(other.url)
    const terminalId = randomUUID()
    const viewer = await runs(member, terminalId, 'echo be$((20+1))fore', 'be21fore')
    holder.freeze()
    const moved = await movedFrom(connectionId)
    expect(moved.holder).toBe(other)
    // Its sockets stay open: the other server ends what goes on with it when its lease is over.
    await viewer.closed
    await findsAgain(member, terminalId, 'be21fore')
    holder.thaw()
    const thawed = await until(() => signInTo(holder.url).catch(() => undefined))
    await until(async () => {
      const seen = await thawed.devices.get({ params: { deviceId: device.id } }).catch(() => undefined)
      return seen?.connectionId === moved.connectionId
    })
    await runs(thawed, randomUUID(), 'echo af$((20+1))ter', 'af21ter')
    expect((await placed()).connectionId).toBe(moved.connectionId)
  })

  test('servers go on without Redis, and agree again after it', async () => {
    const { other, connectionId } = await placed()
    await cluster.redis.stop()
    const member = await signInTo(other.url)
    await until(() => other.process.lines.some((line) => line.includes('Redis does not answer')))
    await runs(member, randomUUID(), 'echo wi$((20+1))thout', 'wi21thout')
    await cluster.redis.start()
    expect((await placed()).connectionId).toBe(connectionId)
    await runs(member, randomUUID(), 'echo ag$((20+1))ain', 'ag21ain')
  })
})
