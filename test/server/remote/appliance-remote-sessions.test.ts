import { randomUUID } from 'node:crypto'
import { Subject } from '@microsoft/signalr'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import type { PermissionName } from '../../../shared/access.ts'
import { success } from '../../../shared/dtos/hub-result.ts'
import { manualClock } from '../../support/clock.ts'
import { atTenant } from '../../support/grants.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addMember, addServerAccount, addTenantAccount } from '../../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { makeRestrictedToken } from '../../support/restricted-token.ts'
import { callerOf, programCaller, requestSession, startSession } from '../../support/session.ts'
import { account as ada, serverForFile, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const clock = manualClock(Date.parse('2026-01-02T03:04:05.000Z'))
const sessionRights: PermissionName[] = [
  'device.remote-control.connect',
  'device.vnc-relay.connect',
  'device.terminal.use',
  'device.chat.send',
]

const server = serverForFile({ clock })
let owner: Member
let worker: Member
let reader: Member
let stranger: Member
let agent: RecordingAgent
beforeAll(async () => {
  const { tenantId } = await server.owner()
  worker = await addMember(server, tenantId, sessionRights)
  await worker.userPreferences.set({ tenantId, body: { name: 'user-display-name', value: 'Wendy Worker' } })
  reader = await addMember(server, tenantId, ['device.read'])
  stranger = await addMember(server, tenantId, sessionRights)
  owner = await server.signIn(ada)
  agent = await recordingAgent(owner, { clock, isShared: true })
})
beforeEach(async () => {
  agent.reset()
  for (const { id } of await listed()) {
    await end(owner, id)
  }
})

const listed = async (by: Pick<Member, 'applianceRemoteSessions'> = owner) =>
  (await by.applianceRemoteSessions.list({})).items
const end = (by: Pick<Member, 'applianceRemoteSessions'>, sessionId: string, reason?: string) =>
  by.applianceRemoteSessions.end({ params: { sessionId }, body: { ...(reason !== undefined && { reason }) } })
const notFound = { status: 404 }

/** Log lines of a session, without the server's time. */
const linesOf = (sessionId: string) =>
  server.log.lines
    .filter(({ fields }) => 'sessionId' in fields && fields.sessionId === sessionId)
    .filter(({ level }) => level === 'info')
    .map(({ message, fields }) => ({ message, ...fields }))

describe('the list', () => {
  test('reports user, action, device, start, connected ends and bytes', async () => {
    const caller = await callerOf(worker)
    const ticket = makeTicket(server.url)
    await requestSession(caller, agent.id, ticket, 'vnc')
    const waiting = {
      id: ticket.sessionId,
      kind: 'vnc',
      deviceId: agent.id,
      deviceName: agent.agent.report().name,
      principalKind: 'User',
      principalId: worker.user.id,
      principalName: 'Wendy Worker',
      startedAt: new Date(clock.now()).toISOString(),
      isConnected: false,
      bytesToDevice: 0,
      bytesFromDevice: 0,
      canEnd: true,
    }
    expect(await listed()).toEqual([waiting])
    await end(worker, ticket.sessionId)
    const { viewerEnd, deviceEnd, ticket: running } = await startSession(caller, agent, 'vnc')
    viewerEnd.socket.send(Buffer.alloc(1_000))
    deviceEnd.socket.send(Buffer.alloc(30))
    await until(() => deviceEnd.messages.length + viewerEnd.messages.length === 2)
    expect(await listed()).toEqual([
      { ...waiting, id: running.sessionId, isConnected: true, bytesToDevice: 1_000, bytesFromDevice: 30 },
    ])
    viewerEnd.socket.close()
    await until(async () => (await listed()).length === 0)
  })

  test('has every kind of session, oldest first', async () => {
    const viewer = await connectViewer(owner)
    const [terminalId, sessionId] = [randomUUID(), randomUUID()]
    await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
    clock.advance(1_000)
    await viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId, input: 'größer' } })
    const chat = { sessionId, deviceId: agent.id, targetProcessId: 4711, message: 'hello' }
    await viewer.SendChatMessage2({ ...chat, timestamp: '2026-01-02T03:04:05Z' })
    clock.advance(1_000)
    agent.answers.UploadFileToViewer = ({ streamId }: { streamId: string }) => {
      const subject = new Subject<string>()
      void agent.connection.send('SendFileContentStream', streamId, subject).catch(() => {})
      subject.next(Buffer.alloc(30_000).toString('base64'))
      return { ...success, value: { fileSize: 10_000_000, fileDisplayName: 'a' } }
    }
    const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: '/a' })
    const leave = new AbortController()
    const response = await owner.fetch(`/api/v1/device-file-system/download/${agent.id}?${query}`, {
      signal: leave.signal,
    })
    expect(response.status).toBe(200)
    const items = await listed()
    expect(items.map(({ kind, isConnected }) => [kind, isConnected])).toEqual([
      ['terminal', true],
      ['chat', true],
      ['download', true],
    ])
    expect(items[0]).toMatchObject({ bytesToDevice: 8 })
    expect(items[1]).toMatchObject({ bytesToDevice: 5 })
    expect(items.map(({ id }) => id)).not.toContain(sessionId)
    leave.abort()
    await viewer.CloseTerminalSession2({ deviceId: agent.id, terminalId })
    await viewer.CloseChatSession2({ deviceId: agent.id, sessionId, targetProcessId: 4711 })
    await until(async () => (await listed()).length === 0)
  })

  test("lists the sessions on readable devices and the caller's own sessions, and whether the caller may end each", async () => {
    const caller = await callerOf(worker)
    await startSession(caller, agent)
    const elsewhere = await recordingAgent(owner, { clock })
    const grant = { permissionName: 'device.read', scopeKind: 'Device', scopeId: elsewhere.id } as const
    const stranger = await addTenantAccount(owner, [grant])
    const seen = async (by: Pick<Member, 'applianceRemoteSessions'>) => (await listed(by)).map(({ canEnd }) => canEnd)
    expect(await seen(owner)).toEqual([true])
    expect(await seen(worker)).toEqual([true])
    expect(await seen(reader)).toEqual([false])
    expect(await seen(stranger)).toEqual([])
    for (const { id } of await listed()) {
      await end(owner, id)
    }
  })

  test('shows a token with rights of its own nothing of its user', async () => {
    const token = await makeRestrictedToken(owner, ['device.terminal.use'])
    const { ticket } = await startSession(await callerOf(owner), agent)
    expect(await listed(token.client)).toEqual([])
    await expect(end(token.client, ticket.sessionId)).rejects.toMatchObject(notFound)
    await end(owner, ticket.sessionId)
  })
})

describe('ending', () => {
  test('by the owner closes both ends and removes the session; its page does not reconnect, and no actor is reported', async () => {
    const caller = await callerOf(worker)
    const { ticket, viewerEnd, deviceEnd } = await startSession(caller, agent)
    await end(worker, ticket.sessionId)
    expect(await listed()).toEqual([])
    expect(await Promise.all([viewerEnd.closed, deviceEnd.closed])).toEqual([
      [1000, 'You ended the session.'],
      [1000, 'Session ended.'],
    ])
    expect(caller.viewer.toasts).toEqual([])
    await expect(end(worker, ticket.sessionId)).rejects.toMatchObject(notFound)
  })

  test('by an administrator reports actor and reason to the owner', async () => {
    const caller = await callerOf(worker)
    const { ticket, viewerEnd } = await startSession(caller, agent)
    await end(owner, ticket.sessionId, '  Lunch.  ')
    await viewerEnd.closed
    await until(() => caller.viewer.toasts.length === 1)
    expect(caller.viewer.toasts).toEqual([
      { message: `${agent.agent.report().name}: ${ada.email} ended the session: Lunch.`, messageSeverity: 1 },
    ])
  })

  test('by any other user is 404, and leaves the session running', async () => {
    const { ticket, viewerEnd, deviceEnd } = await startSession(await callerOf(worker), agent)
    const tenantReader = await addTenantAccount(owner, [atTenant('device.read'), atTenant('device.delete')])
    for (const other of [reader, tenantReader]) {
      await expect(end(other, ticket.sessionId)).rejects.toMatchObject(notFound)
    }
    await expect(end(owner, randomUUID())).rejects.toMatchObject(notFound)
    viewerEnd.socket.send('still here')
    await until(() => deviceEnd.messages.length === 1)
    await end(owner, ticket.sessionId)
  })

  test('of a terminal closes it on the device, of a chat its window', async () => {
    const viewer = await connectViewer(worker)
    const [terminalId, sessionId] = [randomUUID(), randomUUID()]
    await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
    const chat = { sessionId, deviceId: agent.id, targetProcessId: 4711, message: 'hello' }
    await viewer.SendChatMessage2({ ...chat, timestamp: '2026-01-02T03:04:05Z' })
    for (const { id } of await listed()) {
      await end(owner, id)
    }
    await until(() => agent.told.length === 4)
    expect(agent.told.slice(2)).toEqual([
      ['CloseTerminalSession', terminalId],
      ['CloseChatSession', sessionId, 4711],
    ])
    expect(
      await agent.SendChatResponse({
        sessionId,
        desktopSessionProcessId: 4711,
        message: 'anybody?',
        timestamp: '2026-01-02T03:04:05Z',
      }),
    ).toBe(false)
    await until(() => viewer.toasts.length === 2)
  })

  test.each([
    ['a session id that is none', '/api/appliance/v1/sessions/x/end', {}, 404],
    ['a reason that is too long', `/api/appliance/v1/sessions/${randomUUID()}/end`, { reason: 'x'.repeat(201) }, 400],
  ])('with %s is refused', async (_, path, body, status) => {
    const response = await owner.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(status)
  })
})

describe('a message', () => {
  const write = (by: Pick<Member, 'applianceRemoteSessions'>, sessionId: string, text: string) =>
    by.applianceRemoteSessions.message({ params: { sessionId }, body: { text } })

  test('of who may read the device appears at the viewer of the session, with the name of the sender', async () => {
    const caller = await callerOf(worker)
    const { ticket } = await startSession(caller, agent)
    await write(reader, ticket.sessionId, ' I need the device at noon. ')
    await until(() => caller.viewer.toasts.length > 0)
    const { name } = agent.agent.report()
    expect(caller.viewer.toasts).toEqual([
      { message: `${reader.user.email}, about ${name}: I need the device at noon.`, messageSeverity: 1 },
    ])
  })

  test('is rejected for others, for ended sessions, and after 30 in 5 minutes', async () => {
    const { ticket } = await startSession(await callerOf(worker), agent)
    await expect(write(stranger, ticket.sessionId, 'Hello')).rejects.toMatchObject(notFound)
    await expect(write(reader, randomUUID(), 'Hello')).rejects.toMatchObject(notFound)
    const results = await Promise.allSettled(Array.from({ length: 31 }, () => write(owner, ticket.sessionId, 'Hello')))
    expect(results.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { status: 429 } }])
    await end(owner, ticket.sessionId)
  })
})

describe('the log', () => {
  test('logs start and end of every session, with actor, device and reason', async () => {
    const program = await addServerAccount(owner)
    const { viewerEnd, deviceEnd, ticket } = await startSession(
      await programCaller(server, { 'x-api-key': program.key }),
      agent,
    )
    viewerEnd.socket.send(Buffer.alloc(7))
    await until(() => deviceEnd.messages.length === 1)
    clock.advance(61_000)
    deviceEnd.socket.close()
    await viewerEnd.closed
    const about = {
      actor: expect.objectContaining({ type: 'service-account', id: program.id, remoteAddress: '127.0.0.1' }) as object,
      sessionId: ticket.sessionId,
      kind: 'remote-control',
      deviceId: agent.id,
      principal: { kind: 'ServiceAccount', id: program.id, name: expect.any(String) as string },
    }
    expect(linesOf(ticket.sessionId)).toEqual([
      { ...about, message: 'A session has started.' },
      {
        ...about,
        message: 'A session has ended.',
        reason: 'responder closed',
        seconds: 61,
        bytesToDevice: 7,
        bytesFromDevice: 0,
      },
    ])
  })

  test('logs who ended the session of another user', async () => {
    const { ticket } = await startSession(await callerOf(worker), agent)
    await end(owner, ticket.sessionId, 'Lunch.')
    const [, byHand, ended] = linesOf(ticket.sessionId)
    expect(byHand).toMatchObject({
      message: 'A session was ended by hand.',
      actor: { type: 'user', id: owner.user.id },
      principal: { id: worker.user.id },
    })
    expect(ended).toMatchObject({ reason: `${ada.email} ended the session: Lunch.` })
  })
})
