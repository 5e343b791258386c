import { beforeAll, describe, expect, test } from 'vitest'
import { buildDevice } from '../../support/factories.ts'
import { addMember, addTenantAccount } from '../../support/people.ts'
import { ownerForFile, serverForFile, Visitor, type Member } from '../../support/server.ts'

let tenantId: string
/** Reads two devices, and no groups. */
let technician: Member
/** Reads one device without its overview. */
let reader: Member
let ids: Record<'web' | 'db' | 'mac' | 'bare', string>

/** Reports nothing that a text could be found in. */
const silent = {
  currentUsers: [],
  dnsHostName: '',
  localIpV4: '',
  localIpV6: '',
  publicIpV4: '',
  publicIpV6: '',
  macAddresses: [],
}

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  const rows = [
    {
      name: 'web',
      localIpV4: '10.0.4.17',
      macAddresses: ['0A1B2C3D4E5F'],
      usedStorage: 95,
      totalStorage: 100,
      platform: 2,
      osDescription: 'Debian 13',
      agentVersion: '1.2.0.0',
    },
    {
      name: 'db',
      localIpV4: '10.0.40.1',
      publicIpV6: '2001:db8::7',
      usedStorage: 50,
      totalStorage: 100,
      platform: 2,
      osDescription: 'Ubuntu 24.04',
      agentVersion: '1.2.0.1',
    },
    {
      name: 'mac',
      usedStorage: 10,
      totalStorage: 100,
      platform: 3,
      osDescription: 'macOS 15',
      agentVersion: '1.3.0.0',
    },
    {
      name: 'bare',
      usedStorage: 0,
      totalStorage: 0,
      platform: 1,
      osDescription: 'Windows 11',
      agentVersion: '1.3.0.0',
    },
  ].map((changes, index) => buildDevice({ tenantId, ...silent, ...changes } as never, index))
  await server.write((models, transaction) => models.Device.bulkCreate(rows, { transaction }))
  ids = Object.fromEntries(rows.map(({ name, id }) => [name, id])) as typeof ids
  const device = (name: keyof typeof ids) => ({ scopeKind: 'Device', scopeId: ids[name] }) as const
  technician = await addMember(server, tenantId, [
    { permissionName: 'device.read', ...device('web') },
    { permissionName: 'device.overview.read', ...device('web') },
    { permissionName: 'device.alias.write', ...device('web') },
    { permissionName: 'device.read', ...device('db') },
  ])
  reader = await addMember(server, tenantId, [{ permissionName: 'device.read', ...device('web') }])

  const tag = async (name: string, ...deviceIds: string[]) => {
    const { id: tagId } = await owner.tags.create({ tenantId, body: { name } })
    for (const deviceId of deviceIds) {
      await owner.deviceTags.add({ tenantId, body: { deviceId, tagId } })
    }
  }
  await tag('prod', ids.web, ids.db)
  await tag('front', ids.web)
  const contoso = await owner.customers.create({ tenantId, body: { name: 'Contoso Ltd' } })
  const params = { customerId: contoso.id }
  await owner.customers.assignDevices({ tenantId, params, body: { deviceIds: [ids.web, ids.mac] } })
  const group = await owner.deviceGroups.create({ tenantId, body: { name: 'Servers' } })
  const members = { deviceIds: [ids.web, ids.db] }
  await owner.deviceGroups.addMembers({ tenantId, params: { deviceGroupId: group.id }, body: members })
})

const find = (by: Member, query: string) =>
  by.applianceDeviceSearch.find({
    body: { query, sortDefinitions: [{ propertyName: 'Name' }], page: 0, pageSize: 50 },
  })
const namesOf = async (by: Member, query: string) => (await find(by, query)).items.map(({ name }) => name)

describe('a typed search', () => {
  test.each([
    ['', ['bare', 'db', 'mac', 'web']],
    ['tag:prod', ['db', 'web']],
    ['tag:PROD tag:front', ['web']],
    ['tag:front,prod', ['db', 'web']],
    ['-tag:front', ['bare', 'db', 'mac']],
    ['tag:none', ['bare', 'mac']],
    ['customer:"contoso ltd"', ['mac', 'web']],
    ['customer:none', ['bare', 'db']],
    ['group:Servers system:linux disk:>90', ['web']],
    ['system:windows,macos', ['bare', 'mac']],
    ['system:ubuntu', ['db']],
    ['version:1.2', ['db', 'web']],
    ['disk:<=50', ['bare', 'db', 'mac']],
    ['is:online', []],
    ['is:offline mac', ['mac']],
    ['customer:"Contoso Ltd" we', ['web']],
    ['customer:"Ｃｏｎｔｏｓｏ ltd"', ['mac', 'web']],
    ['10.0.4', ['db', 'web']],
    ['10.0.4.17', ['web']],
    ['2001:DB8:', ['db']],
    ['ip:10.0.4', ['web']],
    ['ip:10.0.4.17,2001:db8', ['db', 'web']],
    ['-ip:10.0', ['bare', 'mac']],
    ['0a:1b:2c', ['web']],
    ['1b-2c-3d', ['web']],
    ['2c3d4e', ['web']],
    ['mac:3d4e.5f', ['web']],
    ['4e', []],
  ])('%s finds %s', async (query, expected) => {
    expect(await find(owner, query)).toMatchObject({ totalItems: expected.length, problems: [] })
    expect(await namesOf(owner, query)).toEqual(expected)
  })

  test('finds nothing by an unknown term, and returns the reason', async () => {
    const problemsOf = async (by: Member, query: string) => {
      const { totalItems, problems } = await find(by, query)
      expect(totalItems).toBe(0)
      return problems
    }
    expect(await problemsOf(owner, 'tag:nothing disk:much note:ab mac:desk')).toEqual([
      { field: 'tag', value: 'nothing', reason: 'unknown' },
      { field: 'disk', value: 'much', reason: 'unreadable' },
      { field: 'note', value: 'ab', reason: 'too-short' },
      { field: 'mac', value: 'desk', reason: 'unreadable' },
    ])
    expect(await problemsOf(technician, 'group:Servers')).toMatchObject([{ reason: 'not-permitted' }])
    expect(await problemsOf(owner, Array.from({ length: 21 }, () => 'is:online').join(' '))).toMatchObject([
      { reason: 'too-many' },
    ])
  })

  test('sees only what the caller may read', async () => {
    expect(await namesOf(technician, 'customer:none')).toEqual(['db'])
    const { group, tag, customer, total } = await technician.applianceDeviceSearch.facets({ body: { query: '' } })
    expect({ group, total }).toEqual({ group: null, total: 2 })
    expect(tag.map(({ value, count }) => [value, count])).toEqual([
      ['prod', 2],
      ['front', 1],
    ])
    expect(customer.map(({ value, count }) => [value, count])).toEqual([
      ['Contoso Ltd', 1],
      ['none', 1],
    ])
  })

  test('sorts by customer, devices without one last', async () => {
    const body = { query: '', sortDefinitions: [{ propertyName: 'CustomerName' }], page: 0, pageSize: 50 }
    const { items } = await owner.applianceDeviceSearch.find({ body })
    expect(items.map(({ customerName }) => customerName)).toEqual(['Contoso Ltd', 'Contoso Ltd', null, null])
  })
})

test('the counts of a field leave its own terms out', async () => {
  const facets = await owner.applianceDeviceSearch.facets({ body: { query: 'tag:front system:linux' } })
  const counts = (values: readonly { value: string; count: number }[]) =>
    Object.fromEntries(values.map(({ value, count }) => [value, count]))
  expect(facets).toMatchObject({ total: 1, hidden: 3, online: 0, offline: 1, diskFull: 1 })
  expect(counts(facets.tag)).toEqual({ prod: 2, front: 1 })
  expect(counts(facets.system)).toEqual({ linux: 1 })
  expect(counts(facets.group!)).toEqual({ Servers: 1 })
})

describe('stars', () => {
  const star = (by: Member, deviceId: string) => by.applianceDeviceViews.star({ params: { deviceId } })

  test('belong to a person, are searched, and are set and removed any number of times', async () => {
    await star(owner, ids.mac)
    await star(owner, ids.mac)
    expect(await namesOf(owner, 'is:starred')).toEqual(['mac'])
    expect(await namesOf(technician, 'is:starred')).toEqual([])
    expect((await owner.applianceDeviceSearch.facets({ body: { query: 'is:online' } })).starred).toBe(0)
    expect((await owner.applianceDeviceViews.stars({})).deviceIds).toEqual([ids.mac])
    await owner.applianceDeviceViews.unstar({ params: { deviceId: ids.mac } })
    await owner.applianceDeviceViews.unstar({ params: { deviceId: ids.mac } })
    expect(await namesOf(owner, 'is:starred')).toEqual([])
  })

  test('are not for devices out of reach, nor for service accounts', async () => {
    await expect(star(technician, ids.mac)).rejects.toMatchObject({ status: 404 })
    const program = await addTenantAccount(owner, [
      { permissionName: 'device.read', scopeKind: 'Tenant', scopeId: tenantId },
    ])
    await expect(program.applianceDeviceViews.star({ params: { deviceId: ids.mac } })).rejects.toMatchObject({
      status: 400,
    })
    expect((await program.applianceDeviceViews.stars({})).deviceIds).toEqual([])
  })
})

describe('notes', () => {
  const add = (by: Member, deviceId: string, text: string) =>
    by.applianceDeviceNotes.add({ params: { deviceId }, body: { text } })
  const list = async (by: Member, deviceId: string) =>
    (await by.applianceDeviceNotes.list({ params: { deviceId } })).items

  test('carry their author, are searched, changed by the author alone, and deleted by who may delete the device', async () => {
    const note = await add(technician, ids.web, ' **Toner** arrives on Friday ')
    const params = { deviceId: ids.web, noteId: note.id }
    expect(await list(owner, ids.web)).toMatchObject([
      { text: '**Toner** arrives on Friday', mayEdit: false, mayDelete: true },
    ])
    expect(await namesOf(owner, 'note:"toner** arr"')).toEqual(['web'])
    expect(await namesOf(technician, 'note:TONER')).toEqual(['web'])
    // The note must not be guessed by a search, where it cannot be read.
    expect(await namesOf(reader, 'note:toner')).toEqual([])
    await expect(list(reader, ids.web)).rejects.toMatchObject({ status: 403 })
    const edit = (by: Member) => by.applianceDeviceNotes.edit({ params, body: { text: 'Paper' } })
    await expect(edit(owner)).rejects.toMatchObject({ status: 403 })
    expect(await edit(technician)).toMatchObject({ text: 'Paper', mayEdit: true })
    expect(await namesOf(owner, 'note:toner')).toEqual([])
    await owner.applianceDeviceNotes.delete({ params })
    expect(await list(technician, ids.web)).toEqual([])
    const { items } = await owner.applianceAuditLog.list({ tenantId, query: {} })
    expect(items.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['device.note-added', 'device.note-changed', 'device.note-deleted']),
    )
  })

  test('of other users cannot be deleted with the right to write notes; without that right none can be written', async () => {
    const note = await add(owner, ids.web, 'Mine')
    const params = { deviceId: ids.web, noteId: note.id }
    await expect(technician.applianceDeviceNotes.delete({ params })).rejects.toMatchObject({ status: 403 })
    await expect(add(technician, ids.db, 'No right')).rejects.toMatchObject({ status: 403 })
    await expect(add(owner, ids.web, '   ')).rejects.toMatchObject({ status: 400 })
    await expect(
      owner.applianceDeviceNotes.delete({ params: { deviceId: ids.db, noteId: note.id } }),
    ).rejects.toMatchObject({ status: 404 })
    await owner.applianceDeviceNotes.delete({ params })
  })

  test('are hidden from the guest of a logon link', async () => {
    await add(owner, ids.bare, 'The guest is a difficult person')
    const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
      body: {
        tenantId,
        deviceId: ids.bare,
        userCorrelationId: 'crm-7',
        permissions: ['device.read', 'device.overview.read'],
      },
    })
    const guest = new Visitor(server.url)
    await guest.openLink(deviceAccessUrl)
    expect(await guest.devices.get({ params: { deviceId: ids.bare } })).toMatchObject({ name: 'bare' })
    await expect(guest.applianceDeviceNotes.list({ params: { deviceId: ids.bare } })).rejects.toMatchObject({
      status: 403,
    })
    const body = { query: 'note:difficult', sortDefinitions: [], page: 0, pageSize: 5 }
    expect(await guest.applianceDeviceSearch.find({ body })).toMatchObject({
      totalItems: 0,
      problems: [{ reason: 'not-permitted' }],
    })
  })
})

describe('saved views', () => {
  const save = (by: Member, name: string, isShared: boolean) =>
    by.applianceDeviceViews.create({ body: { name, query: 'is:online', sort: '-disk', isShared } })
  const listed = async (by: Member) =>
    (await by.applianceDeviceViews.list({ query: {} })).items.map(({ name, mayEdit }) => [name, mayEdit])

  test('are own or shared; a shared view can be changed only with the right', async () => {
    const own = await save(technician, 'Mine', false)
    const shared = await save(owner, 'Everybody', true)
    await expect(save(technician, 'Sneaked', true)).rejects.toMatchObject({ status: 403 })
    expect(await listed(technician)).toEqual([
      ['Mine', true],
      ['Everybody', false],
    ])
    expect(await listed(owner)).toEqual([['Everybody', true]])
    const change = (by: Member, viewId: string, isShared: boolean) =>
      by.applianceDeviceViews.update({
        params: { viewId },
        body: { name: 'Other', query: '', sort: 'name', isShared },
      })
    await expect(change(technician, shared.id, false)).rejects.toMatchObject({ status: 403 })
    await expect(change(technician, own.id, true)).rejects.toMatchObject({ status: 403 })
    await expect(change(owner, own.id, false)).rejects.toMatchObject({ status: 404 })
    await expect(technician.applianceDeviceViews.delete({ params: { viewId: shared.id } })).rejects.toMatchObject({
      status: 403,
    })
    expect(await change(owner, shared.id, false)).toMatchObject({ name: 'Other', isShared: false })
    expect(await listed(technician)).toEqual([['Mine', true]])
    await owner.applianceDeviceViews.delete({ params: { viewId: shared.id } })
    await technician.applianceDeviceViews.delete({ params: { viewId: own.id } })
    expect(await listed(technician)).toEqual([])
  })

  test('are paged', async () => {
    const made = [await save(owner, 'a', false), await save(owner, 'b', false), await save(owner, 'c', true)]
    const page = await owner.applianceDeviceViews.list({ query: { page: 1, pageSize: 2 } })
    expect(page).toMatchObject({ totalItems: 3, items: [{ name: 'c' }] })
    for (const { id: viewId } of made) {
      await owner.applianceDeviceViews.delete({ params: { viewId } })
    }
  })
})

describe('an export of the list', () => {
  const file = async (by: Member, query: Record<string, string>) => {
    const answer = await by.fetch(`/api/appliance/v1/devices/export?${new URLSearchParams(query)}`)
    return { status: answer.status, type: answer.headers.get('content-type'), bytes: await answer.bytes() }
  }
  const linesOf = async (by: Member, query: Record<string, string>) =>
    new TextDecoder()
      .decode((await file(by, query)).bytes)
      .trimEnd()
      .split('\r\n')

  test('has the columns, the filter and the order of the list', async () => {
    expect(
      await linesOf(owner, { query: 'disk:<96', columns: 'name,tags,disk', sort: 'Name', descending: 'true' }),
    ).toEqual([
      '"Name","Alias","Tags","Disk used in GiB","Disk in GiB"',
      '"web","","front, prod","95","100"',
      '"mac","","","10","100"',
      '"db","","prod","50","100"',
      '"bare","","","0","0"',
    ])
    expect(await linesOf(owner, { query: 'tag:prod', columns: 'customer' })).toEqual([
      '"Customer"',
      '""',
      '"Contoso Ltd"',
    ])
  })

  test('begins with a byte order mark, so that Excel reads UTF-8', async () => {
    const { type, bytes } = await file(owner, {})
    expect(type).toBe('text/csv; charset=utf-8')
    expect(Buffer.from(bytes.slice(0, 3)).toString('hex')).toBe('efbbbf')
  })

  test('has no device that the caller may not read, and rejects unknown columns', async () => {
    expect(await linesOf(reader, { columns: 'name' })).toEqual(['"Name","Alias"', '"web",""'])
    expect((await file(owner, { columns: 'name,secret' })).status).toBe(400)
  })
})
