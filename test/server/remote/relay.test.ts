import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { addTenantAccount, addUser } from '../../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { joinRelay, refusedWith } from '../../support/relay.ts'
import {
  agentMethods,
  callerOf,
  programCaller,
  requestSession,
  requestTold,
  sessionKinds,
  startSession,
  type Caller,
} from '../../support/session.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const agentsName = 'agents.example:8443'

const server = serverForFile({
  settings: { Branding__PublicUrl: 'https://farhand.example', AllowedHosts: 'agents.example;farhand.example' },
})
const owner = ownerForFile(server)
let grace: Member
let agent: RecordingAgent
beforeAll(async () => {
  grace = await addUser(server, owner, ['Device Superuser'])
  agent = await recordingAgent(owner, { isShared: true })
})
beforeEach(() => agent.reset())

const foreign = failure('The address must be that of the relay of this server, for this session, with role=responder.')

describe.each(sessionKinds)('a session of %s', (kind) => {
  test('joins what the viewer opens with what the device opens, both ways, in order, as binary messages', async () => {
    const { viewerEnd, deviceEnd } = await startSession(await callerOf(owner), agent, kind)
    const large = Buffer.alloc(3_000_000, 7)
    viewerEnd.socket.send('RFB 003.008\n')
    viewerEnd.socket.send(large)
    deviceEnd.socket.send(Buffer.from([1, 2, 3]))
    await until(() => deviceEnd.messages.length === 2 && viewerEnd.messages.length === 1)
    expect(deviceEnd.messages[0]!.toString()).toBe('RFB 003.008\n')
    expect(deviceEnd.messages[1]!.equals(large)).toBe(true)
    expect(viewerEnd.messages).toEqual([Buffer.from([1, 2, 3])])
    deviceEnd.socket.close()
    expect(await viewerEnd.closed).toEqual([1000, 'Session ended.'])
  })

  test('lets the viewer wait at the relay before it is announced', async () => {
    const caller = await callerOf(owner)
    const ticket = makeTicket(server.url)
    const early = joinRelay(ticket.requester, caller.headers)
    expect(await requestSession(caller, agent.id, ticket, kind)).toEqual(success)
    const deviceEnd = await joinRelay(requestTold(agent, kind).websocketUri)
    ;(await early).socket.send('hello')
    await until(() => deviceEnd.messages.length === 1)
  })

  test('ends when the device rejects it: later connections are rejected', async () => {
    const caller = await callerOf(owner)
    const ticket = makeTicket(server.url)
    agent.answers[agentMethods[kind]] = () => failure('Process with ID 4711 is no longer running.')
    expect(await requestSession(caller, agent.id, ticket, kind)).toEqual(
      failure('Process with ID 4711 is no longer running.'),
    )
    expect(await refusedWith(requestTold(agent, kind).websocketUri)).toBe(401)
  })

  test('has an id that is valid once', async () => {
    const caller = await callerOf(owner)
    const { ticket, viewerEnd } = await startSession(caller, agent, kind)
    const taken = failure('A session with this id already exists. Use a new id.')
    expect(await requestSession(caller, agent.id, makeTicket(server.url, ticket.sessionId), kind)).toEqual(taken)
    viewerEnd.socket.close()
    await viewerEnd.closed
    expect(await requestSession(caller, agent.id, ticket, kind)).toEqual(taken)
    expect(await refusedWith(ticket.responder)).toBe(401)
    expect(agent.told).toHaveLength(1)
  })
})

describe('the address that a viewer gives', () => {
  const { sessionId } = makeTicket('http://x')
  const good = (url: string, changes: (address: URL) => void = () => {}) => {
    const ticket = makeTicket(url, sessionId)
    const address = new URL(ticket.responder)
    changes(address)
    return address.href
  }
  const host = (name: string) => (address: URL) => void (address.host = name)

  test.each<[string, (url: string) => string]>([
    ['of another host', (url) => good(url, host('evil.example'))],
    ['of another port', (url) => good(url, (address) => (address.port = '1'))],
    ['of a name that only begins like ours', (url) => good(url, host('farhand.example.evil'))],
    ['with a name and a password in it', (url) => good(url, (address) => (address.username = 'evil.example'))],
    ['of HTTP', (url) => good(url).replace('ws:', 'http:')],
    ['of a file', () => 'file:///relay'],
    ['that is none', () => '/relay'],
    ['that is empty', () => ''],
    ['of a hub', (url) => good(url, (address) => (address.pathname = '/hubs/agent'))],
    ['of a path that only begins like ours', (url) => good(url, (address) => (address.pathname = '/relays'))],
    ['of a path that leads out', (url) => good(url).replace('/relay?', '/relay/../hubs/agent?')],
    ['with a fragment', (url) => `${good(url)}#x`],
    ['for the viewer’s own role', (url) => good(url, ({ searchParams }) => searchParams.set('role', 'requester'))],
    ['without a role', (url) => good(url, ({ searchParams }) => searchParams.delete('role'))],
    ['for another session', (url) => good(url, ({ searchParams }) => searchParams.set('sessionId', randomUUID()))],
    ['without a session', (url) => good(url, ({ searchParams }) => searchParams.delete('sessionId'))],
    ['without a token', (url) => good(url, ({ searchParams }) => searchParams.delete('accessToken'))],
    ['with an empty token', (url) => good(url, ({ searchParams }) => searchParams.set('accessToken', ''))],
    [
      'with two roles',
      (url) => `${good(url, ({ searchParams }) => searchParams.set('role', 'requester'))}&Role=responder`,
    ],
    ['with two tokens', (url) => `${good(url)}&accesstoken=x`],
  ])('is rejected before the device is asked, when it is one %s', async (_, addressOf) => {
    const caller = await callerOf(owner)
    for (const kind of sessionKinds) {
      expect(await requestSession(caller, agent.id, { sessionId, responder: addressOf(server.url) }, kind)).toEqual(
        foreign,
      )
    }
    expect(agent.told).toEqual([])
    expect((await owner.applianceRemoteSessions.list({})).items).toEqual([])
  })

  test('may write its parameters in any letter case', async () => {
    const caller = await callerOf(owner)
    const ticket = makeTicket(server.url)
    const responder = ticket.responder
      .replace('sessionId=', 'SESSIONID=')
      .replace('role=responder', 'Role=Responder')
      .replace(ticket.sessionId, ticket.sessionId.toUpperCase())
    expect(await requestSession(caller, agent.id, { ...ticket, responder })).toEqual(success)
  })

  test.each<[string, string, string]>([
    ['its own name', 'ws://OWN/relay', 'ws://agents.example:8443/relay'],
    ['the public name, which both know', 'wss://farhand.example/relay', 'wss://farhand.example/relay'],
  ])('by %s is sent to the device as an address that the device can reach', async (_, from, to) => {
    const far = await recordingAgent(owner, { headers: { host: agentsName } })
    const ticket = makeTicket(server.url)
    const query = ticket.responder.slice(ticket.responder.indexOf('?'))
    const responder = from.replace('OWN', new URL(server.url).host) + query
    expect(await requestSession(await callerOf(owner), far.id, { ...ticket, responder })).toEqual(success)
    expect(requestTold(far).websocketUri).toBe(to + query)
  })

  test('loses the port of the viewer where the device has an address of the server without a port', async () => {
    const far = await recordingAgent(owner, { headers: { host: 'agents.example' } })
    const ticket = makeTicket(server.url)
    expect(await requestSession(await callerOf(owner), far.id, ticket)).toEqual(success)
    expect(new URL(requestTold(far).websocketUri).host).toBe('agents.example')
  })

  test.each([
    ['of the public address', { host: agentsName }, 'ws://farhand.example', 'wss://farhand.example'],
    ['by its proxy', { host: agentsName, 'x-forwarded-proto': 'https' }, 'ws://OWN', `wss://${agentsName}`],
    [
      'of the public address, by which the device came',
      { host: 'farhand.example' },
      'ws://OWN',
      'wss://farhand.example',
    ],
  ])('never sends a device without encryption to an address known %s', async (_, headers, from, to) => {
    const far = await recordingAgent(owner, { headers })
    const { sessionId, responder: given } = makeTicket(server.url)
    const { host } = new URL(server.url)
    const responder = given.replace(`ws://${host}`, from.replace('OWN', host))
    expect(await requestSession(await callerOf(owner), far.id, { sessionId, responder })).toEqual(success)
    expect(requestTold(far).websocketUri).toBe(given.replace(`ws://${host}`, to))
  })
})

describe('the viewer of a session', () => {
  test('a service account and a personal token open sessions like users', async () => {
    const grants = sessionKinds.map((kind) => ({
      permissionName:
        kind === 'vnc' ? ('device.vnc-relay.connect' as const) : ('device.remote-control.connect' as const),
      scopeKind: 'Tenant' as const,
    }))
    const account = await addTenantAccount(owner, grants)
    const { tenantId } = owner
    const { plainTextToken } = await owner.personalAccessTokens.create({ tenantId, body: { name: 'script' } })
    for (const headers of [{ 'x-api-key': account.key }, { 'x-personal-token': plainTextToken }]) {
      for (const kind of sessionKinds) {
        const { viewerEnd, deviceEnd } = await startSession(await programCaller(server, headers as never), agent, kind)
        viewerEnd.socket.send('hello')
        await until(() => deviceEnd.messages.length === 1)
      }
    }
  })

  test("is reported to the device by the tenant's setting and the person's name, whatever the viewer sends", async () => {
    const { tenantId } = owner
    const caller = await callerOf(owner)
    const shown = async () => {
      await startSession(caller, agent)
      const { viewerName, notifyUserOnSessionStart, viewerConnectionId, viewerPrincipalId } = requestTold(agent)
      expect(viewerPrincipalId).toBe(owner.user.id)
      expect(viewerConnectionId).toBe(caller.viewer.connection.connectionId)
      return [viewerName, notifyUserOnSessionStart]
    }
    const choose = (name: string, value: string) => owner.userPreferences.set({ tenantId, body: { name, value } })
    await choose('user-display-name', 'Ada Lovelace')
    await choose('notify-user-on-session-start', 'false')
    expect(await shown()).toEqual(['Ada Lovelace', false])
    await owner.tenantSettings.set({ tenantId, body: { name: 'notify-user-on-session-start', value: 'true' } })
    expect(await shown()).toEqual(['Ada Lovelace', true])
  })

  test('by a logon token, gets the desktops that it names and no others, whatever process it claims', async () => {
    const { tenantId } = owner
    const { deviceAccessUrl } = await owner.logonTokens.createForUser({
      body: {
        tenantId,
        deviceId: agent.id,
        userId: grace.user.id,
        allowedDesktopSessionIds: [1],
        permissions: [
          'device.remote-control.connect',
          'device.chat.send',
          'device.ctrl-alt-del.send',
          'device.read',
          'device.desktop-preview.read',
        ],
      } as never,
    })
    const visitor = server.visitor()
    await visitor.fetch(deviceAccessUrl.replace('https://farhand.example', server.url), { redirect: 'manual' })
    const caller: Caller = await callerOf(visitor)
    const refused = failure('The requested desktop session is not authorized.')
    const request = (targetSystemSession: number, targetProcessId: number) => {
      const { sessionId, responder: websocketUri } = makeTicket(server.url)
      const dto = { sessionId, websocketUri, deviceId: agent.id, targetSystemSession, targetProcessId }
      return caller.viewer.RequestRemoteControlSession2(dto)
    }
    expect(await request(2, 4712)).toEqual(refused)
    expect(await request(1, 4712)).toEqual(refused)
    expect(await request(1, 4711)).toEqual(success)
    const chat = { sessionId: randomUUID(), deviceId: agent.id, message: 'hi', timestamp: '2026-01-02T03:04:05Z' }
    const send = (targetSystemSession: number, targetProcessId: number) =>
      caller.viewer.SendChatMessage2({ ...chat, targetSystemSession, targetProcessId })
    expect(await send(2, 4712)).toEqual(refused)
    expect(await send(1, 4712)).toEqual(refused)
    expect(await send(1, 4711)).toEqual(success)
    const { viewer } = caller
    const deviceId = agent.id
    const byProcess = (targetProcessId: number) =>
      Promise.all([
        viewer.RequestRemoteControlPermission2({ deviceId, targetProcessId }),
        viewer.InvokeCtrlAltDel2({ deviceId, targetDesktopProcessId: targetProcessId, desktopSessionType: 0 }),
        viewer.CloseChatSession2({ deviceId, sessionId: randomUUID(), targetProcessId }),
      ])
    expect(await byProcess(4712)).toEqual([refused, refused, refused])
    expect(await byProcess(4711)).toEqual([success, success, success])
    const preview = await visitor.fetch(`/api/v1/desktop-preview/${deviceId}/4712?tenantId=${tenantId}`)
    expect([preview.status, await preview.text()]).toEqual([403, expect.stringContaining(refused.reason!)])
    expect((await caller.viewer.GetActiveDesktopSessions(agent.id)).map((one) => one.systemSessionId)).toEqual([1])
    const other = await recordingAgent(owner)
    expect(await requestSession(caller, other.id, makeTicket(server.url))).toEqual(failure('Forbidden.'))
    expect(agent.told.map(([method]) => method)).not.toContain(agentMethods.vnc)
  })
})

test('a path below the relay is served by the relay, and is 404 without an upgrade', async () => {
  const caller = await callerOf(owner)
  const ticket = makeTicket(server.url)
  expect(await requestSession(caller, agent.id, ticket)).toEqual(success)
  const below = (address: string) => address.replace('/relay?', '/Relay/session?')
  const [one, two] = await Promise.all([
    joinRelay(below(ticket.requester), caller.headers),
    joinRelay(below(ticket.responder)),
  ])
  one.socket.send('hello')
  await until(() => two.messages.length === 1)
  const plain = await owner.fetch(ticket.responder.replace('ws', 'http'))
  expect(plain.status).toBe(404)
})
