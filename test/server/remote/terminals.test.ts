import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { HubClientHandlers } from '../../../shared/contract/hub.ts'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import type { TerminalOutputDto } from '../../../shared/dtos/terminal.ts'
import type { agentHub } from '../../../shared/hubs/agent-hub.ts'
import { enroll, type AgentConnection } from '../../support/agent.ts'
import { manualClock, type ManualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addUser } from '../../support/people.ts'
import { makeRestrictedToken } from '../../support/restricted-token.ts'
import { ownerForFile, serverForFile, useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

type AgentHandlers = Partial<HubClientHandlers<typeof agentHub>>

const outputOf = (terminalId: string, output: string): TerminalOutputDto => ({
  terminalId,
  output,
  outputKind: 0,
  timestamp: new Date().toISOString(),
})

const shared = serverForFile()
const ownerOfShared = ownerForFile(shared)

/** Connects a viewer, and a device whose agent answers as scripted; `told` records the agent's calls. */
async function prepared(handlers: (agent: () => AgentConnection) => AgentHandlers = () => ({}), clock?: ManualClock) {
  const server = clock ? await useTestServer({ clock }) : shared
  const owner = clock ? await server.owner() : ownerOfShared
  const agent = await enroll(owner)
  const told: unknown[][] = []
  const note =
    <Answer>(name: string, answer: Answer) =>
    (...args: unknown[]) => {
      told.push([name, ...args])
      return answer
    }
  const scripted: AgentHandlers = {
    CreateTerminalSession: note('create', { ...success, isPty: true, shell: '/bin/bash' }),
    ReceiveTerminalInput: note('input', success),
    CloseTerminalSession: note('close', undefined),
  }
  const connection: AgentConnection = await agent.open(server.url, { ...scripted, ...handlers(() => connection) })
  await connection.UpdateDeviceSigned(
    agent.signed(agent.report(), { ...(clock && { timestamp: new Date(clock.now()).toISOString() }) }),
  )
  return { server, owner, agent, connection, told, viewer: await connectViewer(owner), deviceId: agent.id }
}

describe('both forms of each method reach the agent alike', () => {
  test('create', async () => {
    const { viewer, deviceId, told } = await prepared()
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]
    const answer = { ...success, isPty: true, shell: '/bin/bash' }
    expect(await viewer.CreateTerminalSession(deviceId, first)).toEqual(answer)
    expect(await viewer.CreateTerminalSession2({ deviceId, terminalId: second })).toEqual(answer)
    expect(await viewer.CreateTerminalSession2({ deviceId, terminalSessionId: third })).toEqual(answer)
    const { connectionId } = viewer.connection
    expect(told).toEqual([first, second, third].map((id) => ['create', id, connectionId]))
  })

  test('input, with the id of the viewer and all control characters', async () => {
    const { viewer, deviceId, told } = await prepared()
    const terminalId = randomUUID()
    const typed = { terminalId, input: '\u001b[A', isRaw: true, columns: 120, rows: 40, isAttach: true }
    expect(await viewer.SendTerminalInput(deviceId, { terminalId, input: 'ls', viewerConnectionId: 'forged' })).toEqual(
      success,
    )
    expect(await viewer.SendTerminalInput2({ deviceId, input: typed })).toEqual(success)
    const viewerConnectionId = viewer.connection.connectionId
    expect(told).toEqual([
      ['input', { terminalId, input: 'ls', viewerConnectionId }],
      ['input', { ...typed, viewerConnectionId }],
    ])
  })

  test('close, without waiting for an answer', async () => {
    const { viewer, deviceId, told } = await prepared()
    const terminalId = randomUUID()
    expect(await viewer.CloseTerminalSession(deviceId, terminalId)).toBeNull()
    expect(await viewer.CloseTerminalSession2({ deviceId, terminalId })).toEqual(success)
    await until(() => told.length === 2)
    expect(told).toEqual([
      ['close', terminalId],
      ['close', terminalId],
    ])
  })

  test('a terminal without an id is refused', async () => {
    const { viewer, deviceId } = await prepared()
    const refused = failure('A terminal id is required.')
    expect(await viewer.CreateTerminalSession2({ deviceId })).toEqual(refused)
    expect(await viewer.CloseTerminalSession2({ deviceId })).toEqual(refused)
  })
})

test('output that the agent sends before its answer reaches the viewer', async () => {
  const { viewer, deviceId } = await prepared((agent) => ({
    CreateTerminalSession: async (terminalId, viewerConnectionId) => {
      await agent().SendTerminalOutputToViewer(viewerConnectionId, outputOf(terminalId, 'banner'))
      await agent().SendTerminalOutputToViewer(viewerConnectionId, outputOf(terminalId, 'PS> '))
      return success
    },
  }))
  const terminalId = randomUUID()
  expect(await viewer.CreateTerminalSession2({ deviceId, terminalId })).toMatchObject({ isSuccess: true })
  expect(viewer.outputs.map(({ output }) => output)).toEqual(['banner', 'PS> '])
})

describe('several viewers of the owner', () => {
  test('see the same, also when the one that spoke last has left', async () => {
    const { viewer, owner, deviceId, connection } = await prepared()
    const second = await connectViewer(owner)
    const terminalId = randomUUID()
    await viewer.CreateTerminalSession2({ deviceId, terminalId })
    const input = { terminalId, input: '', isRaw: true, isAttach: true }
    await second.SendTerminalInput2({ deviceId, input })
    const named = second.connection.connectionId!
    await connection.SendTerminalOutputToViewer(named, outputOf(terminalId, 'both'))
    await second.connection.stop()
    await second.closed
    await until(async () => {
      await connection.SendTerminalOutputToViewer(named, outputOf(terminalId, 'one'))
      return viewer.outputs.length > 1
    })
    expect(viewer.outputs.slice(0, 2).map(({ output }) => output)).toEqual(['both', 'one'])
    expect(second.outputs.map(({ output }) => output)).toEqual(['both'])
  })

  test('receive the size that another viewer gave the terminal, and its end by another viewer', async () => {
    const { viewer, owner, deviceId } = await prepared()
    const second = await connectViewer(owner)
    const terminalId = randomUUID()
    await viewer.CreateTerminalSession2({ deviceId, terminalId })
    const input = { terminalId, input: '', isRaw: true, columns: 80, rows: 24 }
    await viewer.SendTerminalInput2({ deviceId, input })
    await second.SendTerminalInput2({ deviceId, input: { ...input, columns: 120, isAttach: true } })
    await second.SendTerminalInput2({ deviceId, input: { ...input, columns: 120 } })
    expect(viewer.outputs).toMatchObject([{ terminalId, output: '', columns: 120, rows: 24 }])
    await viewer.CloseTerminalSession2({ deviceId, terminalId })
    expect(second.outputs).toMatchObject([{ terminalId, isExit: true }])
    expect(viewer.outputs).toHaveLength(1)
  })
})

test('T09: a terminal ends when its owner is disabled', async () => {
  const { server, owner, deviceId, told } = await prepared()
  const other = await addUser(server, owner, ['Device Superuser'])
  const terminalId = randomUUID()
  await (await connectViewer(other)).CreateTerminalSession2({ deviceId, terminalId })
  await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId: other.user.id } })
  await until(() => told.some(([name, id]) => name === 'close' && id === terminalId))
})

test('T35: viewers determine the size of a terminal, the device does not', async () => {
  const { connection, viewer, deviceId } = await prepared()
  const terminalId = randomUUID()
  await viewer.CreateTerminalSession2({ deviceId, terminalId })
  const huge = { ...outputOf(terminalId, 'x'), columns: 1000, rows: 1000 }
  await connection.SendTerminalOutputToViewer(viewer.connection.connectionId!, huge)
  await until(() => viewer.outputs.length === 1)
  expect(viewer.outputs[0]).toMatchObject({ output: 'x' })
  expect(viewer.outputs[0]).not.toHaveProperty('columns')
})

test('open terminals are listed to their owner with the running program, also after a restart', async () => {
  const { server, viewer, owner, deviceId } = await prepared()
  const other = await addUser(server, owner, ['Device Superuser'])
  const token = await makeRestrictedToken(owner, ['device.read', 'device.terminal.use'])
  const terminalId = randomUUID()
  await viewer.CreateTerminalSession2({ deviceId, terminalId })
  const params = { deviceId }
  const [listed] = (await owner.applianceDevices.terminals({ params })).items
  expect(listed).toMatchObject({ id: terminalId, shell: '/bin/bash' })
  expect((await other.applianceDevices.terminals({ params })).items).toEqual([])
  expect((await token.client.applianceDevices.terminals({ params })).items).toEqual([])
  await server.restart()
  const again = (await owner.applianceDevices.terminals({ params })).items
  expect(again).toMatchObject([{ id: terminalId, shell: null }])
})

describe('after a restart of the server, the terminals that an agent reports', () => {
  async function restarted() {
    const clock = manualClock()
    const before = await prepared(undefined, clock)
    const { server, owner, agent, viewer, deviceId } = before
    const startedAt = new Date(clock.now()).toISOString()
    const other = await addUser(server, owner, ['Device Superuser'])
    const [running, exited, ofOther] = [randomUUID(), randomUUID(), randomUUID()]
    await viewer.CreateTerminalSession2({ deviceId, terminalId: running })
    await viewer.CreateTerminalSession2({ deviceId, terminalId: exited })
    await (await connectViewer(other)).CreateTerminalSession2({ deviceId, terminalId: ofOther })
    clock.advance(60_000)
    await server.restart()
    clock.advance(1_000)
    const closed: string[] = []
    const connection = await agent.open(server.url, { CloseTerminalSession: (id) => void closed.push(id) })
    const timestamp = new Date(clock.now()).toISOString()
    await connection.UpdateDeviceSigned(agent.signed(agent.report(), { timestamp }))
    const report = (...ids: string[]) =>
      connection.SendOpenTerminals(ids.map((terminalId) => ({ terminalId, shell: '/bin/zsh' })))
    return { ...before, other, running, exited, ofOther, startedAt, closed, report }
  }

  test('are sessions of their owners since their own start; the others are forgotten', async () => {
    const { owner, other, running, ofOther, startedAt, closed, report, deviceId } = await restarted()
    expect((await owner.applianceRemoteSessions.list({})).items).toEqual([])
    await report(running, ofOther)
    await report(running, ofOther)
    const { items } = await owner.applianceRemoteSessions.list({})
    const [own, ofOtherUser] = [owner, other].map(({ user }) => items.find((item) => item.principalId === user.id))
    expect(items).toHaveLength(2)
    expect(own).toMatchObject({ kind: 'terminal', deviceId, startedAt })
    expect(ofOtherUser).toMatchObject({ kind: 'terminal', deviceId, startedAt })
    const terminals = (await owner.applianceDevices.terminals({ params: { deviceId } })).items
    expect(terminals).toMatchObject([{ id: running, shell: '/bin/zsh' }])
    expect(closed).toEqual([])
    await owner.applianceRemoteSessions.end({ params: { sessionId: own!.id }, body: {} })
    await until(() => closed.length === 1)
    expect(closed).toEqual([running])
  })

  test('are closed if their owner is deleted, or if no terminal of this id is known', async () => {
    const { owner, other, ofOther, closed, report } = await restarted()
    await owner.users.delete({ tenantId: owner.tenantId, params: { userId: other.user.id } })
    const unknown = randomUUID()
    await report(ofOther, unknown)
    await until(() => closed.length === 2)
    expect(closed).toEqual([ofOther, unknown])
    expect((await owner.applianceRemoteSessions.list({})).items).toEqual([])
  })
})

test('the shell name of an agent is cut to the length of a path for the list (T20)', async () => {
  const { viewer, owner, deviceId } = await prepared(() => ({
    CreateTerminalSession: () => ({ ...success, shell: 'x'.repeat(500_000) }),
  }))
  await viewer.CreateTerminalSession2({ deviceId, terminalId: randomUUID() })
  const [listed] = (await owner.applianceDevices.terminals({ params: { deviceId } })).items
  expect(listed?.shell).toBe('x'.repeat(1024))
})

describe('a failing agent', () => {
  const create = { terminalId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' }

  test.each<[string, unknown, string]>([
    ['its reason is passed on', failure('No more terminals.'), 'No more terminals.'],
    ['a missing reason is made up: clients throw without one', failure(''), 'The agent gave no reason.'],
    ['null is no answer', null, 'Agent did not respond.'],
    ['something else is no answer', { isSuccess: 'maybe' }, 'Agent did not respond.'],
  ])('%s', async (_, answer, reason) => {
    const { viewer, deviceId } = await prepared(() => ({ CreateTerminalSession: () => answer as typeof success }))
    expect(await viewer.CreateTerminalSession2({ deviceId, ...create })).toEqual(failure(reason))
  })

  test('a thrown error is reported without its text', async () => {
    const { viewer, deviceId } = await prepared(() => ({
      CreateTerminalSession: () => Promise.reject(new Error('broken')),
    }))
    expect(await viewer.CreateTerminalSession2({ deviceId, ...create })).toEqual(failure('Agent did not respond.'))
  })

  test('an agent that does not answer times out after a minute', async () => {
    const clock = manualClock()
    let isAsked = false
    const handlers = { CreateTerminalSession: () => ((isAsked = true), new Promise<never>(() => {})) }
    const { viewer, deviceId } = await prepared(() => handlers, clock)
    const answer = viewer.CreateTerminalSession2({ deviceId, ...create })
    await until(() => isAsked)
    clock.advance(60_000)
    expect(await answer).toEqual(failure('Agent did not respond.'))
  })

  test('an offline agent is reported, also when it disconnects before it answers', async () => {
    let leave = () => {}
    const { viewer, deviceId, connection } = await prepared(() => ({
      CreateTerminalSession: () => (leave(), new Promise<never>(() => {})),
    }))
    leave = () => void connection.connection.stop()
    const absent = failure('Device is not currently connected.')
    expect(await viewer.CreateTerminalSession2({ deviceId, ...create })).toEqual(absent)
    expect(await viewer.SendTerminalInput2({ deviceId, input: { ...create, input: 'ls' } })).toEqual(absent)
    expect(await viewer.CloseTerminalSession2({ deviceId, ...create })).toEqual(absent)
  })
})
