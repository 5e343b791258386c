import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { DevicePermission } from '../../shared/access.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { callerOf } from '../support/session.ts'
import { steady } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let agent: RecordingAgent

beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
})

/** A visitor by a link to the device. */
async function visitorWith(permissions: readonly DevicePermission[]) {
  const body = {
    tenantId: owner.tenantId,
    deviceId: agent.id,
    userCorrelationId: randomUUID(),
    permissions: ['device.read' as const, ...permissions],
  }
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({ body })
  const guest = server.visitor()
  expect((await guest.openLink(deviceAccessUrl)).status).toBe(204)
  return guest
}

/** The guest of a link to the device. */
const guestWith = async (permissions: readonly DevicePermission[]) => callerOf(await visitorWith(permissions))

/** Begins a request with a body of almost 2 MiB whose last byte is missing. */
async function beginBody({ headers }: { headers: Record<string, string> }) {
  const { host, hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const body = Buffer.alloc(2_000_000, ' ')
  const all = { ...headers, Host: host, 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST /api/v1/devices/search?tenantId=${owner.tenantId} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(body.subarray(1))
  await steady(() => socket.writableLength + Number(socket.destroyed))
  return socket
}

describe('T44: two guests of one person who open what they can', () => {
  test('leave that person terminals of the device', async () => {
    for (const { viewer } of [await guestWith(['device.terminal.use']), await guestWith(['device.terminal.use'])]) {
      for (let opened = 0; opened < 20; opened++) {
        await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
      }
    }
    const mine = await callerOf(owner)
    const answer = await mine.viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
    expect(answer).toMatchObject({ isSuccess: true })
  })

  test('leave that person chats of the device', async () => {
    const permissions = ['device.chat.send', 'device.remote-control.connect'] as const
    const chat = () => ({
      deviceId: agent.id,
      sessionId: randomUUID(),
      targetProcessId: 4711,
      message: 'Hello',
      timestamp: '2026-01-02T03:04:05Z',
    })
    for (const { viewer } of [await guestWith(permissions), await guestWith(permissions)]) {
      for (let opened = 0; opened < 10; opened++) {
        await viewer.SendChatMessage2(chat())
      }
    }
    const mine = await callerOf(owner)
    expect(await mine.viewer.SendChatMessage2(chat())).toMatchObject({ isSuccess: true })
  })

  test('leave that person memory for the bodies of requests', async () => {
    const mine = await beginBody(owner)
    const guest = await visitorWith([])
    const others: Socket[] = []
    while (!others.some(({ destroyed }) => destroyed)) {
      others.push(await beginBody(guest))
    }
    mine.write(' ')
    const [answer] = (await once(mine, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 [24]\d\d /)
  })
})
