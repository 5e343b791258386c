import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { DevicePermission } from '../../../shared/access.ts'
import { failure, success, successOf } from '../../../shared/dtos/hub-result.ts'
import { viewerHub } from '../../../shared/hubs/viewer-hub.ts'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { connectViewer, type Viewer } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { addTenantAccount, addUser } from '../../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { account, ownerForFile, serverForFile, useTestServer, Visitor, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { viewerMethodRows, type Row } from './viewer-method-rows.ts'

let grace: Member
let stranger: Member
let agent: RecordingAgent
let offlineId: string

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  grace = await addUser(server, owner)
  stranger = await server.owner({ email: 'eve@example.org' })
  agent = await recordingAgent(owner, { isShared: true })
  offlineId = (await enroll(owner)).id
  Object.assign(stage, {
    url: server.url,
    agent: { id: agent.id },
    offlineId,
    caller: grace.user.userName,
    organization: 'Analytical Engines',
    callerId: grace.user.id,
  })
})
beforeEach(() => agent.reset())

type Form = 'obsolete' | 'current'
interface Case {
  method: string
  form: Form
  row: Row
}
/** Assigned before the tests run, but referenced when their names are built. */
const stage = { url: '', agent: { id: '' }, offlineId: '', caller: '', organization: '', callerId: '' }
const rows = viewerMethodRows(stage)
const cases: Case[] = Object.entries(rows).flatMap(([base, row]) => [
  { method: row.positional ? `${base}2` : base, form: 'current' as const, row },
  ...(row.positional ? [{ method: base, form: 'obsolete' as const, row }] : []),
])

/** Sends the call; returns its DTO and the result. */
async function callOn(viewer: Viewer, { method, form, row }: Case, deviceId: string) {
  if (row.prepare) {
    await row.prepare(viewer, deviceId)
    agent.told.length = 0
  }
  const args = form === 'obsolete' ? row.positional!() : [row.dto()]
  const dto = args.at(-1) as never
  const sent = form === 'obsolete' ? [deviceId, ...args] : [{ ...(dto as object), deviceId }]
  return { dto, answer: await viewer.connection.invoke<unknown>(method, ...sent) }
}

/** Failure in the shape of the method's result. */
function failed({ form, row }: Case, reason: string): unknown {
  if (form === 'obsolete' && row.old) {
    return row.old === 'nothing' ? null : []
  }
  return { ...failure(reason), ...(row.answer && 'value' in row.answer && { value: null }) }
}

function succeeded({ form, row: { old, answer = success } }: Case): unknown {
  if (form === 'obsolete' && old) {
    return old === 'nothing' ? null : (answer as { value: { sessions: unknown } }).value.sessions
  }
  return answer
}

/** Grants Grace a single permission; returns a function that removes it. */
async function grant(permissionName: DevicePermission) {
  const { tenantId } = owner
  const body = { principalKind: 'User', principalId: grace.user.id, permissionName, scopeKind: 'Tenant' } as const
  const { id: assignmentId } = await owner.permissionAssignments.create({ tenantId, body })
  return () => owner.permissionAssignments.delete({ tenantId, params: { assignmentId } })
}

test('the tables of these tests name all 46 methods', () => {
  const elsewhere = [
    'AddViewerActivity',
    'AddViewerActivity2',
    'DisposeDeviceAccessActivity',
    'SubscribeToDeviceHeartbeats',
    'SubscribeToDeviceHeartbeats2',
    'UnsubscribeFromDeviceHeartbeats',
    'UnsubscribeFromDeviceHeartbeats2',
    'UploadFile',
  ]
  const named = [...cases.map(({ method }) => method), ...elsewhere]
  expect(named.toSorted()).toEqual(Object.keys(viewerHub.methods).toSorted())
  expect(named).toHaveLength(46)
})

describe.each(cases)('$method', (one) => {
  const { row } = one

  test(`asks for ${row.permission} and for nothing else, and reaches the agent with exact values`, async () => {
    const viewer = await connectViewer(grace)
    expect((await callOn(viewer, one, agent.id)).answer).toEqual(failed(one, 'Forbidden.'))
    expect(agent.told).toEqual([])
    const takeAway = await grant(row.permission)
    const { dto, answer } = await callOn(viewer, one, agent.id)
    expect(answer).toEqual(succeeded(one))
    if (row.agent) {
      await until(() => agent.told.length > 0)
      expect(agent.told).toEqual([[row.agent.method, ...row.agent.args({ dto, viewer })]])
    } else {
      expect(agent.told).toEqual([])
    }
    await takeAway()
    agent.reset()
    expect((await callOn(viewer, one, agent.id)).answer).toEqual(failed(one, 'Forbidden.'))
    expect(
      agent.told.filter(([method]) => method === row.agent?.method && !String(method).startsWith('Close')),
    ).toEqual([])
  })

  test.runIf(isNight || one.form === 'current')(
    'rejects devices of other tenants and unknown devices alike',
    async () => {
      const viewer = await connectViewer(stranger)
      for (const deviceId of [agent.id, randomUUID()]) {
        expect((await callOn(viewer, one, deviceId)).answer).toEqual(failed(one, 'Forbidden.'))
      }
      expect(agent.told).toEqual([])
    },
  )

  test.runIf(row.agent && (isNight || one.form === 'current'))('says that a device is offline', async () => {
    const { answer } = await callOn(await connectViewer(owner), one, offlineId)
    expect(answer).toEqual(failed(one, 'Device is not currently connected.'))
  })
})

test.each(['RequestRemoteControlSession', 'RequestVncSession', 'SendChatMessage'])(
  '%s takes a DTO without the device id that it gets as an argument',
  async (method) => {
    const viewer = await connectViewer(owner)
    const dto = rows[method]!.dto()
    expect(dto).not.toHaveProperty('deviceId')
    expect(await viewer.connection.invoke(method, agent.id, dto)).toEqual(success)
    expect(agent.told).toEqual([[rows[method]!.agent!.method, expect.objectContaining({ deviceId: agent.id })]])
    expect(await viewer.connection.invoke(`${method}2`, rows[method]!.dto())).toEqual(failure('Forbidden.'))
  },
)

const awaited = cases.filter(
  ({ row, form, method }) => row.agent && row.old !== 'nothing' && form === 'current' && method !== 'SendDtoToAgent',
)

/** Answers of a broken agent, with the reason that viewers get. */
const failures: [string, () => unknown, string][] = [
  ['answers null', () => null, 'Agent did not respond.'],
  ['throws', () => Promise.reject(new Error('secret of the agent')), 'Agent did not respond.'],
  ['answers nonsense', () => ({ isSuccess: 'perhaps' }), 'Agent did not respond.'],
]

describe.each(awaited)('an agent that fails, asked by $method', (one) => {
  // By day the next failure for each method.
  test.each(failures.filter((_, index) => isNight || index === awaited.indexOf(one) % failures.length))(
    '%s',
    async (_, answer, reason) => {
      const told = one.row.agent!.method
      agent.answers[told] = answer
      const result = await callOn(await connectViewer(owner), one, agent.id)
      expect(result.answer).toEqual(failed(one, reason))
    },
  )

  test.runIf(one.row.old !== 'bare list')('its reason is passed on, and made up where it is blank', async () => {
    const told = one.row.agent!.method
    for (const [given, reason] of [
      ['No.', 'No.'],
      [' ', 'The agent gave no reason.'],
    ] as const) {
      agent.answers[told] = () => ({ ...failure(given), ...(told === 'GetPwshCompletions' && { value: null }) })
      const result = await callOn(await connectViewer(owner), one, agent.id)
      expect(result.answer).toEqual(failed(one, reason))
    }
  })
})

test('no power state is a change: None is refused, and nothing reaches the agent', async () => {
  const viewer = await connectViewer(owner)
  const refused = failure('Invalid power state change type.')
  expect(await viewer.SendPowerStateChange2({ deviceId: agent.id, changeType: 0 })).toEqual(refused)
  expect(await viewer.SendPowerStateChange(agent.id, 0)).toBeNull()
  expect(agent.told).toEqual([])
})

const asksPerson = ({ method }: Case) => method === 'RequestRemoteControlPermission2'

test.each([
  ['a minute', 60_000, awaited.filter((one) => !asksPerson(one) && !one.row.prepare)],
  ['five minutes where a person decides', 300_000, awaited.filter(asksPerson)],
])('an agent that does not answer is given up after %s', async (_, patienceMs, asked) => {
  const clock = manualClock()
  const timed = await useTestServer({ clock })
  const member = await timed.owner()
  const silent = await recordingAgent(member, { clock })
  Object.assign(stage, { url: timed.url, agent: { id: silent.id } })
  for (const { row } of asked) {
    silent.answers[row.agent!.method] = () => new Promise(() => {})
  }
  const answers: unknown[] = []
  const calls = asked.map(async (one) => {
    const { answer } = await callOn(await connectViewer(member), one, silent.id)
    answers.push(answer)
    return answer
  })
  await until(() => silent.told.length === asked.length)
  clock.advance(patienceMs - 1_000)
  expect(answers).toEqual([])
  clock.advance(1_000)
  expect(await Promise.all(calls)).toEqual(asked.map((one) => failed(one, 'Agent did not respond.')))
  Object.assign(stage, { url: server.url, agent: { id: agent.id } })
})

describe('waking', () => {
  test('neighbours of the same tenant and customer send the packet, with bare addresses', async () => {
    const neighbour = await recordingAgent(owner)
    const foreign = await recordingAgent(stranger)
    const viewer = await connectViewer(owner)
    const sent = successOf('Magic packet broadcast by 1 device with public IP 127.0.0.1.')
    const macAddresses = ['00-11-22-aa-bb-cc', '0011.22AA.BBCD', 'nonsense']
    expect(await viewer.SendWakeDevice2({ deviceId: agent.id, macAddresses })).toEqual(sent)
    expect(await viewer.SendWakeDevice(agent.id, macAddresses)).toEqual(sent)
    await until(() => neighbour.told.length === 2)
    const packet = ['InvokeWakeDevice', { macAddresses: ['001122AABBCC', '001122AABBCD'] }]
    expect(neighbour.told).toEqual([packet, packet])
    expect([...agent.told, ...foreign.told]).toEqual([])
  })
})

test('a service account is shown by its name and as such, and has no address; a user by the name that it chose', async () => {
  const { key, id } = await addTenantAccount(owner, [{ permissionName: 'device.chat.send', scopeKind: 'Tenant' }])
  const program = await connectViewer(new Visitor(server.url), { headers: { 'x-api-key': key } })
  const { items } = await owner.tenantServiceAccounts.list({ params: { tenantId: owner.tenantId } })
  const send = (viewer: Viewer) =>
    viewer.SendChatMessage2({
      ...(rows.SendChatMessage!.dto() as never as { sessionId: string }),
      deviceId: agent.id,
    } as never)
  expect(await send(program)).toEqual(success)
  await owner.userPreferences.set({
    tenantId: owner.tenantId,
    body: { name: 'user-display-name', value: 'Ada Lovelace' },
  })
  expect(await send(await connectViewer(owner))).toEqual(success)
  expect(agent.told.map(([, message]) => message)).toMatchObject([
    { senderName: `${items.find((one) => one.id === id)!.name} (service account)`, senderEmail: '' },
    { senderName: 'Ada Lovelace', senderEmail: account.email },
  ])
})

test('activities of a viewer are always a success, whether a trace has begun or not', async () => {
  const viewer = await connectViewer(owner)
  expect(await viewer.AddViewerActivity('looked around')).toEqual(success)
  expect(await viewer.StartDeviceAccessActivity(agent.id)).toEqual(success)
  expect(await viewer.AddViewerActivity2({ activityName: 'looked around' })).toEqual(success)
  expect(await viewer.DisposeDeviceAccessActivity()).toEqual(success)
  expect(await viewer.DisposeDeviceAccessActivity()).toEqual(success)
})

test('results for MessagePack have members in PascalCase and enums by name', async () => {
  const viewer = await connectViewer(owner, { protocol: 'messagepack' })
  const invoke = (method: string, dto: object) => viewer.connection.invoke(method, { DeviceId: agent.id, ...dto })
  expect(await invoke('GetActiveDesktopSessions2', {})).toEqual({
    IsSuccess: true,
    Reason: null,
    ErrorCode: null,
    Value: {
      Sessions: [1, 2].map((session) => ({
        AreRemoteControlPermissionsGranted: true,
        AsksPerson: null,
        DesktopName: 'Default',
        Name: `Console ${session}`,
        ProcessId: 4710 + session,
        SystemSessionId: session,
        Type: 'Console',
        Username: 'person',
      })),
    },
  })
  expect(await invoke('SendPowerStateChange2', { ChangeType: 'Restart' })).toMatchObject({ IsSuccess: true })
  await until(() => agent.told.length === 2)
  expect(agent.told[1]).toEqual(['ReceivePowerStateChange', 1])
})

test('a device without a known public address has no neighbours to wake it, and nonsense is no address', async () => {
  await server.write((models, transaction) =>
    models.Device.update({ publicIpV4: '' }, { where: { id: offlineId }, transaction }),
  )
  const viewer = await connectViewer(owner)
  expect(await viewer.SendWakeDevice2({ deviceId: offlineId, macAddresses: ['001122AABBCC'] })).toEqual(
    successOf(
      'The target device has no known public IP, so no network neighbors could be found to broadcast the magic packet.',
    ),
  )
  expect(await viewer.SendWakeDevice2({ deviceId: offlineId, macAddresses: ['x'] })).toMatchObject({
    isSuccess: false,
    value: null,
  })
})
