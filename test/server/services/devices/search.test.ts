import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../server/clock.ts'
import { openDatabase } from '../../../../server/database.ts'
import { createLog } from '../../../../server/log.ts'
import { migrations } from '../../../../server/migrations/index.ts'
import type { DeviceState } from '../../../../server/models/device.ts'
import { searchDevices } from '../../../../server/services/devices/search.ts'
import { entryOf, Fleet } from '../../../../server/memory/fleet/fleet.ts'
import { DeviceSearchRequestDto } from '../../../../shared/api/devices.ts'
import { buildDevice } from '../../../support/factories.ts'
import { temporaryFolder } from '../../../support/server-process.ts'

const devices = Array.from({ length: 6 }, (_, index) =>
  buildDevice({ tenantId: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', name: `desk-${index}` }),
)
const wantedTag = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const word = fc.constantFrom('ada', 'Desk', 'back', 'Ubuntu', 'x')

const members: { [Member in keyof DeviceState]?: fc.Arbitrary<DeviceState[Member]> } = {
  name: word,
  alias: fc.option(word, { nil: null }),
  currentUsers: fc.array(word, { maxLength: 2 }),
  dnsHostName: word,
  osDescription: word,
  agentVersion: word,
  cpuUtilization: fc.double({ min: 0, max: 1, noNaN: true }),
  connectionId: fc.constantFrom('', 'c1'),
  tagIds: fc.subarray([wantedTag, 'other']),
}

/** What may happen to a device while others search: it comes, goes, or reports something else. */
const event = fc.record({
  device: fc.constantFrom(...devices),
  happens: fc.oneof(
    fc.constantFrom('comes' as const, 'goes' as const),
    // One at a time, because a new name drops whatever the others should have dropped.
    ...Object.entries(members).map(([name, value]) => fc.record({ [name]: value as fc.Arbitrary<unknown> })),
  ),
})

const columns = ['Name', 'OsDescription', 'AgentVersion', 'IsOnline', 'CpuUtilization', 'LastSeen']
const request = fc
  .record({
    page: fc.nat(2),
    pageSize: fc.integer({ min: 1, max: 3 }),
    searchText: fc.option(word, { nil: null }),
    hideOfflineDevices: fc.boolean(),
    tagIds: fc.subarray([wantedTag]),
    includeUntaggedDevices: fc.boolean(),
    sortDefinitions: fc.array(
      fc.record({ propertyName: fc.constantFrom(...columns), descending: fc.boolean(), sortOrder: fc.nat(3) }),
      { maxLength: 2 },
    ),
  })
  .map((body) => DeviceSearchRequestDto.parse(body))

test('what is kept of earlier searches is never seen: each finds what a first one would', async () => {
  const directory = await temporaryFolder()
  const database = await openDatabase({ directory, migrations, appVersion: '1.0.0', log: createLog('silent') })
  onTestFinished(() => database.close())
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 3, maxLength: 3 }),
      fc.array(event, { maxLength: 30 }),
      (requests, events) => {
        const fleet = new Fleet(database, systemClock)
        devices.slice(0, 4).forEach((device) => fleet.put(device))
        for (const { device, happens } of events) {
          if (happens === 'goes') {
            fleet.remove(device.id)
          } else if (happens === 'comes') {
            fleet.put(device)
          } else {
            fleet.change(device.id, happens)
          }
          const anew = fleet.entries.map((entry) => entryOf(entry.device))
          for (const asked of requests) {
            expect(searchDevices(fleet.entries, asked, fleet.stateVersion)).toEqual(searchDevices(anew, asked, 0))
          }
        }
      },
    ),
    { numRuns: 200 },
  )
})
