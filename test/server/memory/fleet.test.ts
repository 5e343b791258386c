import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../server/clock.ts'
import { openDatabase } from '../../../server/database.ts'
import { createLog } from '../../../server/log.ts'
import { migrations } from '../../../server/migrations/index.ts'
import { bindModels } from '../../../server/models/index.ts'
import { Fleet } from '../../../server/memory/fleet/fleet.ts'
import { simulatedReport } from '../../../scripts/simulate/facts.ts'
import { buildDevice } from '../../support/factories.ts'
import { otherReport } from '../../support/reported.ts'
import { temporaryFolder } from '../../support/server-process.ts'

const tenantId = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
const { signal } = new AbortController()
/** Differs from the stored device in every field. */
const reported = otherReport(simulatedReport(0))

async function fleetWith(publicKey: string | null) {
  const directory = await temporaryFolder()
  const database = await openDatabase({ directory, migrations, appVersion: '1.0.0', log: createLog('silent') })
  onTestFinished(() => database.close())
  const models = bindModels(database.sequelize)
  const row = buildDevice({ tenantId, publicKey })
  await database.write(async (transaction) => {
    await models.Tenant.create({ id: tenantId, name: 'Tenant', createdAt: 0 }, { transaction })
    await models.Device.create(row, { transaction })
  })
  const fleet = new Fleet(database, systemClock)
  await fleet.load()
  const report = (key: string | null) =>
    fleet.report(row.id, reported, { connectionId: 'c1', remoteAddress: '2001:db8::1', key, signal })
  const storedKey = async () => (await models.Device.findByPk(row.id))?.publicKey
  return { database, models, fleet, row, report, storedKey }
}

describe('a report', () => {
  test('is in memory and in the database what was reported, and survives loading', async () => {
    const { database, fleet, row, report } = await fleetWith('key')
    await report('key')
    const belonging = { customerName: null, groupIds: [], tagIds: [] }
    const origin = { publicIpV6: '2001:db8::1', lastSeen: expect.any(Number) }
    const expected = { ...row, ...belonging, ...reported, ...origin }
    expect(fleet.get(row.id)).toEqual({ ...expected, connectionId: 'c1' })
    const again = new Fleet(database, systemClock)
    await again.load()
    expect(again.get(row.id)).toEqual({ ...expected, connectionId: '' })
  })

  test('that was verified with a key which is replaced meanwhile counts for nothing', async () => {
    const { database, models, fleet, row, report, storedKey } = await fleetWith('old')
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const registering = database.write(async (transaction) => {
      await gate
      await models.Device.update({ publicKey: 'new' }, { where: { id: row.id }, transaction })
    })
    const reporting = report('old')
    open()
    await registering
    fleet.put({ ...row, publicKey: 'new' })
    expect(await reporting).toBeUndefined()
    expect([fleet.get(row.id)?.publicKey, fleet.get(row.id)?.connectionId, await storedKey()]).toEqual([
      'new',
      '',
      'new',
    ])
  })

  test('brings a key to a device that has none, and never takes one away', async () => {
    const { fleet, row, report, storedKey } = await fleetWith(null)
    await report(null)
    await report('first')
    expect([await storedKey(), fleet.get(row.id)?.publicKey]).toEqual(['first', 'first'])
  })

  test('of a device that is deleted meanwhile brings nothing back', async () => {
    const { database, models, fleet, row, report } = await fleetWith('key')
    const deleting = database.write((transaction) => models.Device.destroy({ where: { id: row.id }, transaction }))
    const reporting = report('key')
    await deleting
    fleet.remove(row.id)
    expect(await reporting).toBeUndefined()
    expect([fleet.get(row.id), await models.Device.count()]).toEqual([undefined, 0])
  })
})
