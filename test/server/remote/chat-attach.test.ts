import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { manualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addMember } from '../../support/people.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const timestamp = '2026-01-02T03:04:05Z'
const over = failure('This chat is over.')

async function openChat() {
  const server = await useTestServer({ clock: manualClock(Date.now()) })
  const owner = await server.owner()
  const stranger = await addMember(server, owner.tenantId, ['device.chat.send'])
  const device = await recordingAgent(owner)
  const first = await connectViewer(owner)
  const message = { deviceId: device.id, sessionId: randomUUID(), targetProcessId: 4711, message: 'hello', timestamp }
  const reply = (text: string) =>
    device.SendChatResponse({
      sessionId: message.sessionId,
      desktopSessionProcessId: 4711,
      message: text,
      senderUsername: 'person',
      viewerConnectionId: first.connection.connectionId!,
      timestamp,
    })
  expect(await first.SendChatMessage2(message)).toEqual(success)
  return { owner, stranger, device, first, reply, attaching: { ...message, message: '', isAttach: true } }
}

test('a chat that is reattached on another connection gets its answers there, and the device shows nothing', async () => {
  const { owner, device, first, reply, attaching } = await openChat()
  const second = await connectViewer(owner)
  expect(await second.SendChatMessage2(attaching)).toEqual(success)
  expect(await reply('to the second')).toBe(true)
  await first.connection.stop()
  expect(await reply('still there')).toBe(true)
  expect(second.chats.map(({ message }) => message)).toEqual(['to the second', 'still there'])
  expect(first.chats).toEqual([])
  expect(device.told.map(([method]) => method)).toEqual(['SendChatMessage'])
})

test('chats of other users and closed chats cannot be reattached', async () => {
  const { owner, stranger, first, reply, attaching } = await openChat()
  const [thief, second] = [await connectViewer(stranger), await connectViewer(owner)]
  expect(await thief.SendChatMessage2(attaching)).toEqual(over)
  expect(await second.SendChatMessage2({ ...attaching, sessionId: randomUUID() })).toEqual(over)
  expect(await reply('for the owner')).toBe(true)
  expect([first.chats.length, thief.chats.length]).toEqual([1, 0])
  const { deviceId, sessionId, targetProcessId } = attaching
  await first.CloseChatSession2({ deviceId, sessionId, targetProcessId })
  expect(await second.SendChatMessage2(attaching)).toEqual(over)
})

test('T30: an answer during a reload waits for the owner, and no other user gets it', async () => {
  const { owner, stranger, device, first, reply, attaching } = await openChat()
  const thief = await connectViewer(stranger)
  await first.connection.stop()
  await until(async () => !(await owner.auth.me({})).isOnline)
  const held = reply('while you were away')
  // A single response per device waits; more would block the device's other calls.
  expect(await reply('too many')).toBe(false)
  expect(await thief.SendChatMessage2(attaching)).toEqual(over)
  const back = await connectViewer(owner)
  expect(await back.SendChatMessage2(attaching)).toEqual(success)
  expect(await held).toBe(true)
  expect(back.chats.map(({ message }) => message)).toEqual(['while you were away'])
  expect(thief.chats).toEqual([])
  expect(device.told.map(([method]) => method)).toEqual(['SendChatMessage'])
})

test.each([
  ['json', '2026-01-02T05:04:05.1234567+02:00'],
  ['messagepack', '2026-01-02T05:04:05.123+02:00'],
] as const)('the time of a message in %s reaches the device as it was sent', async (protocol, sent) => {
  const server = await useTestServer()
  const owner = await server.owner()
  const device = await recordingAgent(owner)
  const { connection } = await connectViewer(owner, { protocol })
  const message = { DeviceId: device.id, SessionId: randomUUID(), TargetProcessId: 4711, Message: 'hello' }
  const timestamp = protocol === 'json' ? sent : [new Date('2026-01-02T05:04:05.123Z'), 120]
  await connection.invoke('SendChatMessage2', { ...message, Timestamp: timestamp })
  expect(device.told).toMatchObject([['SendChatMessage', { timestamp: sent }]])
})
