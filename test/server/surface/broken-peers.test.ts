import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { freshTimestamp } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { arrivedPeers, joinRelay, refusedWith } from '../../support/relay.ts'
import { callerOf, requestSession, requestTold, startSession } from '../../support/session.ts'
import { ownerForFile, serverForFile, useTestServer, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let agent: RecordingAgent
beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
})
beforeEach(() => agent.reset())

const timestamp = '2026-01-02T03:04:05Z'
const chatWith = (device: RecordingAgent, sessionId: string) => ({
  deviceId: device.id,
  sessionId,
  targetProcessId: 4711,
  message: 'hello',
  timestamp,
})
const replyIn = (sessionId: string) => ({ sessionId, desktopSessionProcessId: 4711, message: 'yes?', timestamp })
const connectionIdOf = async ({ id }: RecordingAgent) =>
  (await owner.devices.get({ params: { deviceId: id } })).connectionId
const listed = async (by: Member) => (await by.applianceRemoteSessions.list({})).items

/** Starts a server with a manual clock, and a device. */
async function timedScene() {
  const clock = manualClock()
  const timed = await useTestServer({ clock })
  const member = await timed.owner()
  return { clock, server: timed, member, device: await recordingAgent(member, { clock }) }
}

test('a device never joins the relay: its viewer is rejected after 30 s, its session is removed after 60 s', async () => {
  const { clock, server: timed, member, device } = await timedScene()
  const caller = await callerOf(member)
  const ticket = makeTicket(member.url)
  await requestSession(caller, device.id, ticket)
  const waiting = refusedWith(ticket.requester, caller.headers)
  await arrivedPeers(timed, ticket.sessionId, 1)
  clock.advance(30_000)
  expect(await waiting).toBe(408)
  expect(await listed(member)).toHaveLength(1)
  clock.advance(30_000)
  expect(await listed(member)).toEqual([])
  expect(await refusedWith(ticket.responder)).toBe(401)
})

test('a device does not answer: the viewer gets an error after a minute, and no session remains', async () => {
  const { clock, member, device } = await timedScene()
  device.answers.CreateRemoteControlSession = () => new Promise(() => {})
  const caller = await callerOf(member)
  const ticket = makeTicket(member.url)
  const answer = requestSession(caller, device.id, ticket)
  await until(() => device.told.length === 1)
  clock.advance(60_000)
  expect(await answer).toEqual(failure('Agent did not respond.'))
  expect(await listed(member)).toEqual([])
})

test('a relay session ends when either end vanishes without a close', async () => {
  const { viewerEnd, deviceEnd } = await startSession(await callerOf(owner), agent)
  deviceEnd.socket.terminate()
  expect(await viewerEnd.closed).toEqual([1000, 'Session ended.'])
  await until(async () => (await listed(owner)).length === 0)
})

test('an open socket that answers no ping ends its session', async () => {
  const { clock, member, device } = await timedScene()
  const caller = await callerOf(member)
  const ticket = makeTicket(member.url)
  await requestSession(caller, device.id, ticket)
  const { hostname, port, pathname, search } = new URL(requestTold(device).websocketUri)
  const half = connect(Number(port), hostname)
  half.on('error', () => {})
  half.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const viewerEnd = await joinRelay(ticket.requester, caller.headers)
  let isClosed = false
  void viewerEnd.closed.then(() => (isClosed = true))
  for (let ping = 0; !isClosed; ping++) {
    expect(ping).toBeLessThan(5)
    const pinged = once(viewerEnd.socket, 'ping')
    clock.advance(30_000)
    await Promise.race([pinged, viewerEnd.closed])
    // The answer to this ping follows the answer to the server's ping.
    viewerEnd.socket.ping()
    await Promise.race([once(viewerEnd.socket, 'pong'), viewerEnd.closed])
  }
  half.destroy()
})

test('a message beyond the limit ends its session, and no other', async () => {
  const [one, other] = [
    await startSession(await callerOf(owner), agent),
    await startSession(await callerOf(owner), agent),
  ]
  one.deviceEnd.socket.send(Buffer.alloc(64 * 1024 * 1024 + 1))
  await Promise.all([one.viewerEnd.closed, one.deviceEnd.closed])
  other.viewerEnd.socket.send('still here')
  await until(() => other.deviceEnd.messages.length === 1)
  other.viewerEnd.socket.close()
})

test('a message of an agent above the limit closes its connection, which may reconnect', async () => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/hubs/agent`)
  socket.on('error', () => {})
  const texts: string[] = []
  socket.on('message', (data: Buffer) => texts.push(data.toString()))
  await once(socket, 'open')
  socket.send('{"protocol":"json","version":1}\u001e')
  socket.send(`{"type":1,"target":"SendChatResponse","arguments":["${'x'.repeat(1024 * 1024)}"]}\u001e`)
  await new Promise((resolve) => socket.once('close', resolve))
  expect(texts.at(-1)).toContain('"allowReconnect":true')
})

test('a second answer of an agent, and an answer without a request, are ignored', async () => {
  const other = await recordingAgent(owner)
  const before = await connectionIdOf(other)
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/hubs/agent`)
  socket.on('error', () => {})
  await once(socket, 'open')
  const write = (message: object) => socket.send(`${JSON.stringify(message)}\u001e`)
  write({ protocol: 'json', version: 1 })
  const device = other.agent
  write({
    type: 1,
    invocationId: '1',
    target: 'UpdateDeviceSigned',
    arguments: [device.signed(device.report(), { timestamp: freshTimestamp() })],
  })
  socket.on('message', (data: Buffer) => {
    for (const text of data.toString().split('\u001e').filter(Boolean)) {
      const { type, target, invocationId } = JSON.parse(text) as {
        type?: number
        target?: string
        invocationId?: string
      }
      if (type === 1 && target === 'TestVncConnection') {
        write({ type: 3, invocationId: 's4711', result: failure('not asked') })
        write({ type: 3, invocationId, result: success })
        write({ type: 3, invocationId, result: failure('twice') })
      }
    }
  })
  const viewer = await connectViewer(owner)
  await until(async () => (await connectionIdOf(other)) !== before)
  expect(await viewer.TestVncConnection2({ deviceId: other.id, port: 5900 })).toEqual(success)
  expect(await viewer.TestVncConnection2({ deviceId: other.id, port: 5900 })).toEqual(success)
  socket.terminate()
})

test('a viewer never confirms an answer: the device gets false, and the chat continues', async () => {
  const { clock, member, device } = await timedScene()
  const viewer = await connectViewer(member)
  viewer.connection.off('ReceiveChatResponse')
  let shown = 0
  viewer.connection.on('ReceiveChatResponse', () => (shown++, new Promise(() => {})))
  const sessionId = randomUUID()
  expect(await viewer.SendChatMessage2(chatWith(device, sessionId))).toEqual(success)
  const reply = device.SendChatResponse(replyIn(sessionId))
  await until(() => shown === 1)
  clock.advance(10_000)
  expect(await reply).toBe(false)
  expect(await listed(member)).toHaveLength(1)
  expect(device.told.map(([method]) => method)).toEqual(['SendChatMessage'])
})

test('a viewer disconnects for good: the device gets false, its window is closed, and the chat is over', async () => {
  const { clock, member, device } = await timedScene()
  const viewer = await connectViewer(member)
  const sessionId = randomUUID()
  await viewer.SendChatMessage2(chatWith(device, sessionId))
  await viewer.connection.stop()
  await until(async () => !(await member.auth.me({})).isOnline)
  const held = device.SendChatResponse(replyIn(sessionId))
  // Rejected at once, because the first response waits.
  expect(await device.SendChatResponse(replyIn(sessionId))).toBe(false)
  clock.advance(9_999)
  expect(await listed(member)).toHaveLength(1)
  clock.advance(1)
  expect(await held).toBe(false)
  await until(() => device.told.length === 2)
  expect(device.told[1]).toEqual(['CloseChatSession', sessionId, 4711])
  expect(await listed(member)).toEqual([])
})

test('a chat without a viewer for a quarter of an hour is closed', async () => {
  const { clock, member, device } = await timedScene()
  const viewer = await connectViewer(member)
  const sessionId = randomUUID()
  await viewer.SendChatMessage2(chatWith(device, sessionId))
  await viewer.connection.stop()
  await until(async () => !(await member.auth.me({})).isOnline)
  clock.advance(16 * 60_000)
  await until(() => device.told.length === 2)
  expect(await listed(member)).toEqual([])
})

test('an account has no more than 10 chats with a device', async () => {
  const [viewer, crowded] = [await connectViewer(owner), await recordingAgent(owner)]
  for (let count = 0; count < 10; count++) {
    expect(await viewer.SendChatMessage2(chatWith(crowded, randomUUID()))).toEqual(success)
  }
  expect(await viewer.SendChatMessage2(chatWith(crowded, randomUUID()))).toEqual(
    failure('Too many chats with this device are open. Close one first.'),
  )
})

test('an account has no more than 10 chats with a device, however many are started at once', async () => {
  const [viewer, crowded] = [await connectViewer(owner), await recordingAgent(owner)]
  const begun = await Promise.all(
    Array.from({ length: 30 }, () => viewer.SendChatMessage2(chatWith(crowded, randomUUID()))),
  )
  expect(begun.filter(({ isSuccess }) => isSuccess).length).toBe(10)
  expect(crowded.told.length).toBe(10)
})

test.each([
  ['a chat message that is too long', 'SendChatMessage2', { message: 'x'.repeat(10_001) }],
  ['a port that is none', 'TestVncConnection2', { port: 65_536 }],
  ['a process that is no number', 'RequestRemoteControlPermission2', { targetProcessId: 'init' }],
])('%s fails the call, and nothing reaches the agent', async (_, method, changes) => {
  const viewer = await connectViewer(owner)
  const dto = { ...chatWith(agent, randomUUID()), ...changes }
  await expect(viewer.connection.invoke(method, dto)).rejects.toThrow(`'${method}'`)
  expect(agent.told).toEqual([])
})

test('after the machine slept, active connections stay open, and silent connections are closed', async () => {
  const { clock, member } = await timedScene()
  const headers = { origin: member.url, cookie: member.cookie! }
  const ping = '{"type":6}\u001e'
  /** Connects a page that has sent a single ping. */
  const page = async () => {
    const socket = new WebSocket(`${member.url.replace('http', 'ws')}/hubs/viewer`, { headers })
    socket.on('error', () => {})
    onTestFinished(() => socket.terminate())
    const texts: string[] = []
    socket.on('message', (data: Buffer) => texts.push(data.toString()))
    await once(socket, 'open')
    const answers = () => texts.filter((text) => text.includes('"type":3')).length
    /** Resolves when the server has processed the ping. */
    const speak = async () => {
      const before = answers()
      socket.send(`${ping}{"type":1,"invocationId":"1","target":"Nothing","arguments":[]}\u001e`)
      await until(() => answers() > before)
    }
    socket.send('{"protocol":"json","version":1}\u001e')
    await speak()
    return { socket, speak }
  }
  const [awake, silent] = [await page(), await page()]
  clock.advance(1_000)
  const ended = new Promise((resolve) => silent.socket.once('close', resolve))
  // Received by the system, but not read by the server yet.
  awake.socket.send(ping)
  clock.advance(60_000)
  await ended
  await awake.speak()
  expect(awake.socket.readyState).toBe(WebSocket.OPEN)
})

test.each(['x', 'refresh', 'negotiate/x'])('the address %s below a hub is not found', async (name) => {
  for (const hub of ['agent', 'viewer']) {
    expect((await fetch(`${server.url}/hubs/${hub}/${name}`, { method: 'POST' })).status).toBe(404)
  }
})
