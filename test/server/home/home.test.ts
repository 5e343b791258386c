import { expect, test } from 'vitest'
import { AuditEvent } from '../../../server/audit/tables.ts'
import type { DeviceRow } from '../../../server/fleet/tables.ts'
import { enroll } from '../../support/agent.ts'
import { buildDevice } from '../../support/factories.ts'
import { manualClock } from '../../support/clock.ts'
import { edit } from '../../support/database-shell.ts'
import { addMember, createUser } from '../../support/people.ts'
import { account, ownerForFile, serverForFile, Visitor } from '../../support/server.ts'

const minuteMs = 60_000
const clock = manualClock()
const server = serverForFile({ clock })
const owner = ownerForFile(server)

/** Adds events to the audit log under the running server: copies of its newest one, without its outcome. */
async function addEvents(count: number) {
  const columns = Object.keys(AuditEvent.columns).slice(1)
  const values = columns.map((name) => ({ outcome: "'success'", previous: 'hash' })[name] ?? `"${name}"`)
  await edit(
    server,
    `INSERT INTO audit_events (id, ${columns.map((name) => `"${name}"`).join()})
      WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${count})
      SELECT id + number, ${values.join()} FROM numbers,
        (SELECT * FROM audit_events ORDER BY id DESC LIMIT 1) AS newest;
      UPDATE audit_head SET lastId = lastId + ${count};`,
  )
}

const named = (items: readonly { name: string }[]) => items.map(({ name }) => name)

test('the start page names what needs a hand among the devices that a person can see, and counts those', async () => {
  const { tenantId } = owner
  const customer = await owner.customers.create({ tenantId, body: { name: 'Contoso' } })
  const awaySince = (name: string, minutes: number, changes: Partial<DeviceRow> = {}) => {
    const lastSeen = clock.now() - minutes * minuteMs
    return buildDevice({ tenantId, name, usedStorage: 1, totalStorage: 2, platform: 1, lastSeen, ...changes })
  }
  const rows = [
    awaySince('down', 30, { customerId: customer.id }),
    awaySince('switched-off', 30),
    awaySince('long-gone', 8 * 24 * 60),
    awaySince('full', 60, { usedStorage: 1.96, platform: 2 }),
  ]
  await server.write(async (models, transaction) => {
    await models.Device.bulkCreate(rows, { transaction })
    const announced = { announced: { at: rows[1]!.lastSeen, reason: 'Shutdown' } }
    await models.DeviceEvidence.create({ deviceId: rows[1]!.id, evidence: JSON.stringify(announced) }, { transaction })
  })
  // Agents of the last run get time to reconnect first.
  expect((await owner.applianceHome.fleet({})).findings.map(({ kind }) => kind)).not.toContain('down')
  clock.advance(2 * minuteMs)

  const fleet = await owner.applianceHome.fleet({})
  expect(fleet).toMatchObject({ total: 4, online: 0, seenInWeek: 3, checkedAt: new Date(clock.now()).toISOString() })
  expect(fleet.customers).toEqual([
    { name: null, total: 3, online: 0 },
    { name: 'Contoso', total: 1, online: 0 },
  ])
  expect(fleet.systems).toEqual([
    { platform: 1, total: 3, online: 0 },
    { platform: 2, total: 1, online: 0 },
  ])
  const [down, disk] = fleet.findings
  expect(down).toMatchObject({ kind: 'down', count: 2 })
  expect(named(down!.devices)).toEqual(['down', 'full'])
  expect(down!.devices[0]).toMatchObject({
    customerName: 'Contoso',
    since: new Date(rows[0]!.lastSeen).toISOString(),
    cause: 'unknown',
  })
  expect(disk).toMatchObject({ kind: 'disk', count: 1, devices: [{ name: 'full', storage: 0.98 }] })

  const helper = await addMember(server, tenantId, [{ scopeKind: 'CustomerTenant', scopeId: customer.id }])
  const seen = await helper.applianceHome.fleet({})
  expect(seen).toMatchObject({ total: 1, customers: [{ name: 'Contoso' }], systems: [{ platform: 1, total: 1 }] })
  await expect(helper.applianceHome.server({})).rejects.toMatchObject({ status: 403 })
  await expect(helper.applianceHome.signIns({ tenantId })).rejects.toMatchObject({ status: 403 })
})

test('the start page names what is wrong with the server, and since when', async () => {
  const { findings } = await owner.applianceHome.server({})
  expect(findings.map(({ id }) => id)).toContain('backup')
  expect(findings.every(({ state, advice }) => state !== 'ok' && advice !== null)).toBe(true)
})

test('a person is told what others changed since the last visit, as far as the person may see it', async () => {
  const { tenantId } = owner
  const changesOf = async (visitor: Visitor, after?: string) => {
    const { since, items } = await visitor.applianceHome.changes({ query: { ...(after !== undefined && { after }) } })
    return { since, kinds: items.map(({ kind, count }) => `${count} ${kind}`).toSorted() }
  }
  const helper = await addMember(server, tenantId, ['device.read'])
  expect(await changesOf(helper)).toEqual({ since: null, kinds: [] })
  const admin = await server.signIn()
  clock.advance(10 * minuteMs)
  await helper.devices.list({})
  const left = new Date(clock.now()).toISOString()
  clock.advance(60 * minuteMs)
  const device = await enroll(admin)
  await admin.customers.create({ tenantId, body: { name: 'Fabrikam' } })
  await createUser(admin)
  clock.advance(60 * minuteMs)

  const again = await server.signIn({ email: helper.user.email })
  expect(await changesOf(again)).toEqual({ since: left, kinds: ['1 devices-added'] })
  const { items } = await again.applianceHome.changes({ query: {} })
  expect(items[0]!.things).toMatchObject([{ id: device.id, name: device.report().name }])
  expect(await changesOf(again, new Date(clock.now()).toISOString())).toMatchObject({ kinds: [] })
  const own = await server.signIn()
  expect((await changesOf(own)).kinds).toEqual([])
})

test('of changes at the same instant the last ones are shown, newest first', async () => {
  const { tenantId } = owner
  clock.advance(60 * minuteMs)
  // Events of the server and of the tenant are read apart.
  await edit(
    server,
    `INSERT INTO program_events (id, at, kind, tenantId, deviceId, subject, actorId, place, data)
      WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 40)
      SELECT (SELECT max(id) FROM program_events) + number, ${clock.now()}, 'person.added',
        CASE WHEN number % 2 = 0 THEN '${tenantId}' END, NULL, 'change ' || number, NULL, NULL, '{}' FROM numbers`,
  )
  clock.advance(60 * minuteMs)
  const again = await server.signIn()
  const { items } = await again.applianceHome.changes({ query: {} })
  const added = items.find(({ kind }) => kind === 'people-added')!
  expect(added.things.map(({ id }) => id)).toEqual([40, 39, 38, 37, 36].map((number) => `change ${number}`))
})

test('five failed sign-ins of an account are named with their time for a day, however much follows; four are not', async () => {
  const { tenantId } = owner
  const visitor = new Visitor(server)
  const body = { email: account.email, password: 'Wrong-Horse-8', staySignedIn: false }
  const guess = () => visitor.applianceSession.signIn({ body }).catch(() => undefined)
  for (let attempt = 0; attempt < 4; attempt++) {
    await guess()
  }
  expect((await owner.applianceHome.signIns({ tenantId })).items).toEqual([])
  const last = clock.now()
  await guess()
  const { items } = await owner.applianceHome.signIns({ tenantId })
  expect(items).toMatchObject([{ accountId: owner.user.id, count: 5, last: new Date(last).toISOString() }])
  await addEvents(25_000)
  expect((await owner.applianceHome.signIns({ tenantId })).items).toEqual(items)
  clock.advance(25 * 60 * minuteMs)
  const later = await server.signIn()
  expect((await later.applianceHome.signIns({ tenantId })).items).toEqual([])
})
