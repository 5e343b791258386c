import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import type { PermissionName } from '../../shared/access.ts'
import { manualClock } from '../support/clock.ts'
import { atTenant } from '../support/grants.ts'
import { addTenantAccount, addUser } from '../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { arrivedPeers, refusedWith } from '../support/relay.ts'
import { callerOf, programCaller, requestSession, requestTold, startSession, type Caller } from '../support/session.ts'
import { account as ada, ownerForFile, serverForFile, useTestServer, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const rights: PermissionName[] = [
  'device.read',
  'device.remote-control.connect',
  'device.vnc-relay.connect',
  'device.terminal.use',
  'device.chat.send',
]

const noLonger = 'The right to this session, or the credential that opened it, has ended.'

/** User with open sessions, and an event that ends them. */
interface Scene {
  caller: Caller
  agent: RecordingAgent
  act(): Promise<unknown>
}

type Begin = (agent: RecordingAgent) => Promise<Omit<Scene, 'agent'>>

const byProgram =
  (act: (program: Awaited<ReturnType<typeof addTenantAccount>>) => Promise<unknown>): Begin =>
  async () => {
    const program = await addTenantAccount(owner, rights.map(atTenant))
    return { caller: await programCaller(server, { 'x-api-key': program.key }), act: () => act(program) }
  }

const addPerson = () => addUser(server, owner, ['Device Superuser'])

const byPerson =
  (act: (person: Member, agent: RecordingAgent) => Promise<unknown>): Begin =>
  async (agent) => {
    const person = await addPerson()
    return { caller: await callerOf(person), act: () => act(person, agent) }
  }

const byToken =
  (act: (person: Member, tokenId: string) => Promise<unknown>): Begin =>
  async () => {
    const person = await addPerson()
    const { tenantId } = person
    const { plainTextToken, personalAccessToken } = await person.personalAccessTokens.create({
      tenantId,
      body: { name: 'script' },
    })
    return {
      caller: await programCaller(server, { 'x-personal-token': plainTextToken }),
      act: () => act(person, personalAccessToken.id),
    }
  }

const inTenant = () => ({ tenantId: owner.tenantId })

/** Events that end sessions, and whether terminals end too: a terminal's owner may sign in again and resume. */
const endings: Record<string, [Begin, 'and the terminal' | 'not the terminal']> = {
  'its key is revoked': [
    byProgram(({ id, credentialId }) =>
      owner.tenantServiceAccounts.revokeCredential({
        params: { ...inTenant(), serviceAccountId: id, credentialId },
      }),
    ),
    'and the terminal',
  ],
  'its account is disabled': [
    byProgram(({ id }) =>
      owner.tenantServiceAccounts.update({
        params: { ...inTenant(), serviceAccountId: id },
        body: { name: id, isEnabled: false },
      }),
    ),
    'and the terminal',
  ],
  'its account is deleted': [
    byProgram(({ id }) => owner.tenantServiceAccounts.delete({ params: { ...inTenant(), serviceAccountId: id } })),
    'and the terminal',
  ],
  'its user signs out': [byPerson((person) => person.auth.logout({})), 'not the terminal'],
  'its user changes the password elsewhere': [
    byPerson(async (person) => {
      const elsewhere = await server.signIn({ email: person.user.email! })
      await elsewhere.auth.changePassword({
        body: { currentPassword: ada.password, newPassword: 'Newer-Horse-8' },
      })
    }),
    'not the terminal',
  ],
  'its user is deleted': [
    byPerson(({ user }) => owner.users.delete({ ...inTenant(), params: { userId: user.id } })),
    'and the terminal',
  ],
  'its personal token is deleted': [
    byToken((person, id) => person.personalAccessTokens.delete({ ...inTenant(), params: { id } })),
    'not the terminal',
  ],
}

describe.each(Object.entries(endings))('when %s', (_, [begin, ofTerminal]) => {
  test(`both ends of remote control and VNC are closed within 5 s, ${ofTerminal}, and no others`, async () => {
    const agent = await recordingAgent(owner)
    const { caller, act } = await begin(agent)
    const other = await startSession(await callerOf(await addPerson()), agent)
    const running = [await startSession(caller, agent), await startSession(caller, agent, 'vnc')]
    const terminalId = randomUUID()
    await caller.viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
    const told = agent.told.length
    await act()
    const viewerEnds = Promise.all(running.map(({ viewerEnd }) => viewerEnd.closed))
    expect(await viewerEnds).toEqual(running.map(() => [1000, noLonger]))
    const deviceEnds = Promise.all(running.map(({ deviceEnd }) => deviceEnd.closed))
    expect(await deviceEnds).toEqual(running.map(() => [1000, 'Session ended.']))
    for (const { ticket } of running) {
      expect(await refusedWith(ticket.responder)).toBe(401)
    }
    if (ofTerminal === 'and the terminal') {
      await until(() => agent.told.length > told)
      expect(agent.told.slice(told)).toEqual([['CloseTerminalSession', terminalId]])
    } else {
      expect(agent.told).toHaveLength(told)
    }
    other.viewerEnd.socket.send('still here')
    await until(() => other.deviceEnd.messages.length === 1)
  })
})

test('a deleted device has no sessions', async () => {
  const agent = await recordingAgent(owner)
  const { viewerEnd, deviceEnd } = await startSession(await callerOf(owner), agent)
  await owner.devices.delete({ params: { deviceId: agent.id } })
  await Promise.all([viewerEnd.closed, deviceEnd.closed])
})

test('a session that waits for its device ends with the credential, and its requester is disconnected', async () => {
  const agent = await recordingAgent(owner)
  const { caller, act } = await endings['its key is revoked']![0](agent)
  const ticket = makeTicket(server.url)
  await requestSession(caller, agent.id, ticket)
  const waiting = refusedWith(ticket.requester, caller.headers)
  await arrivedPeers(server, ticket.sessionId, 1)
  await act()
  expect(await waiting).toBe(408)
  expect(await refusedWith(requestTold(agent).websocketUri)).toBe(401)
})

test('an expired sign-in ends its sessions, and a terminal remains for the next sign-in', async () => {
  const clock = manualClock()
  const timed = await useTestServer({ clock })
  const member = await timed.owner()
  const agent = await recordingAgent(member, { clock })
  const caller = await callerOf(member)
  const { viewerEnd, deviceEnd } = await startSession(caller, agent)
  await caller.viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
  clock.advance(25 * 60 * 60_000)
  await Promise.all([viewerEnd.closed, deviceEnd.closed])
  expect(agent.told.map(([method]) => method)).not.toContain('CloseTerminalSession')
})
