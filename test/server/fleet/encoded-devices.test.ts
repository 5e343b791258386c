import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeviceList } from '../../../server/fleet/device-list.ts'
import { entryOf, type DeviceState, type FleetEntry } from '../../../server/fleet/device-state.ts'
import { EncodedLists } from '../../../server/fleet/encoded-devices.ts'
import { EntryChanges } from '../../../server/fleet/entry-changes.ts'
import { devicePresenter, presentDeviceSummary } from '../../../server/fleet/present-device.ts'
import { buildDevice } from '../../support/factories.ts'
import { runs } from '../../support/night.ts'

type Entry = { -readonly [Member in keyof FleetEntry]: FleetEntry[Member] }

const tenantId = crypto.randomUUID()

function fleetOf(count: number) {
  const changes = new EntryChanges()
  const entries: Entry[] = Array.from({ length: count }, (_, index) =>
    entryOf({
      ...buildDevice({ tenantId, name: `café ${index}` }),
      customerName: null,
      groupIds: [],
      tagIds: [],
      connectionId: '',
    }),
  )
  const view = { entries, changes, encoded: new EncodedLists(), find: () => undefined }
  return {
    entries,
    view,
    list: new DeviceList(view),
    change(position: number, change: Partial<DeviceState>) {
      const entry = entries[position]!
      Object.assign(entry, entryOf({ ...entry.device, ...change }))
      changes.note(entry, false)
    },
  }
}

const textOf = async (encoded: { parts(): Promise<readonly Buffer[]> }) =>
  Buffer.concat(await encoded.parts()).toString()

test('an encoded list is the JSON of its devices as they are now', async () => {
  const change = fc.record({ position: fc.nat(199), alias: fc.string() })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1, 63, 64, 65, 200),
      fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 4 }),
      async (count, rounds) => {
        const { entries, list, change: set } = fleetOf(count)
        for (const changes of [[], ...rounds]) {
          changes.filter(({ position }) => position < count).forEach(({ position, alias }) => set(position, { alias }))
          const devices = entries.map((entry) => entry.device)
          for (const present of [devicePresenter('1.0.0'), devicePresenter('2.0.0'), presentDeviceSummary]) {
            expect(await textOf(list.encoded<object>(present))).toBe(JSON.stringify(devices.map(present)))
          }
        }
      },
    ),
    { numRuns: runs(30) },
  )
})

test('a list of a scope follows the changes of its own devices', async () => {
  const { entries, view, change } = fleetOf(150)
  const scope = new DeviceList(view, ({ id }) => entries.findIndex(({ device }) => device.id === id) % 2 === 1)
  const json = () => JSON.stringify([...scope].map(presentDeviceSummary))
  expect(await textOf(scope.encoded(presentDeviceSummary))).toBe(json())
  change(10, { agentVersion: '7' })
  change(11, { agentVersion: '8' })
  const text = await textOf(scope.encoded(presentDeviceSummary))
  expect(text).toBe(json())
  expect(text).toContain('"agentVersion":"8"')
  expect(text).not.toContain('"agentVersion":"7"')
})

test('parts that a slow client still reads stay as they were', async () => {
  const { list, change } = fleetOf(100)
  const parts = await list.encoded(presentDeviceSummary).parts()
  const before = Buffer.concat(parts).toString()
  change(5, { agentVersion: '9' })
  await list.encoded(presentDeviceSummary).parts()
  expect(Buffer.concat(parts).toString()).toBe(before)
})

test('lists over the limit of memory drop the parts of the list that was not read for longest', async () => {
  const lists = new EncodedLists()
  const dropped: string[] = []
  const named = (name: string) => ({ drop: () => dropped.push(name) })
  const [a, b, c] = ['a', 'b', 'c'].map(named) as unknown as Parameters<EncodedLists['used']>[0][]
  const megabytes = 1024 * 1024
  lists.used(a!, 20 * megabytes)
  lists.used(b!, 10 * megabytes)
  lists.used(a!, 20 * megabytes)
  expect(dropped).toEqual([])
  lists.used(c!, 5 * megabytes)
  expect(dropped).toEqual(['b'])
  lists.used(b!, 40 * megabytes)
  expect(dropped).toEqual(['b', 'a', 'c'])
})
