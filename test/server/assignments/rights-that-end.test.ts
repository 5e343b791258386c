import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PermissionName } from '../../../shared/access.ts'
import { manualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addUser } from '../../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { callerOf, startSession } from '../../support/session.ts'
import { account, serverForFile, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const hourMs = 60 * 60_000
const manual = manualClock(Date.parse('2026-01-02T03:04:05.000Z'))
/** Counts its readings; each adds `stepMs`, so that time passes while a request runs. */
const readings = { count: 0, stepMs: 0, isStepping: false }
const clock = {
  ...manual,
  now: () => {
    readings.count++
    if (readings.stepMs > 0 && !readings.isStepping) {
      readings.isStepping = true
      manual.advance(readings.stepMs)
      readings.isStepping = false
    }
    return manual.now()
  },
}
const server = serverForFile({ clock })
let owner: Member
let tenantId: string
let agent: RecordingAgent
beforeAll(async () => {
  ;({ tenantId } = await server.owner())
  const row = {
    actionType: 'permission-assignment.created',
    actorPrincipalType: 'system' as const,
    actorPrincipalId: null,
    targetType: 'PermissionAssignment',
    owningTenantId: tenantId,
    ipAddress: null,
    createdAt: manual.now() - 1,
    beforeJson: null,
    afterJson: '{}',
  }
  await server.whileStopped((database, models) =>
    database.write((transaction) =>
      models.AuthorizationChangeLog.bulkCreate(
        Array.from({ length: 2_000 }, () => ({ ...row, id: randomUUID(), targetId: randomUUID() })),
        { transaction },
      ),
    ),
  )
  owner = await server.signIn(account)
  agent = await recordingAgent(owner, { clock: manual, isShared: true })
  // More than the audit export reads at once.
  for (let index = 0; index < 250; index++) {
    await owner.tags.create({ tenantId, body: { name: `tag-${index}` } })
  }
})

async function personUntil(permissions: PermissionName[], endsAt: string | null) {
  const person = await addUser(server, owner)
  await give(person, permissions, endsAt)
  return person
}

const give = (person: Member, permissions: PermissionName[], endsAt: string | null) =>
  owner.applianceRights.grant({
    tenantId,
    body: {
      principals: [{ principalKind: 'User', principalId: person.user.id }],
      permissions,
      scopes: [{ scopeKind: 'Tenant' }],
      endsAt,
      effect: 'Allow',
      isEnabled: true,
    },
  })

const at = (ms: number) => new Date(ms).toISOString()

describe('sessions that are open when a right ends', () => {
  test('a remote control session is cut at that moment, and not before', async () => {
    const person = await personUntil(['device.remote-control.connect'], at(manual.now() + hourMs))
    const { viewerEnd, deviceEnd } = await startSession(await callerOf(person), agent)
    manual.advance(hourMs - 5_000)
    viewerEnd.socket.send('still here')
    await until(() => deviceEnd.messages.length === 1)
    manual.advance(5_000)
    await Promise.all([viewerEnd.closed, deviceEnd.closed])
    expect((await owner.applianceRemoteSessions.list({})).items).toEqual([])
  })

  test('a terminal is closed, and takes no input of the person', async () => {
    const person = await personUntil(['device.terminal.use'], at(manual.now() + hourMs))
    const viewer = await connectViewer(person)
    const terminalId = randomUUID()
    await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
    const send = () => viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId, input: 'ls' } })
    expect(await send()).toMatchObject({ isSuccess: true })
    manual.advance(hourMs)
    expect(await send()).toMatchObject({ isSuccess: false })
    await until(async () => (await owner.applianceRemoteSessions.list({})).items.length === 0)
    await until(() => agent.told.some(([method]) => method === 'CloseTerminalSession'))
  })
})

/** Text of an export, and whether it was cut. */
async function read(person: Member, path: string) {
  const response = await person.fetch(path)
  expect(response.status).toBe(200)
  let text = ''
  try {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
    }
    return { text, isCut: false }
  } catch {
    return { text, isCut: true }
  }
}

describe('an export whose right ends midway', () => {
  test.each([
    ['changes of rights', 'tenant.authorization-logs.read', '/api/appliance/v1/rights/changes/export', 2_000],
    ['the audit log', 'appliance.audit.read', '/api/appliance/v1/audit-log/export', 250],
  ] as const)('is cut before its end: %s', async (_name, permission, route, least) => {
    const path = `${route}?${new URLSearchParams({ tenantId, format: 'csv' })}`
    const lasting = await personUntil([permission], null)
    const before = readings.count
    const whole = await read(lasting, path)
    const used = readings.count - before
    expect(whole.isCut).toBe(false)
    expect(whole.text.split('\n').length).toBeGreaterThan(least)
    const person = await addUser(server, owner)
    await give(person, [permission], at(manual.now() + Math.round(used * 0.85)))
    // So little that no job comes due, which would read the clock, too.
    readings.stepMs = 1
    const part = await read(person, path).finally(() => (readings.stepMs = 0))
    expect(part.isCut).toBe(true)
    expect(part.text.length).toBeLessThan(whole.text.length)
    await expect(person.fetch(path).then(({ status }) => status)).resolves.toBe(403)
  })
})
