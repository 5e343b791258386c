import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { success } from '../../shared/dtos/hub-result.ts'
import { connectViewer } from '../support/hub-client.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { joinRelay, refusedWith } from '../support/relay.ts'
import { callerOf, requestSession, requestTold, startSession } from '../support/session.ts'
import { useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const timestamp = '2026-01-02T03:04:05Z'

async function twoDevices() {
  const server = await useTestServer()
  const owner = await server.owner()
  const [device, thief] = [await recordingAgent(owner), await recordingAgent(owner)]
  return { server, owner, device, thief }
}

test('answers to a chat come only from its device, and reach only the viewer that has it open', async () => {
  const { owner, device, thief } = await twoDevices()
  const [viewer, bystander] = [await connectViewer(owner), await connectViewer(owner)]
  const sessionId = randomUUID()
  const message = { deviceId: device.id, sessionId, targetProcessId: 4711, message: 'hello', timestamp }
  expect(await viewer.SendChatMessage2(message)).toEqual(success)
  const response = (text: string, viewerConnectionId: string) => ({
    sessionId,
    desktopSessionProcessId: 4711,
    message: text,
    senderUsername: 'person',
    viewerConnectionId,
    timestamp,
  })
  const [viewerId, otherId] = [viewer.connection.connectionId!, bystander.connection.connectionId!]
  expect(await thief.SendChatResponse(response('evil', viewerId))).toBe(false)
  expect(await device.SendChatResponse({ ...response('made up', viewerId), sessionId: randomUUID() })).toBe(false)
  expect(await device.SendChatResponse(response('good', otherId))).toBe(true)
  expect(viewer.chats.map((chat) => [chat.message, chat.viewerConnectionId])).toEqual([['good', viewerId]])
  expect(bystander.chats).toEqual([])
})

test('a device without the token of a session is rejected by the relay, whatever session it names', async () => {
  const { server, owner, device } = await twoDevices()
  const caller = await callerOf(owner)
  const ticket = makeTicket(server.url)
  expect(await requestSession(caller, device.id, ticket)).toEqual(success)
  expect(await refusedWith(makeTicket(server.url, ticket.sessionId).responder)).toBe(401)
  const [viewerEnd, deviceEnd] = await Promise.all([
    joinRelay(ticket.requester, caller.headers),
    joinRelay(requestTold(device).websocketUri),
  ])
  deviceEnd.socket.send('mine')
  await until(() => viewerEnd.messages.length === 1)
})

test('a connection without a proved device, or no longer acting for its device, answers no chat', async () => {
  const { server, owner, device } = await twoDevices()
  const viewer = await connectViewer(owner)
  const sessionId = randomUUID()
  await viewer.SendChatMessage2({ deviceId: device.id, sessionId, targetProcessId: 1, message: 'x', timestamp })
  const answer = { sessionId, desktopSessionProcessId: 1, message: 'evil', timestamp }
  const unproved = await device.agent.open(server.url)
  await expect(unproved.SendChatResponse(answer)).rejects.toThrow('unauthorized')
  await device.agent.connect(server.url)
  await expect(device.SendChatResponse(answer)).rejects.toThrow('unauthorized')
  expect(viewer.chats).toEqual([])
})

test('only the device of a session says that its viewer hears it, once for the log', async () => {
  const { owner, device, thief } = await twoDevices()
  const rows = async (kind: string) => (await owner.applianceAuditLog.listAll({ query: { kind } })).items
  /** Rows after a session of which `teller` says that its viewer hears the device. */
  const heard = async (teller: typeof device, count: number) => {
    const { ticket, viewerEnd } = await startSession(await callerOf(owner), device)
    await teller.SendSessionHeard(ticket.sessionId)
    await teller.SendSessionHeard(ticket.sessionId)
    viewerEnd.socket.close()
    await until(async () => (await rows('session.ended')).length === count)
    return rows('session.heard')
  }
  expect(await heard(thief, 1)).toEqual([])
  expect(await heard(device, 2)).toMatchObject([{ deviceId: device.id, actorId: owner.user.id }])
})
