import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { DeviceRow } from '../../../server/fleet/tables.ts'
import { DeviceList } from '../../../server/fleet/device-list.ts'
import { EncodedLists } from '../../../server/fleet/encoded-devices.ts'
import { EntryChanges } from '../../../server/fleet/entry-changes.ts'
import { entryOf, type FleetEntry } from '../../../server/fleet/device-state.ts'
import { DeviceSearchRequestDto } from '../../../shared/api/devices.ts'
import { TestAgent } from '../../support/agent.ts'
import { buildDevice } from '../../support/factories.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { runs } from '../../support/night.ts'

/** List without cached searches. */
const listOf = (entries: FleetEntry[]) =>
  new DeviceList({ entries, find: () => undefined, changes: new EntryChanges(), encoded: new EncodedLists() })

const table: Partial<DeviceRow>[] = [
  {
    name: 'alpha',
    alias: 'Front Desk',
    osDescription: 'Ubuntu 24.04',
    cpuUtilization: 0.1,
    usedMemory: 8,
    totalMemory: 16,
    usedStorage: 0,
    totalStorage: 100,
    currentUsers: ['ada', 'grace'],
    dnsHostName: 'alpha.example',
  },
  {
    name: 'Beta',
    alias: null,
    osDescription: 'Windows 11',
    cpuUtilization: 0.5,
    usedMemory: 12,
    totalMemory: 16,
    usedStorage: 50,
    totalStorage: 100,
    currentUsers: [],
    dnsHostName: '',
  },
  {
    name: 'gamma_50%',
    alias: null,
    osDescription: 'macOS 15',
    cpuUtilization: 0.9,
    usedMemory: 1,
    totalMemory: 0,
    usedStorage: 90,
    totalStorage: 100,
    currentUsers: ['linus'],
    dnsHostName: 'gamma.example',
  },
  {
    name: 'delta',
    alias: 'back desk',
    osDescription: 'Ubuntu 22.04',
    cpuUtilization: 0,
    usedMemory: 4,
    totalMemory: 16,
    usedStorage: 25,
    totalStorage: 100,
    currentUsers: ['ADA'],
    dnsHostName: 'delta.example',
  },
]

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  const agent = new TestAgent(owner.tenantId)
  const online = { id: agent.id, publicKey: agent.publicKey }
  const rows = table.map((row, index) =>
    buildDevice({ tenantId: owner.tenantId, ...row, ...(row.name === 'Beta' && online) }, index),
  )
  await server.write((models, transaction) => models.Device.bulkCreate(rows, { transaction }))
  const { UpdateDeviceSigned } = await agent.open(server.url, {}, { isShared: true })
  const { alias: _, ...beta } = table[1]!
  await UpdateDeviceSigned(agent.signed({ ...agent.report(), ...beta }))
  await sortDevicesInto(Object.fromEntries(rows.map(({ name, id }) => [name, id])))
})

/** Ids of tags, groups and customers by name. */
const ids: Record<string, string> = {}

/**
 * Assigns devices. alpha: red, blue, both groups, acme. Beta: red, the first group. gamma: only initech. delta: none.
 */
async function sortDevicesInto(device: Record<string, string>) {
  const { tenantId } = owner
  for (const [name, members] of Object.entries({ red: ['alpha', 'Beta'], blue: ['alpha'], idle: [] })) {
    ids[name] = (await owner.tags.create({ tenantId, body: { name } })).id
    for (const member of members) {
      await owner.deviceTags.add({ tenantId, body: { deviceId: device[member]!, tagId: ids[name] } })
    }
  }
  for (const [name, members] of Object.entries({ first: ['alpha', 'Beta'], second: ['alpha'] })) {
    ids[name] = (await owner.deviceGroups.create({ tenantId, body: { name } })).id
    const deviceIds = members.map((member) => device[member]!)
    await owner.deviceGroups.addMembers({ tenantId, params: { deviceGroupId: ids[name] }, body: { deviceIds } })
  }
  for (const [name, member] of Object.entries({ acme: 'alpha', initech: 'gamma_50%' })) {
    ids[name] = (await owner.customers.create({ tenantId, body: { name } })).id
    const body = { deviceIds: [device[member]!] }
    await owner.customers.assignDevices({ tenantId, params: { customerId: ids[name] }, body })
  }
}

const search = (body: object) => owner.devices.search({ body: { pageSize: 100, ...body } })
const names = async (body: object) => (await search(body)).items.map(({ name }) => name)
const filter = (propertyName: string, operator: string, value?: string | number | boolean | null) =>
  names({ filterDefinitions: [{ propertyName, operator, value }] })
const everything = ['alpha', 'Beta', 'gamma_50%', 'delta']

describe('the search text is matched with name, alias, host name and users:', () => {
  test.each([
    ['', everything],
    ['  ', everything],
    ['ALPHA', ['alpha']],
    ['desk', ['alpha', 'delta']],
    ['gamma.ex', ['gamma_50%']],
    ['ada, gra', ['alpha']],
    ['ada', ['alpha', 'delta']],
    ['%', ['gamma_50%']],
    ['_', ['gamma_50%']],
    ['ubuntu', []],
    ['.*', []],
  ])('%j', async (searchText, expected) => {
    expect(await names({ searchText })).toEqual(expected)
  })
})

describe('column filters', () => {
  test.each<[string, string, string | number | boolean | null | undefined, string[]]>([
    ['Name', 'contains', 'A', everything],
    ['Name', 'contains', 'LPH', ['alpha']],
    ['Name', 'not contains', 'lph', ['Beta', 'gamma_50%', 'delta']],
    ['Name', 'equals', 'beta', ['Beta']],
    ['Name', 'not equals', 'beta', ['alpha', 'gamma_50%', 'delta']],
    ['Name', 'starts with', 'GAM', ['gamma_50%']],
    ['Name', 'ends with', 'TA', ['Beta', 'delta']],
    ['Alias', 'is empty', undefined, ['Beta', 'gamma_50%']],
    ['Alias', 'is not empty', null, ['alpha', 'delta']],
    ['OsDescription', 'starts with', 'ubuntu', ['alpha', 'delta']],
    ['ConnectionId', 'is empty', '', ['alpha', 'gamma_50%', 'delta']],
    ['IsOnline', 'is', 'True', ['Beta']],
    ['IsOnline', 'is', 'false', ['alpha', 'gamma_50%', 'delta']],
    ['IsOnline', 'is', true, ['Beta']],
    ['CpuUtilization', '>=', 0.5, ['Beta', 'gamma_50%']],
    ['CpuUtilization', '=', '0.5', ['Beta']],
    ['CpuUtilization', '!=', '0.5', ['alpha', 'gamma_50%', 'delta']],
    ['CpuUtilization', '>', '0.5', ['gamma_50%']],
    ['CpuUtilization', '>=', ' 5e-1 ', ['Beta', 'gamma_50%']],
    ['CpuUtilization', '<', '0.1', ['delta']],
    ['CpuUtilization', '<=', '0.1', ['alpha', 'delta']],
    ['CpuUtilization', 'is empty', undefined, ['delta']],
    ['CpuUtilization', 'is not empty', undefined, ['alpha', 'Beta', 'gamma_50%']],
    ['UsedMemoryPercent', '>=', '0.5', ['alpha', 'Beta']],
    ['UsedMemoryPercent', 'is empty', undefined, ['gamma_50%']],
    ['UsedStoragePercent', '<', '0.5', ['alpha', 'delta']],
    ['UsedStoragePercent', '=', '0.9', ['gamma_50%']],
  ])('%s %s %j', async (property, operator, value, expected) => {
    expect(await filter(property, operator, value)).toEqual(expected)
  })

  test.each<[string, string, string | null | undefined]>([
    ['name', 'equals', 'alpha'],
    ['PublicKey', 'is not empty', ''],
    ['__proto__', 'contains', 'x'],
    ['constructor', 'is empty', ''],
    ['Name', 'matches', 'alpha'],
    ['Name', 'toString', 'alpha'],
    ['Name', '=', 'alpha'],
    ['CpuUtilization', 'contains', '0'],
    ['CpuUtilization', '=', 'much'],
    ['CpuUtilization', '>', ''],
    ['CpuUtilization', '>', null],
    ['IsOnline', 'is', 'yes'],
    ['IsOnline', 'is not', 'true'],
  ])('%s %s %j filters nothing', async (property, operator, value) => {
    expect(await filter(property, operator, value)).toEqual(everything)
  })

  test('must all match', async () => {
    const filterDefinitions = [
      { propertyName: 'Name', operator: 'ends with', value: 'ta' },
      { propertyName: 'CpuUtilization', operator: '>', value: '0.2' },
    ]
    expect(await names({ filterDefinitions })).toEqual(['Beta'])
  })
})

describe('order', () => {
  const sorted = (...sortDefinitions: object[]) => names({ sortDefinitions })
  const by = (propertyName: string, descending = false, sortOrder = 0) => ({ propertyName, descending, sortOrder })

  test.each([
    ['Name', ['alpha', 'Beta', 'delta', 'gamma_50%']],
    ['CpuUtilization', ['delta', 'alpha', 'Beta', 'gamma_50%']],
    ['UsedMemoryPercent', ['gamma_50%', 'delta', 'alpha', 'Beta']],
    ['UsedStoragePercent', ['alpha', 'delta', 'Beta', 'gamma_50%']],
  ])('by %s, both ways', async (property, expected) => {
    expect(await sorted(by(property))).toEqual(expected)
    expect(await sorted(by(property, true))).toEqual(expected.toReversed())
  })

  test('is by several columns in order, stable for equal values, and ignores unknown columns', async () => {
    expect(await sorted(by('IsOnline', true))).toEqual(['Beta', 'alpha', 'gamma_50%', 'delta'])
    expect(await sorted(by('Name', true, 2), by('IsOnline', true, 1))).toEqual(['Beta', 'gamma_50%', 'delta', 'alpha'])
    expect(await sorted(by('PublicKey'), by('constructor'))).toEqual(everything)
  })
})

test('pages follow each other and end; counts are of all pages', async () => {
  const counts = { taggedDevices: 2, untaggedDevices: 2, onlineDevices: 1, offlineDevices: 3 }
  const page = async (index: number) => {
    const { items, totalItems, filterCounts, anyDevicesForUser } = await search({ page: index, pageSize: 3 })
    expect([totalItems, filterCounts, anyDevicesForUser]).toEqual([4, counts, true])
    return items.map(({ name }) => name)
  }
  expect([await page(0), await page(1), await page(2), await page(2 ** 52)]).toEqual([
    everything.slice(0, 3),
    ['delta'],
    [],
    [],
  ])
})

test('offline devices can be left out of the page and its counts', async () => {
  const { items, filterCounts } = await search({ hideOfflineDevices: true })
  expect(items.map(({ name }) => name)).toEqual(['Beta'])
  expect(filterCounts).toEqual({ taggedDevices: 1, untaggedDevices: 0, onlineDevices: 1, offlineDevices: 0 })
})

describe('devices are found by what they belong to:', () => {
  const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
  const untagged = ['gamma_50%', 'delta']

  test.each<[string, { tags?: string[]; [other: string]: unknown }, string[]]>([
    ['any of some tags', { tags: ['red', 'blue'] }, ['alpha', 'Beta']],
    ['all of some tags', { tags: ['red', 'blue'], tagFilterMatchMode: 'all' }, ['alpha']],
    ['all of some tags, one of which nobody has', { tags: ['red', 'idle'], tagFilterMatchMode: 1 }, []],
    ['tags and untagged', { tags: ['blue'], includeUntaggedDevices: true }, ['alpha', ...untagged]],
    ['no tags but untagged', { tags: [], includeUntaggedDevices: true }, untagged],
    ['no tags', { tags: [] }, everything],
    ['only untagged', { tags: ['red'], showOnlyUntaggedDevices: true }, untagged],
    ['only untagged, and them, too', { showOnlyUntaggedDevices: true, includeUntaggedDevices: true }, untagged],
    ['tags and a text', { tags: ['red'], searchText: 'bet' }, ['Beta']],
  ])('%s', async (_, { tags, ...body }, expected) => {
    const { items, totalItems, filterCounts } = await search({
      ...body,
      ...(tags && { tagIds: tags.map((t) => ids[t]) }),
    })
    expect(items.map(({ name }) => name)).toEqual(expected)
    const taggedDevices = expected.filter((name) => !untagged.includes(name)).length
    expect([totalItems, filterCounts]).toMatchObject([
      expected.length,
      { taggedDevices, untaggedDevices: expected.length - taggedDevices },
    ])
  })

  test('an unknown tag, group or customer finds none', async () => {
    expect(await names({ tagIds: [unknownId] })).toEqual([])
    expect(await names({ tagIds: [unknownId], includeUntaggedDevices: true })).toEqual(untagged)
    expect(await names({ deviceGroupIds: [unknownId] })).toEqual([])
    expect(await names({ customerIds: [unknownId] })).toEqual([])
  })

  test('any, all or none of some groups', async () => {
    const both = [ids['first']!.toUpperCase(), ids['second']]
    expect(await names({ deviceGroupIds: both })).toEqual(['alpha', 'Beta'])
    expect(await names({ deviceGroupIds: both, deviceGroupFilterMatchMode: 'All' })).toEqual(['alpha'])
    expect(await names({ deviceGroupIds: [] })).toEqual(everything)
    expect(await names({ deviceGroupIds: both, showOnlyUngroupedDevices: true })).toEqual(untagged)
  })

  test('any of some customers; and all filters together', async () => {
    const customerIds = [ids['acme'], ids['initech']]
    expect(await names({ customerIds })).toEqual(['alpha', 'gamma_50%'])
    expect(await names({ customerIds: [] })).toEqual(everything)
    const together = { customerIds, deviceGroupIds: [ids['first']], tagIds: [ids['blue']] }
    expect(await names(together)).toEqual(['alpha'])
    expect(await names({ ...together, tagIds: [ids['idle']] })).toEqual([])
  })

  test('untagged devices that only the tag filter leaves out are counted', async () => {
    const device = (tagIds: string[], name = 'desk') => ({
      ...buildDevice({ tenantId: unknownId, name }),
      customerName: null,
      groupIds: [],
      tagIds,
      connectionId: '',
    })
    const fleet = [device(['red']), device(['blue']), device([]), device([]), device([], 'other')]
    const hidden = async (body: object) => {
      const request = { ...DeviceSearchRequestDto.parse({ pageSize: 1, searchText: 'desk' }), ...body }
      return (await listOf(fleet.map(entryOf)).search(request)).hiddenUntaggedDevices
    }
    expect(await hidden({ tagIds: ['red'] })).toBe(2)
    expect(await hidden({ tagIds: ['red'], includeUntaggedDevices: true })).toBe(0)
    expect(await hidden({})).toBe(0)
    expect(await hidden({ showOnlyUntaggedDevices: true })).toBe(0)
  })
})

test.each([
  { pageSize: 0 },
  { pageSize: -1 },
  { pageSize: 1.5 },
  { page: -1 },
  { tagIds: ['red'] },
  { customerIds: 'all' },
  { deviceGroupIds: [null] },
  { tagFilterMatchMode: 'Some' },
])('%j is refused', async (body) => {
  await expect(search(body)).rejects.toMatchObject({ status: 400 })
})

test('every random search answers devices that exist', async () => {
  const word = fc.oneof(
    fc.constantFrom(
      'Name',
      'Alias',
      'IsOnline',
      'CpuUtilization',
      'UsedMemoryPercent',
      'contains',
      'is',
      'is empty',
      '=',
      '<',
    ),
    fc.string({ unit: 'grapheme' }),
  )
  const value = fc.option(fc.oneof(word, fc.double().map(String)), { nil: null })
  const request = fc.record({
    searchText: value,
    tagIds: fc.option(fc.subarray([ids['red'], ids['blue'], ids['idle']]), { nil: null }),
    tagFilterMatchMode: fc.constantFrom('Any', 'All'),
    includeUntaggedDevices: fc.boolean(),
    showOnlyUngroupedDevices: fc.boolean(),
    filterDefinitions: fc.array(fc.record({ propertyName: word, operator: word, value }), { maxLength: 4 }),
    sortDefinitions: fc.array(fc.record({ propertyName: word, descending: fc.boolean(), sortOrder: fc.integer() }), {
      maxLength: 3,
    }),
    page: fc.nat(),
    pageSize: fc.integer({ min: 1 }),
  })
  await fc.assert(
    fc.asyncProperty(request, async (body) => {
      const { items, totalItems } = await search(body)
      expect(items.length).toBeLessThanOrEqual(Math.min(totalItems, body.pageSize))
      expect(everything).toEqual(expect.arrayContaining(items.map(({ name }) => name)))
    }),
    { numRuns: runs(60) },
  )
})

test('an answer names the filters and sorts that were ignored, in a header', async () => {
  const ignoredBy = async (body: object) => {
    const response = await owner.fetch('/api/v1/devices/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pageSize: 1, ...body }),
    })
    expect(response.status).toBe(200)
    return response.headers.get('x-ignored')
  }
  const name = { propertyName: 'Name', operator: 'contains', value: 'a' }
  expect(
    await ignoredBy({
      filterDefinitions: [
        { ...name, propertyName: 'name' },
        name,
        { ...name, operator: null },
        { propertyName: 'Gr\u00f6\u00dfe' },
      ],
      sortDefinitions: [{ propertyName: 'Name' }, { propertyName: 'Age' }],
    }),
  ).toBe('filter name, filter Name, filter Gr%C3%B6%C3%9Fe, sort Age')
  expect(await ignoredBy({ filterDefinitions: [name] })).toBeNull()
})
