import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import type { DevicePermission } from '../../shared/access.ts'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { addMember } from '../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { joinRelay } from '../support/relay.ts'
import { account, ownerForFile, serverForFile, type Member } from '../support/server.ts'
import { callerOf, requestSession, requestTold } from '../support/session.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let agent: RecordingAgent
let bob: Member

const permissions = ['device.read', 'device.remote-control.connect'] as const satisfies readonly DevicePermission[]

beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
  bob = await addMember(server, owner.tenantId, ['device.logon-token.create', ...permissions])
})

/** Session of a link that Bob made in the name of the owner. */
async function inTheNameOfTheOwner() {
  const body = { tenantId: owner.tenantId, deviceId: agent.id, userId: owner.user.id, permissions: [...permissions] }
  const { deviceAccessUrl } = await bob.logonTokens.createForUser({ body })
  const visitor = server.visitor()
  expect((await visitor.openLink(deviceAccessUrl)).status).toBe(204)
  return visitor
}

describe('T44: a link in the name of another person', () => {
  test('leaves that person the feeds of events', async () => {
    const visitor = await inTheNameOfTheOwner()
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const init = { headers: { accept: 'text/event-stream' }, signal: stop.signal }
    const open = (by: typeof visitor) => by.fetch('/api/appliance/v1/events?after=latest', init)
    for (let feed = 0; feed < 20; feed++) {
      await open(visitor)
    }
    expect((await open(owner)).status).toBe(200)
  })

  test('leaves that person the tickets of pages', async () => {
    const visitor = await inTheNameOfTheOwner()
    const statusOf = async (by: typeof visitor) =>
      (await by.fetch('/api/appliance/v1/session/tickets', { method: 'POST' })).status
    for (let ticket = 0; ticket < 500; ticket++) {
      await statusOf(visitor)
    }
    const before = await statusOf(visitor)
    // The owner's page asks for a ticket with a session of its own.
    const page = server.visitor()
    page.pageKey = 'a-key-of-a-page-that-nobody-else-has'
    await page.applianceSession.signIn({ body: { email: account.email, password: account.password } })
    expect([before, await statusOf(page)]).toEqual([429, 200])
  })

  test('leaves that person the messages to owners of sessions', async () => {
    const visitor = await inTheNameOfTheOwner()
    const guest = await callerOf(visitor)
    const ticket = makeTicket(agent.url)
    expect(await requestSession(guest, agent.id, ticket)).toMatchObject({ isSuccess: true })
    const message = (by: typeof visitor, sessionId: string) =>
      by.fetch(`/api/appliance/v1/sessions/${sessionId}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'Hello' }),
      })
    for (let sent = 0; sent < 30; sent++) {
      await message(visitor, ticket.sessionId)
    }
    const own = makeTicket(agent.url)
    expect(await requestSession(await callerOf(owner), agent.id, own)).toMatchObject({ isSuccess: true })
    expect((await message(owner, own.sessionId)).status).not.toBe(429)
  })

  test('leaves that person the places of viewers that come before their session', async () => {
    const visitor = await inTheNameOfTheOwner()
    const caller = await callerOf(owner)
    const arrived = () => server.log.lines.filter(({ message }) => message === 'A relay peer connected.').length
    const before = arrived()
    for (let waiting = 0; waiting < 20; waiting++) {
      const socket = new WebSocket(makeTicket(agent.url).requester, { headers: visitor.headers })
      socket.on('error', () => {})
      onTestFinished(() => socket.terminate())
    }
    await until(() => arrived() >= before + 20)
    // As a page does: the socket is opened first, and the session is asked for at once.
    const ticket = makeTicket(agent.url)
    let isRejected = false
    const viewerEnd = joinRelay(ticket.requester, caller.headers).then(
      () => 'joined',
      ({ message }: Error) => {
        isRejected = true
        return message
      },
    )
    await until(() => arrived() >= before + 21 || isRejected)
    await requestSession(caller, agent.id, ticket)
    await joinRelay(requestTold(agent).websocketUri).catch(() => undefined)
    expect(await viewerEnd).toBe('joined')
  })

  test('leaves that person the messages to a device that need no answer', async () => {
    const guest = await callerOf(await inTheNameOfTheOwner())
    for (let sent = 0; sent < 120; sent++) {
      await guest.viewer.RefreshDeviceInfo2({ deviceId: agent.id })
    }
    const mine = await callerOf(owner)
    expect(await mine.viewer.RefreshDeviceInfo2({ deviceId: agent.id })).toMatchObject({ isSuccess: true })
  })
})
