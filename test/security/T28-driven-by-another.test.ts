import { describe, expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { addMember } from '../support/people.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { joinRelay, refusedWith } from '../support/relay.ts'
import { callerOf, requestSession } from '../support/session.ts'
import { account, ownerForFile, serverForFile, useTestServer, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const hub = '/hubs/viewer'
const handshake = '{"protocol":"json","version":1}\x1e'
const events = { accept: 'text/event-stream' }

async function negotiate(visitor: Member, version: 0 | 1): Promise<Record<string, unknown>> {
  const response = await visitor.fetch(`${hub}/negotiate?negotiateVersion=${version}`, { method: 'POST' })
  return (await response.json()) as Record<string, unknown>
}

/** Connects over long polling and completes the handshake. */
async function polling(visitor: Member) {
  const { connectionToken } = await negotiate(visitor, 1)
  const path = `${hub}?id=${String(connectionToken)}`
  await visitor.fetch(path)
  await visitor.fetch(path, { method: 'POST', body: handshake })
  expect(await (await visitor.fetch(path)).text()).toBe('{}\x1e')
  return path
}

/** Polls until the server sends this text: on a slow machine a ping comes before it. */
const received = (visitor: Member, path: string, text: string) =>
  until(async () => (await (await visitor.fetch(path)).text()).includes(text))

const call = (target: string) => `{"type":1,"invocationId":"1","target":"${target}","arguments":[]}\x1e`
const unknown = [404, 'No Connection with that ID']

async function outcome(response: Promise<Response>) {
  const { status, text } = await response.then(async (got) => ({ status: got.status, text: await got.text() }))
  return [status, text]
}

describe('a long-polling connection', () => {
  test.each([
    ['another user of the tenant', (_owner: Member, other: Member) => other.fetch],
    [
      'a restricted token of the same user',
      (owner: Member, _other: Member, token: string) => (path: string, init: RequestInit) => {
        const headers = new Headers(init.headers)
        headers.set('x-personal-token', token)
        return fetch(owner.url + path, { ...init, headers })
      },
    ],
  ])('is unknown to %s, and continues undisturbed', async (_, requestsOf) => {
    const server = await useTestServer()
    const first = await server.owner()
    const other = await addMember(server, first.tenantId, ['device.read'])
    const owner = await server.signIn()
    const { plainTextToken } = await owner.personalAccessTokens.create({
      tenantId: owner.tenantId,
      body: { name: 'script' },
    })
    const path = await polling(owner)
    const request = requestsOf(owner, other, plainTextToken)
    expect(await outcome(request(path, {}))).toEqual(unknown)
    expect(await outcome(request(path, { headers: events }))).toEqual(unknown)
    expect(await outcome(request(path, { method: 'POST', body: call('Foreign') }))).toEqual(unknown)
    expect(await outcome(request(path, { method: 'DELETE' }))).toEqual(unknown)
    await owner.fetch(path, { method: 'POST', body: call('Own') })
    await received(owner, path, "'Own'")
  })

  test('continues with a new session of the same user', async () => {
    const path = await polling(owner)
    const again = await server.signIn()
    await again.fetch(path, { method: 'POST', body: call('Own') })
    await received(again, path, "'Own'")
  })

  test('continues in the session that changed the password', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const path = await polling(owner)
    const poll = received(owner, path, "'Own'")
    await owner.auth.changePassword({ body: { currentPassword: account.password, newPassword: 'Newer-Horse-8' } })
    await owner.fetch(path, { method: 'POST', body: call('Own') })
    await poll
  })
})

test('a negotiated connection cannot be opened by another user, over any transport', async () => {
  const server = await useTestServer()
  const first = await server.owner()
  const other = await addMember(server, first.tenantId, ['device.read'])
  const owner = await server.signIn()
  const { connectionToken } = await negotiate(owner, 1)
  const path = `${hub}?id=${String(connectionToken)}`
  expect(await outcome(other.fetch(path))).toEqual(unknown)
  expect(await outcome(other.fetch(path, { headers: events }))).toEqual(unknown)
  expect(await outcome(other.fetch(path, { method: 'POST', body: handshake }))).toEqual(unknown)
  expect((await owner.fetch(path)).status).toBe(200)
})

test('negotiate version 0 offers WebSockets only, and its public id opens nothing else', async () => {
  const { connectionId, connectionToken, availableTransports } = await negotiate(owner, 0)
  expect([connectionToken, availableTransports]).toEqual([
    undefined,
    [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
  ])
  const path = `${hub}?id=${String(connectionId)}`
  const text = 'transport not supported by this end point type'
  expect(await outcome(owner.fetch(path))).toEqual([404, `LongPolling ${text}`])
  expect(await outcome(owner.fetch(path, { headers: events }))).toEqual([404, `ServerSentEvents ${text}`])
  expect((await owner.fetch(path, { method: 'POST', body: handshake })).status).toBe(405)
})

test('an announced relay session can be opened only by its viewer, in any sign-in of that user', async () => {
  const server = await useTestServer()
  const first = await server.owner()
  const other = await addMember(server, first.tenantId, ['device.remote-control.connect'])
  const owner = await server.signIn()
  const agent = await recordingAgent(owner)
  const ticket = makeTicket(server.url)
  await requestSession(await callerOf(owner), agent.id, ticket)
  const asPage = ({ cookie = '', url }: Member) => ({ cookie, origin: url })
  expect(await refusedWith(ticket.requester, asPage(other))).toBe(403)
  const again = await server.signIn()
  const [viewerEnd] = await Promise.all([joinRelay(ticket.requester, asPage(again)), joinRelay(ticket.responder)])
  expect(viewerEnd.socket.readyState).toBe(viewerEnd.socket.OPEN)
})
