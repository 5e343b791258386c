import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryOf, type DeviceState, type FleetEntry } from '../../../server/fleet/device-state.ts'
import { EntryChanges, ListedEntries } from '../../../server/fleet/entry-changes.ts'
import { DeviceIndex } from '../../../server/fleet/search-index.ts'
import { sortColumns, type Sort } from '../../../server/fleet/sort-columns.ts'
import { buildDevice } from '../../support/factories.ts'
import { runs } from '../../support/night.ts'

type Entry = { -readonly [Member in keyof FleetEntry]: FleetEntry[Member] }

const device: DeviceState = {
  ...buildDevice({ tenantId: crypto.randomUUID() }),
  customerName: null,
  groupIds: [],
  tagIds: [],
  connectionId: '',
}

/** More than are sorted at once. */
const count = 2_500

/** A fleet whose devices share few values, so that the order of equal devices matters. */
function fleetOf(seed: number) {
  const changes = new EntryChanges()
  let state = seed
  const next = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  const values = () => ({
    cpuUtilization: next(20) / 20,
    dnsHostName: `host-${next(5)}`,
    connectionId: next(2) === 0 ? '' : 'c',
    lastSeen: next(100),
  })
  const entries: Entry[] = Array.from({ length: count }, () => entryOf({ ...device, ...values() }))
  return {
    entries,
    index: new DeviceIndex(new ListedEntries(entries, changes)),
    report(times: number) {
      for (let n = 0; n < times; n++) {
        const entry = entries[next(count)]!
        Object.assign(entry, entryOf({ ...entry.device, ...values() }))
        changes.note(entry, false)
      }
    },
  }
}

/** Positions by a full sort. */
function sorted(entries: readonly Entry[], sorts: readonly Sort[]): number[] {
  const keys = sorts.map(({ column }) => entries.map(sortColumns[column]!))
  return [...entries.keys()].sort((a, b) => {
    for (const [n, { direction }] of sorts.entries()) {
      const [left, right] = [keys[n]![a]!, keys[n]![b]!]
      if (left !== right) {
        return left < right ? -direction : direction
      }
    }
    return a - b
  })
}

const sort = fc.record({
  column: fc.constantFrom('CpuUtilization', 'DnsHostName', 'IsOnline', 'LastSeen'),
  direction: fc.constantFrom(1 as const, -1 as const),
})
const sorts = fc.uniqueArray(sort, { minLength: 1, maxLength: 3, selector: ({ column }) => column })
/** More reports than are kept make the index read all devices again. */
const reports = fc.array(fc.constantFrom(0, 1, 40, 1_500, 5_000), { minLength: 1, maxLength: 4 })

test('an order that follows the reports of devices is the same as a full sort', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1_000_000),
      fc.array(sorts, { minLength: 1, maxLength: 3 }),
      reports,
      async (seed, orders, times) => {
        const { entries, index, report } = fleetOf(seed)
        for (const each of times) {
          for (const order of orders) {
            const made = index.order(order)
            // Devices report while the first order is being made, too.
            report(each)
            expect([...(await made)()]).toEqual(sorted(entries, order))
          }
          const online = entries.filter(({ isOnline }) => isOnline).length
          expect(index.counts).toEqual({ online, tagged: 0 })
        }
      },
    ),
    { numRuns: runs(20) },
  )
})

test('an index keeps following an order after many others were asked for', async () => {
  const { entries, index, report } = fleetOf(7)
  const columns = ['CpuUtilization', 'DnsHostName', 'IsOnline', 'LastSeen', 'Name']
  const orders = columns.flatMap((first) =>
    columns
      .filter((second) => second !== first)
      .map((second): Sort[] => [
        { column: first, direction: 1 },
        { column: second, direction: -1 },
      ]),
  )
  for (const order of [...orders, ...orders.slice(0, 3)]) {
    report(10)
    expect([...(await index.order(order))()]).toEqual(sorted(entries, order))
  }
})
