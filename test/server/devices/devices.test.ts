import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { simulatedReport } from '../../../tools/simulate/facts.ts'
import type { DeviceRow } from '../../../server/fleet/tables.ts'
import { enroll, installerKey, TestAgent } from '../../support/agent.ts'
import { buildAssignment, buildDevice } from '../../support/factories.ts'
import { connectViewer, follow } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { otherReport } from '../../support/reported.ts'
import { addMember } from '../../support/people.ts'
import { openToAll, ownerForFile, serverForFile } from '../../support/server.ts'
import { addDevices, stored } from '../../support/stored.ts'
import { steady, until } from '../../support/until.ts'

const server = serverForFile({ settings: openToAll })
const owner = ownerForFile(server)

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

async function fleetOf(count: number, changes: Partial<DeviceRow> = {}) {
  const owner = await server.newcomer()
  const rows = Array.from({ length: count }, (_, index) => buildDevice({ ...changes, tenantId: owner.tenantId }, index))
  await server.write((models, transaction) => models.Device.bulkCreate(rows, { transaction }))
  return { owner, rows }
}

test('a device is shown with every field that its agent reported', async () => {
  const report = otherReport(simulatedReport(0))
  const { owner, rows } = await fleetOf(1, report)
  expect(await owner.devices.get({ params: { deviceId: rows[0]!.id } })).toMatchObject(report)
})

describe('lists of devices', () => {
  test('are bare arrays, oldest first, and complete for any number of devices', async () => {
    const { owner, rows } = await fleetOf(1_200)
    const list = await owner.devices.list({})
    expect(list.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    expect(await owner.devices.summary({})).toEqual(
      list.map(({ id, lastSeen, agentVersion }) => ({ id, lastSeen, agentVersion })),
    )
  })

  test.runIf(isNight)('reach a slow reader completely, compressed or not', async () => {
    const { owner, rows } = await fleetOf(1_200)
    for (const encoding of ['identity', 'gzip']) {
      const request = get(`${owner.url}/api/v1/devices`, { headers: { ...owner.headers, 'accept-encoding': encoding } })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      await steady(() => response.socket.bytesRead)
      const body = await buffer(response)
      const list = JSON.parse(String(encoding === 'gzip' ? gunzipSync(body) : body)) as unknown[]
      expect(list).toHaveLength(rows.length)
    }
  })

  test('are dropped when the reader disconnects', async () => {
    const { owner } = await fleetOf(1_200)
    const leaving = new AbortController()
    await owner.fetch('/api/v1/devices', { signal: leaving.signal })
    leaving.abort()
    // A logged error would fail the test.
    expect((await server.visitor().fetch('/alive')).status).toBe(200)
  })

  test('are empty, not refused, for a principal without rights; a tenantId is ignored', async () => {
    const stranger = await server.newcomer()
    await enroll(owner)
    const response = await stranger.fetch(`/api/v1/devices?tenantId=${owner.tenantId}`)
    expect([response.status, await response.json()]).toEqual([200, []])
    expect(await stranger.devices.search({ body: { pageSize: 10 } })).toMatchObject({
      items: [],
      totalItems: 0,
      anyDevicesForUser: false,
    })
  })
})

describe('one device', () => {
  test('of another tenant is 404 on every route', async () => {
    const stranger = await server.newcomer()
    const { id: deviceId } = await enroll(owner)
    for (const params of [{ deviceId }, { deviceId: unknownId }]) {
      const calls = [
        () => stranger.devices.get({ params }),
        () => stranger.devices.setAlias({ params, body: { alias: 'mine' } }),
        () => stranger.devices.delete({ params }),
      ]
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({ status: 404, problem: { detail: 'Device not found.' } })
      }
    }
  })

  test('is 403 when it may be read but not changed, and 404 when it may not be read', async () => {
    const { owner, rows } = await fleetOf(2)
    const [readable, hidden] = rows.map(({ id }) => id)
    const deny = (permissionName: 'device.read' | 'device.delete', scopeId: string) =>
      buildAssignment({ principalId: owner.user.id, permissionName, effect: 'Deny', scopeKind: 'Device', scopeId })
    await server.write((models, transaction) =>
      models.PermissionAssignment.bulkCreate([deny('device.delete', readable!), deny('device.read', hidden!)], {
        transaction,
      }),
    )
    const statusOf = (call: Promise<unknown>) =>
      call.then(
        () => 200,
        ({ status }: { status: number }) => status,
      )
    const statuses = [readable!, hidden!].map((deviceId) => ({ params: { deviceId } }))
    expect(await Promise.all(statuses.map((input) => statusOf(owner.devices.get(input))))).toEqual([200, 404])
    expect(await Promise.all(statuses.map((input) => statusOf(owner.devices.delete(input))))).toEqual([403, 404])
    expect((await owner.devices.list({})).map(({ id }) => id)).toEqual([readable])
  })
})

describe('aliases', () => {
  test('are set, trimmed, cleared, kept over a restart, and pushed to subscribers', async () => {
    const { id: deviceId } = await enroll(owner)
    const viewer = await connectViewer(owner)
    await follow(viewer, [deviceId])
    const set = async (alias: string | null) =>
      (await owner.devices.setAlias({ params: { deviceId }, body: { alias } })).alias
    expect([
      await set(' Cellar '),
      await set('  '),
      await set('Attic'),
      await set(null),
      await set('<b>Attic</b>'),
    ]).toEqual(['Cellar', null, 'Attic', null, '<b>Attic</b>'])
    await until(() => viewer.devices.length === 5)
    await server.restart()
    expect((await owner.devices.get({ params: { deviceId } })).alias).toBe('<b>Attic</b>')
  })

  test.each([
    [{ alias: 'x'.repeat(101) }, 'One or more validation errors occurred.'],
    [{}, 'One or more validation errors occurred.'],
    [{ alias: 'x', deviceId: unknownId }, 'Bad Request'],
  ])('%# is refused', async (body, title) => {
    const { id } = await enroll(owner)
    const response = await owner.fetch(`/api/v1/devices/${id}/alias`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, ((await response.json()) as { title: string }).title]).toEqual([400, title])
  })
})

test('a deleted device stays deleted over a restart, and its agent is disconnected', async () => {
  const owner = await server.newcomer()
  const agent = await enroll(owner)
  const connection = await agent.connect(server.url)
  const input = { params: { deviceId: agent.id } }
  await owner.devices.delete(input)
  await connection.closed
  await expect(owner.devices.get(input)).rejects.toMatchObject({ status: 404 })
  const again = await agent.open(server.url)
  expect((await again.UpdateDeviceSigned(agent.signed(agent.report()))).reason).toBe('Unknown device.')
  await server.restart()
  expect(await owner.devices.list({})).toEqual([])
})

test('a device that several requests delete at the same time is deleted once', async () => {
  const owner = await server.newcomer()
  const [one, other] = await addDevices(server, owner.tenantId, 2)
  const single = await Promise.allSettled(
    Array.from({ length: 4 }, () => owner.devices.delete({ params: { deviceId: one!.id } })),
  )
  const failed = single.filter((result) => result.status === 'rejected')
  expect(failed.map(({ reason }) => (reason as { status: number }).status)).toEqual([404, 404, 404])
  const lists = await Promise.all(
    Array.from({ length: 4 }, () => owner.devices.deleteMany({ body: { deviceIds: [other!.id] } })),
  )
  expect(lists.flatMap(({ successIds }) => successIds)).toEqual([other!.id])
  expect(lists.flatMap(({ failureIds }) => failureIds)).toHaveLength(3)
  const { items } = await owner.applianceAuditLog.list({ query: { kind: 'device.deleted' } })
  expect(items).toHaveLength(2)
})

describe('deleting many devices at once', () => {
  test('deletes the devices that the principal may delete, and names all others', async () => {
    const [owner, stranger] = [await server.newcomer(), await server.newcomer()]
    const rows = await addDevices(server, owner.tenantId, 3)
    const [deletable, readable, hidden] = rows.map(({ id }) => id) as [string, string, string]
    const [foreign] = await addDevices(server, stranger.tenantId, 1)
    const on = (permissionName: 'device.read' | 'device.delete', scopeId: string) =>
      ({ permissionName, scopeKind: 'Device', scopeId }) as const
    const member = await addMember(server, owner.tenantId, [
      on('device.read', deletable),
      on('device.delete', deletable),
      on('device.read', readable),
      // A caller who may not read a device gets no hint that the device exists.
      on('device.delete', hidden),
    ])
    const deviceIds = [readable, deletable, unknownId, deletable.toUpperCase(), hidden, foreign!.id]
    const deleteMany = () => member.devices.deleteMany({ body: { deviceIds } })
    const failureIds = [readable, unknownId, hidden, foreign!.id]
    expect(await deleteMany()).toEqual({ successIds: [deletable], failureIds })
    expect(await deleteMany()).toEqual({
      successIds: [],
      failureIds: [readable, deletable, unknownId, hidden, foreign!.id],
    })
    expect((await owner.devices.list({})).map(({ id }) => id)).toEqual([readable, hidden])
    await server.restart()
    expect((await owner.devices.list({})).map(({ id }) => id)).toEqual([readable, hidden])
    expect(await stranger.devices.list({})).toHaveLength(1)
  })

  test('disconnects their agents and deletes the rights on them', async () => {
    const agents = [await enroll(owner), await enroll(owner)]
    const scopeId = agents[0]!.id
    await addMember(server, owner.tenantId, [{ permissionName: 'device.read', scopeKind: 'Device', scopeId }])
    const connections = await Promise.all(agents.map((agent) => agent.connect(server.url)))
    const deviceIds = agents.map(({ id }) => id)
    expect((await owner.devices.deleteMany({ body: { deviceIds } })).successIds).toEqual(deviceIds)
    await Promise.all(connections.map(({ closed }) => closed))
    expect(await stored(server, 'SELECT id FROM permission_assignments WHERE scopeId = ?', [scopeId])).toEqual([])
  })

  test('takes a list of one to a thousand ids', async () => {
    const [device] = await addDevices(server, owner.tenantId, 1)
    const many = (count: number) => ({ deviceIds: Array.from({ length: count }, () => device!.id) })
    for (const body of [many(1001), {}, { deviceIds: null }, { deviceIds: ['x'] }]) {
      const refused = owner.devices.deleteMany({ body: body as { deviceIds: string[] } })
      await expect(refused).rejects.toMatchObject({ status: 400 })
    }
    expect(await owner.devices.deleteMany({ body: many(0) })).toEqual({ successIds: [], failureIds: [] })
    expect(await owner.devices.deleteMany({ body: many(1000) })).toEqual({ successIds: [device!.id], failureIds: [] })
  })
})

test('sessions opened by a logon token end when its device is deleted', async () => {
  const { id: deviceId } = await enroll(owner)
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
    body: { tenantId: owner.tenantId, deviceId, userCorrelationId: 'crm-7' },
  })
  const visitor = server.visitor()
  await visitor.openLink(deviceAccessUrl)
  expect(await visitor.devices.list({})).toHaveLength(1)
  const viewer = await connectViewer(visitor)
  await owner.devices.deleteMany({ body: { deviceIds: [deviceId] } })
  await viewer.closed
  await expect(visitor.devices.list({})).rejects.toMatchObject({ status: 401 })
})

describe('presence', () => {
  test('begins with the first accepted update and ends with the connection', async () => {
    const agent = await enroll(owner)
    const get = () => owner.devices.get({ params: { deviceId: agent.id } })
    const silent = await agent.open(server.url)
    expect(await get()).toMatchObject({ isOnline: false, connectionId: '' })
    await silent.UpdateDeviceSigned(agent.signed(agent.report()))
    expect(await get()).toMatchObject({ isOnline: true, connectionId: expect.stringMatching(/^.{22}$/) })
    await silent.connection.stop()
    await until(async () => !(await get()).isOnline)
  })

  test('is offline after a restart until the agent reconnects', async () => {
    const agent = await enroll(owner)
    await agent.connect(server.url)
    await server.restart()
    expect(await owner.devices.get({ params: { deviceId: agent.id } })).toMatchObject({ isOnline: false })
  })

  test('follows the newest connection: the end of an older one does not change it', async () => {
    const agent = await enroll(owner)
    const old = await agent.connect(server.url)
    await agent.connect(server.url)
    await old.connection.stop()
    // The server notices the end of the old connection within these round trips.
    for (let round = 0; round < 20; round++) {
      expect(await owner.devices.get({ params: { deviceId: agent.id } })).toMatchObject({ isOnline: true })
    }
  })

  test('ends with a connection that closes while its update is being stored', async () => {
    const key = await installerKey(owner)
    const agents = Array.from({ length: 40 }, () => new TestAgent(owner.tenantId))
    await Promise.all(agents.map((agent) => agent.register(owner, key)))
    await Promise.all(
      agents.map(async (agent, index) => {
        const { connection, UpdateDeviceSigned } = await agent.open(server.url)
        void UpdateDeviceSigned(agent.signed(agent.report())).catch(() => {})
        for (let turn = 0; turn < index; turn++) {
          await new Promise((resolve) => setImmediate(resolve))
        }
        await connection.stop()
      }),
    )
    await until(async () => (await owner.devices.list({})).every(({ isOnline }) => !isOnline))
  })
})
