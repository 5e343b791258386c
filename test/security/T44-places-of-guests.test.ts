import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { DevicePermission } from '../../shared/access.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { callerOf } from '../support/session.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let agent: RecordingAgent

beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
})

/** The guest of a link to the device. */
async function guestWith(permissions: readonly DevicePermission[]) {
  const body = {
    tenantId: owner.tenantId,
    deviceId: agent.id,
    userCorrelationId: randomUUID(),
    permissions: ['device.read' as const, ...permissions],
  }
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({ body })
  const guest = server.visitor()
  expect((await guest.openLink(deviceAccessUrl)).status).toBe(204)
  return callerOf(guest)
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
})
