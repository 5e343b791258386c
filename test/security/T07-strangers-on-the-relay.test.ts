import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { success } from '../../shared/dtos/hub-result.ts'
import { atTenant } from '../support/grants.ts'
import { addTenantAccount, addUser } from '../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { arrivedPeers, joinRelay, refusedWith } from '../support/relay.ts'
import { callerOf, programCaller, requestSession, requestTold, startSession, type Caller } from '../support/session.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let agent: RecordingAgent
let caller: Caller
let stranger: Caller
beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
})

/** Returns the owner, and a second user with all rights on the same device. */
async function people() {
  caller = await callerOf(owner)
  const program = await addTenantAccount(owner, [atTenant('device.remote-control.connect')])
  stranger = await programCaller(server, { 'x-api-key': program.key })
}

test('two strangers cannot join an unannounced session', async () => {
  await people()
  const { requester, responder } = makeTicket(server.url)
  const waiting = refusedWith(requester.replace('timeout=30', 'timeout=1'), stranger.headers)
  expect(await refusedWith(responder)).toBe(401)
  expect(await waiting).toBe(408)
})

test('a wrong token that arrives before the announcement is rejected; the announced token joins', async () => {
  await people()
  const ticket = makeTicket(server.url)
  const wrong = makeTicket(server.url, ticket.sessionId)
  const early = refusedWith(wrong.requester, stranger.headers)
  const guess = refusedWith(wrong.requester, caller.headers)
  await arrivedPeers(server, ticket.sessionId, 2)
  expect(await requestSession(caller, agent.id, ticket)).toEqual(success)
  expect(await Promise.all([early, guess])).toEqual([403, 401])
  expect(await refusedWith(wrong.responder)).toBe(401)
  const [viewerEnd, deviceEnd] = await Promise.all([
    joinRelay(ticket.requester, caller.headers),
    joinRelay(requestTold(agent).websocketUri),
  ])
  viewerEnd.socket.send('hello')
  await until(() => deviceEnd.messages.length === 1)
})

test('a stranger with the right token is rejected at either end, before and while the session runs', async () => {
  await people()
  const ticket = makeTicket(server.url)
  expect(await requestSession(caller, agent.id, ticket)).toEqual(success)
  expect(await refusedWith(ticket.requester, stranger.headers)).toBe(403)
  expect(await refusedWith(ticket.requester)).toBe(401)
  const [viewerEnd, deviceEnd] = await Promise.all([
    joinRelay(ticket.requester, caller.headers),
    joinRelay(ticket.responder),
  ])
  const taken = (address: string, headers?: Record<string, string>) => refusedWith(address, headers)
  expect(await taken(ticket.requester, stranger.headers)).toBe(403)
  expect(await taken(ticket.requester, caller.headers)).toBe(400)
  expect(await taken(ticket.responder)).toBe(400)
  expect(await taken(makeTicket(server.url, ticket.sessionId).responder)).toBe(401)
  viewerEnd.socket.send('still')
  deviceEnd.socket.send('here')
  await until(() => deviceEnd.messages.length + viewerEnd.messages.length === 2)
})

test('another user, and another credential of the same user, is a stranger', async () => {
  await people()
  const other = await callerOf(await addUser(server, owner, ['Device Superuser']))
  const { tenantId } = owner
  const { plainTextToken } = await owner.personalAccessTokens.create({ tenantId, body: { name: 'script' } })
  const ticket = makeTicket(server.url)
  await requestSession(caller, agent.id, ticket)
  expect(await refusedWith(ticket.requester, other.headers)).toBe(403)
  expect(await refusedWith(ticket.requester, { 'x-personal-token': plainTextToken })).toBe(403)
})

test('a finished session cannot be replayed with its id and token', async () => {
  await people()
  const { ticket, viewerEnd, deviceEnd } = await startSession(caller, agent)
  deviceEnd.socket.close()
  await viewerEnd.closed
  expect(await refusedWith(ticket.responder)).toBe(401)
  expect(await refusedWith(ticket.requester, caller.headers)).toBe(401)
  expect((await requestSession(caller, agent.id, ticket)).isSuccess).toBe(false)
})

test('a peer that disconnects while it waits frees its role', async () => {
  await people()
  const ticket = makeTicket(server.url)
  await requestSession(caller, agent.id, ticket)
  const { hostname, port, pathname, search } = new URL(ticket.responder)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await arrivedPeers(server, ticket.sessionId, 1)
  expect(await refusedWith(ticket.responder)).toBe(400)
  socket.destroy()
  const viewerJoins = joinRelay(ticket.requester, caller.headers)
  // Rejected until the server has noticed that the first peer is gone.
  const deviceEnd = await until(() => joinRelay(ticket.responder).catch(() => undefined))
  const viewerEnd = await viewerJoins
  viewerEnd.socket.send('hello')
  await until(() => deviceEnd.messages.length === 1)
})
