import { expect, onTestFinished, test } from 'vitest'
import type { DeviceState } from '../../../server/fleet/device-state.ts'
import type { DeviceRow } from '../../../server/fleet/tables.ts'
import { deviceHistory, fleetHistory } from '../../../server/history/curves.ts'
import { diskForecasts } from '../../../server/history/forecast.ts'
import { onlyServer } from '../../../server/health/servers.ts'
import { RetentionClock } from '../../../server/health/retention-clock.ts'
import { Histories } from '../../../server/history/histories.ts'
import { rollUp } from '../../../server/history/roll-up.ts'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { buildDevice } from '../../support/factories.ts'
import { openTestMemory, tenantId } from '../../support/memory.ts'
import { isNight } from '../../support/night.ts'
import { addMember } from '../../support/people.ts'
import { isOnPostgres } from '../../support/postgres.ts'
import { useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const start = Date.UTC(2026, 0, 1)

const drive = (rootDirectory: string, used: number): DeviceRow['drives'][number] => ({
  driveType: 'Fixed',
  rootDirectory,
  name: rootDirectory,
  driveFormat: 'ext4',
  totalSize: 100,
  freeSpace: 100 * (1 - used),
  volumeLabel: '',
})

/** Devices of a server that has run since 2026, with a clock and an hour of work of some of them. */
async function openFleet(changes: readonly Partial<DeviceRow>[]) {
  const rows = changes.map((change) => buildDevice({ tenantId, createdAt: start, ...change }))
  const passing = manualClock(start)
  let aheadMs = 0
  const clock = { ...passing, now: () => passing.now() + aheadMs, set: (ms: number) => void (aheadMs = ms) }
  const { memory, database, models, close } = await openTestMemory({
    fill: async (tables, transaction) => {
      await tables.Device.bulkCreate(rows, { transaction })
      await tables.ServerRun.create({ startedAt: start, aliveUntil: start + 1000 * dayMs }, { transaction })
    },
  })
  onTestFinished(close)
  const app = { ...memory, database, models, clock, retentionClock: new RetentionClock(clock), servers: onlyServer }
  const devices = () => rows.map(({ id }) => memory.fleet.get(id)!)
  const work = (device: DeviceState, share: number) => {
    for (let minute = 0; minute < 60; minute++) {
      app.presence.countMinute(device.id, clock.now() + minute * 60_000)
    }
    app.presence.report(
      { id: device.id, cpuUtilization: share, usedMemory: share / 2, totalMemory: 1 },
      clock.now() + 30 * 60_000,
    )
  }
  return { app, clock, database, rows, devices, work }
}

/** Time of a device: at night a year, of which no more is kept. */
const days = isNight ? 365 : 90

test('90 days of a device are kept by hours and by six hours, over a restart, in at most 40 KB', async () => {
  const disks = Array.from({ length: 10 }, (_, index) => drive(`/disk-${index}`, 0.5))
  const { app, clock, database, devices, work } = await openFleet(Array.from({ length: 4 }, () => ({ drives: disks })))
  const [first, , away] = devices() as [DeviceState, DeviceState, DeviceState]
  const size = async () => {
    if (isOnPostgres) {
      // Not comparable: earlier versions of rows stay until a vacuum.
      return 0
    }
    await database.checkpoint()
    const [row] = await database.all<{ bytes: number }>(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
    )
    return row!.bytes
  }
  const empty = await size()
  for (let hour = 0; hour < days * 24; hour++) {
    for (const device of devices()) {
      if (device !== away || hour < (days - 1) * 24) {
        work(device, hour % 24 < 12 ? 0.2 : 0.6)
      }
    }
    clock.advance(hourMs)
    if (hour % 6 === 5) {
      await rollUp({ app })
    }
  }
  const week = await deviceHistory(app, first, 'week')
  expect(week).toMatchObject({ stepMs: hourMs, start: new Date(clock.now() - 167 * hourMs).toISOString() })
  // The last step is the present one: the device is offline by now.
  expect(week.cpu.slice(-26)).toEqual([0.6, ...Array<number>(12).fill(0.2), ...Array<number>(12).fill(0.6), null])
  expect(week.memory.slice(-3)).toEqual([0.3, 0.3, null])
  expect(week.online.slice(-2)).toEqual([1, 0])
  const quarter = await deviceHistory(app, first, 'quarter')
  expect(quarter.cpu).toHaveLength(360)
  expect(quarter.cpu.slice(-6)).toEqual([0.6, 0.2, 0.2, 0.6, 0.6, null])
  expect(quarter.disks.map(({ name }) => name)).toEqual(disks.slice(0, 8).map(({ name }) => name))
  expect(quarter.disks[0]).toMatchObject({ fullAt: null })
  expect(quarter.disks[0]!.used.slice(-2)).toEqual([0.5, null])
  const gone = await deviceHistory(app, away, 'week')
  expect(gone.online.slice(-26)).toEqual([1, ...Array<number>(25).fill(0)])
  expect(gone.cpu.slice(-26)).toEqual([0.6, ...Array<null>(25).fill(null)])
  const fleet = await fleetHistory(app, devices(), 'week')
  expect(fleet).toMatchObject({ devices: 4, stepMs: hourMs })
  expect([fleet.online.at(-27), fleet.online.at(-2), fleet.known.at(-2)]).toEqual([4, 3, 4])
  expect([fleet.cpu.at(-2), fleet.memory.at(-2), fleet.disk.at(-2)]).toEqual([0.6, 0.3, 0.5])

  const restarted = { ...app, histories: new Histories() }
  expect(await deviceHistory(restarted, first, 'quarter')).toEqual(quarter)
  expect(await deviceHistory(restarted, away, 'week')).toEqual(gone)
  expect((await size()) - empty).toBeLessThanOrEqual(4 * 40_000)
})

test.runIf(isNight)(
  'a clock that is years ahead for some hours leaves a gap of these hours, and the curves before',
  async () => {
    const { app, clock, devices, work } = await openFleet([{}])
    const [device] = devices() as [DeviceState]
    const pass = async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        work(device, 0.5)
        clock.advance(hourMs)
        await rollUp({ app })
      }
    }
    await pass(48)
    clock.set(3 * 365 * dayMs)
    await pass(3)
    const restarted = { ...app, histories: new Histories() }
    await deviceHistory(restarted, device, 'week')
    clock.set(0)
    await rollUp({ app })
    await pass(2)
    const { online, cpu } = await deviceHistory(app, device, 'week')
    expect(online.slice(-53)).toEqual([...Array<number>(47).fill(1), null, null, null, 1, 1, 0])
    expect(cpu.slice(-7, -1)).toEqual([0.5, null, null, null, 0.5, 0.5])
    expect((await deviceHistory(restarted, device, 'week')).cpu.filter((share) => share === 0.5)).toHaveLength(47)
  },
)

test.runIf(isNight)('a disk that grows has the day when it will be full, also after a clean-up', async () => {
  const { app, clock, rows, devices, work } = await openFleet([{ totalMemory: 1 }])
  const { id, ...report } = rows[0]!
  const origin = { connectionId: 'c1', remoteAddress: '', agentMake: '', isOpen: () => true, key: null, ticks: null }
  const useFor = async (days: number, shareOf: (day: number) => number) => {
    for (let hour = 0; hour < days * 24; hour += 6) {
      await app.fleet.report(id, { ...report, drives: [drive('/', shareOf(hour / 24)), drive('/opt', 0.4)] }, origin)
      for (let each = 0; each < 6; each++) {
        work(devices()[0]!, 0.5)
        clock.advance(hourMs)
      }
      await rollUp({ app })
    }
  }
  const daysLeft = () => diskForecasts(app, id).map(({ fullAt }) => fullAt && (fullAt - clock.now()) / dayMs)
  await useFor(6, (day) => 0.5 + day / 100)
  expect(daysLeft()).toEqual([null, null])
  await useFor(14, (day) => 0.56 + day / 100)
  expect(daysLeft()).toEqual([expect.closeTo(30, -1), null])
  expect(Math.abs(daysLeft()[0]! - 30)).toBeLessThan(2)
  // Half of the disk is freed: the trend begins again.
  await useFor(3, (day) => 0.2 + day / 100)
  expect(daysLeft()).toEqual([null, null])
  await useFor(9, (day) => 0.23 + day / 100)
  expect(Math.abs(daysLeft()[0]! - 68)).toBeLessThan(4)
  const { disks } = await deviceHistory(app, devices()[0]!, 'quarter')
  expect(disks).toMatchObject([
    { name: '/', fullAt: expect.any(String) as string },
    { name: '/opt', fullAt: null },
  ])
})

test('an agent has a history after an hour, of which people see the devices that they may read', async () => {
  const clock = manualClock(Date.parse('2026-03-01T10:56:30Z'))
  const server = await useTestServer({ clock, settings: { AppOptions__AgentClockSkewTolerance: '' } })
  const owner = await server.owner()
  const { tenantId: ownTenant } = owner
  const [agent, other] = [await enroll(owner), await enroll(owner)]
  const customer = await owner.customers.create({ tenantId: ownTenant, body: { name: 'Contoso' } })
  await owner.customers.assignDevices({
    tenantId: ownTenant,
    params: { customerId: customer.id },
    body: { deviceIds: [agent.id] },
  })
  const helper = await addMember(server, ownTenant, [{ scopeKind: 'CustomerTenant', scopeId: customer.id }])
  const { UpdateDeviceSigned } = await agent.connect(server.url)
  const report = () => agent.report({ cpuUtilization: 0.4, usedMemory: 1, totalMemory: 4, drives: [drive('/', 0.5)] })
  for (let step = 0; step < 13; step++) {
    expect(await UpdateDeviceSigned(agent.signed(report()))).toMatchObject({ isSuccess: true })
    clock.advance(20_500)
  }
  const of = (member: typeof owner, deviceId: string, range: 'day' | 'week' = 'week') =>
    member.applianceHistory.device({ params: { deviceId }, query: { range } })
  const known = await until(async () => {
    const history = await of(owner, agent.id)
    return history.cpu.at(-2) === null ? undefined : history
  })
  expect(known.cpu.slice(-3)).toEqual([null, 0.4, 0.4])
  expect(known.memory.slice(-2)).toEqual([0.248, 0.25].map((share) => expect.closeTo(share, 2)))
  expect(known.online.slice(-2)).toEqual([1, 1])
  expect(known.disks).toMatchObject([{ name: '/', fullAt: null }])
  expect(known.disks[0]!.used.slice(-3)).toEqual([null, 0.5, 0.5])
  const day = await of(owner, agent.id, 'day')
  expect([day.cpu.length, day.disks[0]!.used.length, day.disks[0]!.used.at(-1)]).toEqual([288, 288, 0.5])

  expect(await of(helper, agent.id)).toEqual(known)
  await expect(of(helper, other.id)).rejects.toMatchObject({ status: 404 })
  const fleetOf = async (member: typeof owner, query: { customerId?: string; tagId?: string } = {}) => {
    const { devices, online } = await member.applianceHistory.fleet({ query: { range: 'week', ...query } })
    return [devices, online.at(-1)]
  }
  expect(await fleetOf(owner)).toEqual([2, 1])
  expect(await fleetOf(owner, { customerId: customer.id })).toEqual([1, 1])
  expect(await fleetOf(owner, { tagId: customer.id })).toEqual([0, null])
  expect(await fleetOf(helper)).toEqual([1, 1])

  await server.restart()
  expect((await of(owner, agent.id)).cpu.at(-2)).toBe(0.4)
  await owner.devices.delete({ params: { deviceId: agent.id } })
  await expect(of(owner, agent.id)).rejects.toMatchObject({ status: 404 })
  await server.whileStopped(async (_, { StoredHistory }) => expect(await StoredHistory.count()).toBe(0))
})
