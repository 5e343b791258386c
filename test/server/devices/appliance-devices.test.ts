import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SimulatedAgent } from '../../../tools/simulate/agent.ts'
import { enroll, installerKey, TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { startRealDevice } from '../../support/real-device.ts'
import { makeRestrictedToken } from '../../support/restricted-token.ts'
import { temporaryFolder } from '../engines/database/support.ts'
import { ownerForFile, serverForFile, useTestServer, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const absenceOf = (owner: Member, deviceId: string) => owner.applianceDevices.absence({ params: { deviceId } })
const kindsOf = ({ evidence }: { evidence: { kind: string }[] }) => evidence.map(({ kind }) => kind)

/** Absence report of an offline device. */
const absent = (owner: Member, deviceId: string) =>
  until(async () => {
    const absence = await absenceOf(owner, deviceId)
    return absence.cause === null ? undefined : absence
  })

describe('the agent of a device', () => {
  const agentsOf = async (owner: Member, ...deviceIds: string[]) =>
    (await owner.applianceDevices.agents({ body: { deviceIds } })).items

  test('that names another make, or none with a version that was never ours, is offered no update; V1 calls it outdated as before', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'Version.txt'), '9.9.9.9')
    const server = await useTestServer({ settings: { DownloadsDirectory: folder } })
    const owner = await server.owner()
    const [own, other, unnamed, silent] = await Promise.all([
      enroll(owner),
      enroll(owner),
      enroll(owner),
      enroll(owner),
    ])
    const first = await enroll(owner)
    own.make = 'Farhand'
    other.make = 'Other <b>'
    await Promise.all([own, other, unnamed].map((agent) => agent.connect(server.url)))
    const connection = await first.open(server.url)
    await connection.UpdateDeviceSigned(first.signed(first.report({ agentVersion: '0.1.0.0' })))
    const agents = () => agentsOf(owner, own.id, other.id, unnamed.id, silent.id, first.id, randomUUID())
    const expected = [
      { deviceId: own.id, make: 'Farhand', isUpdatable: true, isUpdateOffered: true },
      { deviceId: other.id, make: 'Other <b>', isUpdatable: false, isUpdateOffered: false },
      { deviceId: unnamed.id, make: '', isUpdatable: false, isUpdateOffered: false },
      // Unknown before the first report.
      { deviceId: silent.id, make: null, isUpdatable: true, isUpdateOffered: true },
      // Our first version names no make.
      { deviceId: first.id, make: 'Farhand', isUpdatable: true, isUpdateOffered: true },
    ]
    expect(await agents()).toEqual(expected)
    const { isOutdated, ...device } = await owner.devices.get({ params: { deviceId: other.id } })
    expect(isOutdated).toBe(true)
    expect(JSON.stringify(device)).not.toContain('Other')
    await server.restart()
    expect(await agents()).toEqual(expected)
  })

  test.runIf(isNight)('reports our own make', async () => {
    const device = await startRealDevice(owner)
    onTestFinished(() => device.stop())
    expect(await agentsOf(owner, device.id)).toMatchObject([{ make: 'Farhand', isUpdatable: true }])
  })
})

describe('the absence of a device', () => {
  test('whose agent has never connected is reported as such', async () => {
    const agent = await enroll(owner)
    const absence = await absenceOf(owner, agent.id)
    expect(absence).toMatchObject({ cause: 'never-connected', neighbours: [], otherNeighbours: 0, wake: null })
    expect(kindsOf(absence)).toEqual(['registered'])
  })

  test('whose real agent was stopped is reported as stopped, also after a restart of the server', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const device = await startRealDevice(owner)
    onTestFinished(() => device.stop())
    expect(await absenceOf(owner, device.id)).toMatchObject({ cause: null, since: null, evidence: [] })
    await device.stop()
    const absence = await absent(owner, device.id)
    expect(absence).toMatchObject({ cause: 'stopped', onlineSince: null })
    expect(kindsOf(absence)).toEqual(['announced-stop', 'closed'])
    await server.restart()
    expect(await absenceOf(owner, device.id)).toEqual(absence)
  })

  test.runIf(isNight)('whose real agent was killed is reported as disconnected without notice', async () => {
    const device = await startRealDevice(owner)
    onTestFinished(() => device.stop())
    await device.kill()
    const absence = await absent(owner, device.id)
    expect([absence.cause, ...kindsOf(absence)]).toEqual(['killed', 'broken'])
  })

  test('that was not seen since the server was down is no fault of the device', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const agent = await enroll(owner)
    const { closed } = await agent.connect(server.url)
    await server.restart()
    await closed
    const absence = await absenceOf(owner, agent.id)
    expect([absence.cause, ...kindsOf(absence)]).toEqual(['server-down', 'last-seen', 'server-down', 'server-up'])
    await agent.connect(server.url)
    expect(await absenceOf(owner, agent.id)).toMatchObject({ cause: null })
  })

  test('that met another server reports it until a user with write access dismisses the report, and again for a later one', async () => {
    const agent = await enroll(owner)
    const connection = await agent.connect(server.url)
    const meet = (agoMs: number) =>
      connection.SendWrongIdentity({ agoMs, address: 'https://10.0.0.9:5121', expected: 'ours', seen: 'another' })
    const met = async () => (await absenceOf(owner, agent.id)).evidence
    await meet(3_600_000)
    const [first] = await until(async () => ((await met()).length === 1 ? await met() : undefined))
    const dismissal = { params: { deviceId: agent.id }, body: { at: first!.at } }
    const { client } = await makeRestrictedToken(owner, ['device.read'])
    await expect(client.applianceDevices.dismissWrongIdentity(dismissal)).rejects.toMatchObject({ status: 403 })
    expect(await met()).toEqual([first])
    await owner.applianceDevices.dismissWrongIdentity(dismissal)
    expect(await met()).toEqual([])
    await meet(1_800_000)
    const [later] = await until(async () => ((await met()).length === 1 ? await met() : undefined))
    // Later impostors are unread: neither a repeated dismissal nor the dismissal of a fast clock covers them.
    await owner.applianceDevices.dismissWrongIdentity(dismissal)
    expect(await met()).toEqual([later])
    await owner.applianceDevices.dismissWrongIdentity({ ...dismissal, body: { at: '2199-01-01T00:00:00Z' } })
    await server.restart()
    expect((await met()).filter(({ kind }) => kind === 'wrong-identity')).toEqual([])
    const again = await agent.connect(server.url)
    await again.SendWrongIdentity({ agoMs: 0, address: 'https://10.0.0.9:5121', expected: 'ours', seen: 'another' })
    await until(async () => (await met()).length === 1)
  })

  test('that was rejected with another key reports the address', async () => {
    const agent = await enroll(owner)
    const { connection } = await agent.connect(server.url)
    await connection.stop()
    await absent(owner, agent.id)
    const other = new TestAgent(owner.tenantId, agent.id)
    const stranger = await other.open(server.url)
    expect((await stranger.UpdateDeviceSigned(other.signed(other.report()))).isSuccess).toBe(false)
    const absence = await until(async () => {
      const found = await absenceOf(owner, agent.id)
      return found.cause === 'refused-key' ? found : undefined
    })
    expect(absence.evidence.at(-1)).toMatchObject({ kind: 'refused-key', detail: '127.0.0.1' })
    await agent.connect(server.url)
    expect(await absenceOf(owner, agent.id)).toMatchObject({ cause: null, evidence: [] })
  })

  test('that stopped answering is reported as vanished', async () => {
    const clock = manualClock(Date.now())
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const agent = new SimulatedAgent(0, owner.tenantId)
    await agent.register(server.url, await installerKey(owner))
    await agent.connect(server.url)
    onTestFinished(() => agent.close())
    await until(async () => {
      clock.advance(20_000)
      return (await absenceOf(owner, agent.id)).cause
    })
    const absence = await absenceOf(owner, agent.id)
    expect([absence.cause, ...kindsOf(absence)]).toEqual(['vanished', 'silent'])
  })

  test('after a sleep of the server names its start and end, also after a restart', async () => {
    const start = Date.now()
    const clock = manualClock(start)
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const agent = new SimulatedAgent(0, owner.tenantId)
    await agent.register(server.url, await installerKey(owner))
    await agent.connect(server.url)
    onTestFinished(() => agent.close())
    const sleepMs = 15 * 60_000
    clock.advance(sleepMs)
    await until(async () => {
      clock.advance(20_000)
      return (await absenceOf(owner, agent.id)).cause
    })
    const absence = await absenceOf(owner, agent.id)
    expect([absence.cause, ...kindsOf(absence)]).toEqual(['server-asleep', 'server-asleep', 'server-awake', 'silent'])
    const [from, to] = absence.evidence.map(({ at }) => Date.parse(at) - start)
    expect([from, to]).toEqual([30_000, sleepMs])
    clock.advance(20_000)
    await server.restart()
    expect(await absenceOf(owner, agent.id)).toEqual(absence)
  })

  test('after a requested restart or update names the request', async () => {
    const viewer = await connectViewer(owner)
    for (const [ask, cause] of [
      [(deviceId: string) => viewer.SendPowerStateChange2({ deviceId, changeType: 1 }), 'restart'],
      [(deviceId: string) => viewer.SendAgentUpdateTrigger2({ deviceId }), 'update'],
      [(deviceId: string) => viewer.UninstallAgent2({ deviceId, reason: '' }), 'uninstalled'],
    ] as const) {
      const agent = await enroll(owner)
      const silent = { ReceivePowerStateChange: () => {}, ReceiveAgentUpdateTrigger: () => {} }
      const { connection } = await agent.connect(server.url, silent)
      expect(await ask(agent.id)).toMatchObject({ isSuccess: true })
      await connection.stop()
      expect(await absent(owner, agent.id)).toMatchObject({ cause })
    }
  })

  test('names the nearby devices that can wake it, the ones that did, and the time of its return', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const sleeper = await enroll(owner)
    const away = await sleeper.connect(server.url)
    await away.connection.stop()
    await absent(owner, sleeper.id)
    const neighbour = new TestAgent(owner.tenantId)
    await neighbour.register(owner, await installerKey(owner))
    let packets = 0
    await neighbour.connect(server.url, { InvokeWakeDevice: () => void packets++ })
    const { name } = neighbour.report()
    expect(await absenceOf(owner, sleeper.id)).toMatchObject({
      neighbours: [{ id: neighbour.id, name, isSameSubnet: true }],
      otherNeighbours: 0,
    })
    const viewer = await connectViewer(owner)
    await viewer.SendWakeDevice2({ deviceId: sleeper.id, macAddresses: [] })
    await until(() => packets)
    const woken = await absenceOf(owner, sleeper.id)
    expect(woken.wake).toMatchObject({ by: [{ id: neighbour.id }], others: 0, cameBackAt: null })
    expect(kindsOf(woken)).toContain('woken')
    await sleeper.connect(server.url)
    const { wake } = await absenceOf(owner, sleeper.id)
    expect(Date.parse(wake?.cameBackAt ?? '')).toBeGreaterThanOrEqual(Date.parse(wake?.at ?? ''))
  })
})

describe('the load of a device', () => {
  const loadOf = (owner: Member, deviceId: string) => owner.applianceDevices.load({ params: { deviceId } })

  test('is stored for a day across restarts, with gaps for the time that the server did not run', async () => {
    // Two minutes into an hour, far from the next.
    const start = Date.parse('2026-03-01T10:02:00Z')
    const clock = manualClock(start)
    const server = await useTestServer({ clock, settings: { AppOptions__AgentClockSkewTolerance: '' } })
    const owner = await server.owner()
    const agent = await enroll(owner)
    const { connection, UpdateDeviceSigned } = await agent.connect(server.url)
    const report = agent.report({ cpuUtilization: 0.42, usedMemory: 3, totalMemory: 4 })
    expect(await UpdateDeviceSigned(agent.signed(report))).toMatchObject({ isSuccess: true })
    const first = await loadOf(owner, agent.id)
    expect([first.cpu.length, first.memory.length, first.online.length]).toEqual([288, 288, 288])
    expect([first.cpu.at(-1), first.memory.at(-1), first.online.at(-1)]).toEqual([0.42, 0.75, 1])
    expect([first.cpu.at(-2), first.online.at(-2)]).toEqual([null, null])
    expect(Date.parse(first.start) + 287 * first.slotMs).toBe(Date.parse('2026-03-01T10:00:00Z'))
    await connection.stop()
    await absent(owner, agent.id)
    for (let minute = 0; minute < 5; minute++) {
      clock.advance(60_000)
    }
    await until(async () => (await loadOf(owner, agent.id)).online.at(-1) === 0)
    await server.restart()
    const later = await loadOf(owner, agent.id)
    expect([later.cpu.at(-2), later.cpu.at(-1), later.online.at(-1)]).toEqual([0.42, null, 0])
  })

  test.runIf(isNight)(
    'a device that never goes away is online for 100 %, though the ticks drift across minutes and slots',
    async () => {
      const clock = manualClock(Date.parse('2026-03-01T10:02:30Z'))
      const server = await useTestServer({ clock, settings: { AppOptions__AgentClockSkewTolerance: '' } })
      const owner = await server.owner()
      const agent = await enroll(owner)
      const { UpdateDeviceSigned } = await agent.connect(server.url)
      for (let step = 0; step < 120; step++) {
        expect(await UpdateDeviceSigned(agent.signed(agent.report()))).toMatchObject({ isSuccess: true })
        clock.advance(20_500)
      }
      const shares = async () => (await loadOf(owner, agent.id)).online.filter((share) => share !== null)
      await until(async () => (await shares()).length === 9)
      expect(await shares()).toEqual(Array(9).fill(1))
    },
  )

  test('is not shown to those who may not read the device', async () => {
    const server = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
    const owner = await server.owner()
    const agent = await enroll(owner)
    const other = await server.owner({ email: 'eve@example.org', organizationName: 'Others' })
    for (const read of [loadOf, absenceOf]) {
      await expect(read(other, agent.id)).rejects.toMatchObject({ status: 404 })
    }
  })
})

test('the groups of a device have their names only for callers who may read the groups of the tenant', async () => {
  const agent = await enroll(owner)
  const { tenantId } = owner
  const group = await owner.deviceGroups.create({ tenantId, body: { name: '<b>Front</b>', description: null } })
  await owner.deviceGroups.addMembers({
    tenantId,
    params: { deviceGroupId: group.id },
    body: { deviceIds: [agent.id] },
  })
  const { items } = await owner.applianceDevices.groups({ params: { deviceId: agent.id } })
  expect(items).toEqual([{ id: group.id, name: '<b>Front</b>' }])
  const { client } = await makeRestrictedToken(owner, ['device.read'])
  expect((await client.applianceDevices.groups({ params: { deviceId: agent.id } })).items).toBeNull()
})

test('devices of a bulk action: only those that are readable and permitted are returned, unknown ids are not', async () => {
  const deviceIds = [(await enroll(owner)).id, (await enroll(owner)).id]
  const { client, lose } = await makeRestrictedToken(owner, ['device.read', 'device.power.manage'])
  const permitted = (permission: 'device.power.manage' | 'device.delete') =>
    client.applianceDevices.permitted({ body: { permission, deviceIds: [...deviceIds, crypto.randomUUID()] } })
  expect(await permitted('device.power.manage')).toEqual({ deviceIds })
  expect(await permitted('device.delete')).toEqual({ deviceIds: [] })
  await lose('device.power.manage')
  expect(await permitted('device.power.manage')).toEqual({ deviceIds: [] })
})
