import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failure, success, terminalNotOpen } from '../../shared/dtos/hub-result.ts'
import { enroll, type AgentConnection, type TestAgent } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { holdWrites } from '../support/database-shell.ts'
import { connectViewer } from '../support/hub-client.ts'
import { addTenantAccount, addUser } from '../support/people.ts'
import { ownerForFile, serverForFile, useTestServer, Visitor, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const forbidden = failure('Forbidden.')

const server = serverForFile()
const owner = ownerForFile(server)
let other: Member
beforeAll(async () => {
  other = await addUser(server, owner, ['Device Superuser'])
})

/** Device with recorded calls, whose agent accepts every call unless told to refuse. */
interface Device {
  agent: TestAgent
  deviceId: string
  told: unknown[][]
  refusal: { reason?: string }
  connection: AgentConnection
}

async function connectTerminalAgent(agent: TestAgent, { timestamp }: { timestamp?: string } = {}): Promise<Device> {
  const told: unknown[][] = []
  const refusal: { reason?: string } = {}
  const answer = () => (refusal.reason === undefined ? success : failure(refusal.reason))
  const connection = await agent.open(server.url, {
    CreateTerminalSession: (...args) => (told.push(['create', ...args]), answer()),
    ReceiveTerminalInput: ({ terminalId, input }) => (told.push(['input', terminalId, input]), answer()),
    CloseTerminalSession: (...args) => void told.push(['close', ...args]),
  })
  await connection.UpdateDeviceSigned(agent.signed(agent.report(), timestamp === undefined ? {} : { timestamp }))
  return { agent, deviceId: agent.id, told, refusal, connection }
}

const outputFor = (terminalId: string, output: string, isExit?: boolean) => ({
  terminalId,
  output,
  outputKind: 0 as const,
  timestamp: new Date().toISOString(),
  ...(isExit && { isExit }),
})

let device: Device
beforeEach(async () => {
  device = await connectTerminalAgent(await enroll(owner))
})

type Viewer = Awaited<ReturnType<typeof connectViewer>>
const open = ({ CreateTerminalSession2 }: Viewer, terminalId: string = randomUUID()) =>
  CreateTerminalSession2({ deviceId: device.deviceId, terminalId })
const type = ({ SendTerminalInput2 }: Viewer, terminalId: string, input = 'ls') =>
  SendTerminalInput2({ deviceId: device.deviceId, input: { terminalId, input, viewerConnectionId: null } })
const close = ({ CloseTerminalSession2 }: Viewer, terminalId: string) =>
  CloseTerminalSession2({ deviceId: device.deviceId, terminalId })
const print = (to: Viewer, terminalId: string, output: string) =>
  device.connection.SendTerminalOutputToViewer(to.connection.connectionId!, outputFor(terminalId, output))
const texts = ({ outputs }: Viewer) => outputs.map(({ output }) => output)

/** Tries every operation of another user who knows the id; none may reach the agent. */
async function expectBound(stranger: Viewer, terminalId: string) {
  const before = device.told.length
  expect(await open(stranger, terminalId)).toEqual(forbidden)
  expect(await type(stranger, terminalId)).toEqual(forbidden)
  expect(await close(stranger, terminalId)).toEqual(forbidden)
  const { deviceId } = device
  const input = { terminalId, input: '', viewerConnectionId: null, isRaw: true, isAttach: true }
  expect(await stranger.SendTerminalInput2({ deviceId, input })).toEqual(forbidden)
  expect(await stranger.CreateTerminalSession(deviceId, terminalId)).toEqual(forbidden)
  expect(await stranger.SendTerminalInput(deviceId, input)).toEqual(forbidden)
  await stranger.CloseTerminalSession(deviceId, terminalId)
  await print(stranger, terminalId, 'secret')
  expect(texts(stranger)).toEqual([])
  expect(device.told).toHaveLength(before)
}

test('a device is deleted while a terminal on it is claimed: no terminal is stored, and no error is logged', async () => {
  const viewer = await connectViewer(owner)
  // An external writer locks the database, so the server's writes wait in order.
  const release = await holdWrites(server)
  const deleted = owner.devices.delete({ params: { deviceId: device.deviceId } })
  // The request has reached the write queue.
  await owner.devices.list({})
  const opened = open(viewer)
  await viewer.GetActiveDesktopSessions2({ deviceId: device.deviceId })
  await release()
  await deleted
  expect((await opened).isSuccess).toBe(false)
  expect(await server.rows('SELECT 1 FROM terminals WHERE deviceId = ?', device.deviceId)).toEqual([])
  expect(device.told).toEqual([])
})

describe('a terminal belongs to the principal that opened it', () => {
  test('another user with the same rights neither sees, types, attaches nor closes', async () => {
    const [mine, theirs] = [await connectViewer(owner), await connectViewer(other)]
    const terminalId = randomUUID()
    expect(await open(mine, terminalId)).toEqual(success)
    await expectBound(theirs, terminalId)
    expect(await type(mine, terminalId)).toEqual(success)
    await print(mine, terminalId, 'mine')
    expect(texts(mine)).toEqual(['mine'])
  })

  test('neither does a service account, an own token of the user that is restricted, or a logon token', async () => {
    const { tenantId } = owner
    const inTenant = { permissionName: 'device.terminal.use', scopeKind: 'Tenant' } as const
    const account = await addTenantAccount(owner, [inTenant])
    const body = { name: 'limited', scopes: [inTenant] }
    const { plainTextToken } = await owner.personalAccessTokens.create({ tenantId, body })
    const { deviceAccessUrl } = await owner.logonTokens.createForUser({
      body: { tenantId, deviceId: device.deviceId, userId: owner.user.id, permissions: ['device.terminal.use'] },
    })
    const visitor = server.visitor()
    await visitor.fetch(deviceAccessUrl, { redirect: 'manual' })
    const asProgram = (headers: Record<string, string>) => connectViewer(new Visitor(server.url), { headers })
    const strangers = [
      await asProgram({ 'x-api-key': account.key }),
      await asProgram({ 'x-personal-token': plainTextToken }),
      await connectViewer(visitor),
    ]
    const mine = await connectViewer(owner)
    for (const stranger of strangers) {
      const terminalId = randomUUID()
      expect(await open(mine, terminalId)).toEqual(success)
      await expectBound(stranger, terminalId)
      const own = randomUUID()
      expect(await open(stranger, own)).toEqual(success)
      await expectBound(mine, own)
    }
  })

  test('the same user can attach from another connection, and with a token that acts for the user', async () => {
    const { plainTextToken } = await owner.personalAccessTokens.create({
      tenantId: owner.tenantId,
      body: { name: 'script' },
    })
    const here = await connectViewer(owner)
    const there = await connectViewer(await server.signIn())
    const byToken = await connectViewer(new Visitor(server.url), { headers: { 'x-personal-token': plainTextToken } })
    const terminalId = randomUUID()
    await open(here, terminalId)
    for (const viewer of [there, byToken]) {
      expect(await type(viewer, terminalId)).toEqual(success)
      await print(viewer, terminalId, 'hello')
      expect(texts(viewer)).toEqual(['hello'])
    }
  })

  test('of two users who open one with the same id at once, one gets it', async () => {
    const viewers = [await connectViewer(owner), await connectViewer(other)]
    const terminalId = randomUUID()
    const answers = await Promise.all(viewers.map((viewer) => open(viewer, terminalId)))
    expect(answers.filter(({ isSuccess }) => isSuccess)).toHaveLength(1)
    expect(answers).toContainEqual(forbidden)
  })

  test('the same id on another device is another terminal', async () => {
    const [mine, theirs] = [await connectViewer(owner), await connectViewer(other)]
    const terminalId = randomUUID()
    await open(mine, terminalId)
    device = await connectTerminalAgent(await enroll(owner))
    expect(await open(theirs, terminalId)).toEqual(success)
    await print(mine, terminalId, 'not yours')
    expect(texts(mine)).toEqual([])
  })

  test('also after a restart of the server, over which its owner keeps it', async () => {
    const terminalId = randomUUID()
    expect(await open(await connectViewer(owner), terminalId)).toEqual(success)
    await server.restart()
    device = await connectTerminalAgent(device.agent)
    await expectBound(await connectViewer(other), terminalId)
    const again = await connectViewer(owner)
    await print(again, terminalId, 'before it has spoken')
    expect(await type(again, terminalId)).toEqual(success)
    await print(again, terminalId, 'hello')
    expect(texts(again)).toEqual(['hello'])
  })

  test('also after the agent has reconnected', async () => {
    const mine = await connectViewer(owner)
    const terminalId = randomUUID()
    await open(mine, terminalId)
    await device.connection.connection.stop()
    device = await connectTerminalAgent(device.agent)
    await expectBound(await connectViewer(other), terminalId)
    expect(await type(mine, terminalId)).toEqual(success)
  })
})

describe('no way to a viewer leads', () => {
  test('from an id that no user opened', async () => {
    const mine = await connectViewer(owner)
    const terminalId = randomUUID()
    await open(mine, terminalId)
    await print(mine, randomUUID(), 'made up')
    await print(mine, terminalId, 'asked for')
    expect(texts(mine)).toEqual(['asked for'])
  })

  test('from a terminal that the device refused to open, which any user may open then', async () => {
    const [mine, theirs] = [await connectViewer(owner), await connectViewer(other)]
    const terminalId = randomUUID()
    device.refusal.reason = 'No more terminals.'
    expect(await open(mine, terminalId)).toEqual(failure('No more terminals.'))
    expect(await type(mine, terminalId)).toEqual(failure('No more terminals.'))
    await print(mine, terminalId, 'psst')
    expect(texts(mine)).toEqual([])
    delete device.refusal.reason
    expect(await open(theirs, terminalId)).toEqual(success)
  })

  test('from a terminal that was closed, has ended, or that the device does not know any more', async () => {
    const mine = await connectViewer(owner)
    const ids = [randomUUID(), randomUUID(), randomUUID()] as const
    for (const id of ids) {
      await open(mine, id)
    }
    await close(mine, ids[0])
    const viewerId = mine.connection.connectionId!
    await device.connection.SendTerminalOutputToViewer(viewerId, outputFor(ids[1], 'bye', true))
    device.refusal.reason = terminalNotOpen
    expect(await type(mine, ids[2])).toEqual(failure(terminalNotOpen))
    for (const id of ids) {
      await print(mine, id, 'psst')
    }
    expect(texts(mine)).toEqual(['bye'])
  })
})

test('a terminal ends in the step that removes the right to it', async () => {
  const account = await addTenantAccount(owner, [{ permissionName: 'device.terminal.use', scopeKind: 'Tenant' }])
  const program = await connectViewer(new Visitor(server.url), { headers: { 'x-api-key': account.key } })
  const mine = await connectViewer(owner)
  const [theirs, ours] = [randomUUID(), randomUUID()]
  await open(program, theirs)
  await open(mine, ours)
  const { tenantId } = owner
  const query = { principalKind: 'ServiceAccount', principalId: account.id } as const
  const { items } = await owner.permissionAssignments.list({ tenantId, query })
  await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: items[0]!.id } })
  await until(() => device.told.some(([name]) => name === 'close'))
  expect(device.told.filter(([name]) => name === 'close')).toEqual([['close', theirs]])
  expect(await type(mine, ours)).toEqual(success)
})

test('opening and closing are logged with who did it and the device', async () => {
  const mine = await connectViewer(owner)
  const [closed, ended] = [randomUUID(), randomUUID()]
  await open(mine, closed)
  await open(mine, ended)
  await close(mine, closed)
  const { connection } = device
  await connection.SendTerminalOutputToViewer(mine.connection.connectionId!, outputFor(ended, '', true))
  const { deviceId } = device
  const lines = server.log.lines
    .filter(({ fields }) => 'terminalId' in fields && 'deviceId' in fields && fields.deviceId === deviceId)
    .map(({ level, message, fields }) => [level, message, (fields as { terminalId: string }).terminalId])
  expect(lines).toEqual([
    ['info', 'A terminal was opened.', closed],
    ['info', 'A terminal was opened.', ended],
    ['info', 'A terminal was closed.', closed],
    ['info', 'A terminal exited.', ended],
  ])
  const actor = expect.objectContaining({ type: 'user', id: owner.user.id, remoteAddress: '127.0.0.1' })
  expect(server.log.lines).toContainEqual(
    expect.objectContaining({ fields: { actor, deviceId, terminalId: closed, owner: `User ${owner.user.id}` } }),
  )
})

test('an account has no more than 16 terminals of a device', async () => {
  const mine = await connectViewer(owner)
  for (let count = 0; count < 16; count++) {
    await open(mine)
  }
  expect(await open(mine)).toEqual(failure('You have too many open terminals on this device. Close one first.'))
})

test('a terminal that is unused for 15 minutes is removed', async () => {
  const clock = manualClock()
  const timed = await useTestServer({ clock })
  const member = await timed.owner()
  const agent = await enroll(member)
  const connection = await agent.open(timed.url, { CreateTerminalSession: () => success })
  await connection.UpdateDeviceSigned(agent.signed(agent.report(), { timestamp: new Date(clock.now()).toISOString() }))
  const viewer = await connectViewer(member)
  await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
  const stored = () => timed.rows('SELECT * FROM terminals')
  expect(await stored()).toHaveLength(1)
  clock.advance(14 * 60_000)
  clock.advance(6 * 60_000)
  await expect.poll(stored).toEqual([])
})
