import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { simulatedReport } from '../../../tools/simulate/facts.ts'
import { DeviceList } from '../../../server/fleet/device-list.ts'
import { EncodedLists } from '../../../server/fleet/encoded-devices.ts'
import { EntryChanges } from '../../../server/fleet/entry-changes.ts'
import { entryOf, type FleetEntry } from '../../../server/fleet/device-state.ts'
import type { DeviceReport, DeviceRow } from '../../../server/fleet/tables.ts'
import { DeviceSearchRequestDto } from '../../../shared/api/devices.ts'
import { buildDevice } from '../../support/factories.ts'
import { openTestMemory, tenantId } from '../../support/memory.ts'
import { runs } from '../../support/night.ts'

/** A list without cached searches. */
const listOf = (entries: FleetEntry[]) =>
  new DeviceList({ entries, find: () => undefined, changes: new EntryChanges(), encoded: new EncodedLists() })

/** Entry of a row that has nothing but its report. */
const entryAs = (row: DeviceRow) => entryOf({ ...row, customerName: null, groupIds: [], tagIds: [], connectionId: '' })

const devices = Array.from({ length: 6 }, (_, index) => buildDevice({ tenantId, name: `desk-${index}` }))
const wantedTag = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const otherTag = '3f2504e0-4f89-41d3-9a0c-0305e82c3302'
const word = fc.constantFrom('ada', 'Desk', 'back', 'Ubuntu', 'x')

const address = fc.constantFrom('10.0.0.1', '10.0.0.2')

/** Changes one member at a time, because a new name would hide missing invalidations of the other members. */
const reported: fc.Arbitrary<Partial<DeviceReport>> = fc.oneof(
  fc.record({ name: word }),
  fc.record({ currentUsers: fc.array(word, { maxLength: 2 }) }),
  fc.record({ dnsHostName: word }),
  fc.record({ localIpV4: address }),
  fc.record({ macAddresses: fc.subarray(['0A1B2C3D4E5F']) }),
  fc.record({ osDescription: word }),
  fc.record({ agentVersion: word }),
  fc.record({ cpuUtilization: fc.double({ min: 0, max: 1, noNaN: true }) }),
)

/** Possible changes of a device during a search. */
const event = fc.record({
  device: fc.constantFrom(...devices),
  happens: fc.oneof(
    fc.constantFrom('comes' as const, 'goes' as const, 'leaves' as const),
    fc.record({ alias: fc.option(word, { nil: null }) }),
    fc.record({ tagIds: fc.subarray([wantedTag, otherTag]) }),
    fc.record({ reported }),
  ),
})
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

const columns = [
  'Name',
  'OsDescription',
  'AgentVersion',
  'IsOnline',
  'CpuUtilization',
  'LastSeen',
  'CurrentUsers',
  'LocalIpV4',
]
const request = fc
  .record({
    page: fc.nat(2),
    pageSize: fc.integer({ min: 1, max: 3 }),
    searchText: fc.option(fc.oneof(word, address, fc.constant('0a:1b')), { nil: null }),
    hideOfflineDevices: fc.boolean(),
    tagIds: fc.subarray([wantedTag]),
    includeUntaggedDevices: fc.boolean(),
    sortDefinitions: fc.array(
      fc.record({ propertyName: fc.constantFrom(...columns), descending: fc.boolean(), sortOrder: fc.nat(3) }),
      { maxLength: 2 },
    ),
  })
  .map((body) => DeviceSearchRequestDto.parse(body))

const isOpen = () => true

test('a search finds the same with and without cached results of earlier searches', { timeout: 60_000 }, async () => {
  const { memory, database, models, differences, close } = await openTestMemory({
    fill: (tables, transaction) =>
      tables.Tag.bulkCreate(
        [wantedTag, otherTag].map((id) => ({ id, tenantId, name: id, type: 'Permission' as const, createdAt: 0 })),
        { transaction },
      ),
  })
  onTestFinished(close)
  const { fleet } = memory

  const make = async ({ device: { id, ...row }, happens }: Event) => {
    const isThere = fleet.get(id) !== undefined
    if (happens === 'leaves') {
      await fleet.disconnect(id, 'c1')
    } else if (happens === 'comes') {
      await database.write(async (transaction) => {
        await (isThere || models.Device.create({ id, ...row }, { transaction }))
      })
    } else if (happens === 'goes') {
      await database.write((transaction) => models.Device.destroy({ where: { id }, transaction }))
    } else if ('alias' in happens) {
      await database.write((transaction) => models.Device.update(happens, { where: { id }, transaction }))
    } else if ('tagIds' in happens && isThere) {
      await database.write(async (transaction) => {
        await models.DeviceTag.destroy({ where: { deviceId: id }, transaction })
        const links = happens.tagIds.map((tagId) => ({ deviceId: id, tagId }))
        await models.DeviceTag.bulkCreate(links, { transaction })
      })
    } else if ('reported' in happens) {
      const { publicKey: key } = row
      const report = { ...simulatedReport(1), ...happens.reported }
      await fleet.report(id, report, { connectionId: 'c1', remoteAddress: '', agentMake: '', key, ticks: null, isOpen })
    }
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 3, maxLength: 3 }),
      fc.array(event, { maxLength: 20 }),
      async (requests, events) => {
        for (const one of events) {
          await make(one)
          const anew = listOf(fleet.all.map(entryOf))
          for (const asked of requests) {
            expect(await fleet.all.search(asked)).toEqual(await anew.search(asked))
          }
        }
      },
    ),
    { numRuns: runs(30) },
  )
  expect(await differences()).toEqual([])
})

test.each([
  ['müller', 'MÜLLER-mac'.normalize('NFD')],
  ['경기', '경기-1'.normalize('NFD')],
  ['pc-1', 'ＰＣ－１'],
  ['ＰＣ', 'pc-1'],
  ['strasse', 'Hauptstraße'],
  ['ΟΔΟΣ', 'οδος'],
])('the text %s finds the name %s', async (searchText, name) => {
  const list = listOf([buildDevice({ tenantId, name }), buildDevice({ tenantId, name: 'other' })].map(entryAs))
  const filter = { propertyName: 'Name', operator: 'contains', value: searchText }
  for (const wanted of [{ searchText }, { filterDefinitions: [filter] }]) {
    const { items } = await list.search(DeviceSearchRequestDto.parse({ page: 0, pageSize: 9, ...wanted }))
    expect(items.map((device) => device.name)).toEqual([name])
  }
})
