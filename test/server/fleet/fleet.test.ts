import { describe, expect, onTestFinished, test } from 'vitest'
import { simulatedReport } from '../../../tools/simulate/facts.ts'
import { buildDevice } from '../../support/factories.ts'
import { openTestMemory, tenantId } from '../../support/memory.ts'
import { otherReport } from '../../support/reported.ts'

/** A report that differs from the stored device in every field. */
const reported = otherReport(simulatedReport(0))

async function fleetWith(publicKey: string | null) {
  const row = buildDevice({ tenantId, publicKey })
  const ended: string[] = []
  const changed: string[] = []
  const { memory, database, models, differences, close } = await openTestMemory({
    fill: (tables, transaction) => tables.Device.create(row, { transaction }),
    events: {
      connectionEnded: (connectionId) => ended.push(connectionId),
      changed: ({ name }) => changed.push(name),
    },
  })
  onTestFinished(close)
  const { fleet } = memory
  const origin = { connectionId: 'c1', remoteAddress: '2001:db8::1', agentMake: '', isOpen: () => true }
  const report = (key: string | null, name = reported.name, ticks: number | null = null) =>
    fleet.report(row.id, { ...reported, name }, { ...origin, key, ticks })
  const storedKey = async () => (await models.Device.findByPk(row.id))?.publicKey
  return { database, models, differences, ended, changed, fleet, row, report, storedKey }
}

describe('a report', () => {
  test('is stored in memory and in the database as reported', async () => {
    const { differences, fleet, row, report } = await fleetWith('key')
    await report('key')
    const belonging = { customerName: null, groupIds: [], tagIds: [] }
    const origin = { publicIpV6: '2001:db8::1', agentMake: '', lastSeen: expect.any(Number) }
    expect(fleet.get(row.id)).toEqual({ ...row, ...belonging, ...reported, ...origin, connectionId: 'c1' })
    expect(await differences()).toEqual([])
  })

  test('is emitted once, and not read again after a later commit', async () => {
    const { database, changed, report } = await fleetWith('key')
    await report('key', 'first', 7)
    await report('key', 'second', 8)
    await database.write(async () => {})
    expect(changed).toEqual(['first', 'second'])
  })

  test('stores the newest timestamp, in any order of updates', async () => {
    const { differences, fleet, row, report } = await fleetWith('key')
    await Promise.all([7, 5, null].map((ticks) => report('key', reported.name, ticks)))
    expect(fleet.get(row.id)?.newestUpdate).toBe(7)
    await report('key', reported.name, 6)
    expect(fleet.get(row.id)?.newestUpdate).toBe(7)
    expect(await differences()).toEqual([])
  })

  test('verified with a key that is replaced meanwhile is dropped', async () => {
    const { database, models, fleet, row, report, storedKey } = await fleetWith('old')
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const registering = database.write(async (transaction) => {
      await gate
      await models.Device.update({ publicKey: 'new' }, { where: { id: row.id }, transaction })
    })
    const reporting = report('old')
    open()
    await registering
    expect(await reporting).toBeUndefined()
    expect([fleet.get(row.id)?.publicKey, fleet.get(row.id)?.connectionId, await storedKey()]).toEqual([
      'new',
      '',
      'new',
    ])
  })

  test('that was verified with a key which is replaced meanwhile is not stored either', async () => {
    const { database, models, differences, row, report } = await fleetWith('old')
    const registering = database.write((transaction) =>
      models.Device.update({ publicKey: 'new' }, { where: { id: row.id }, transaction }),
    )
    const reporting = report('old')
    await registering
    await reporting
    expect((await models.Device.findByPk(row.id))?.name).toBe(row.name)
    expect(await differences()).toEqual([])
  })

  test('with the first of several concurrent keys for a device without a key is the only one accepted', async () => {
    const { differences, fleet, row, report, storedKey } = await fleetWith(null)
    const answers = await Promise.all([report('first', 'a'), report('second', 'b'), report(null, 'c')])
    expect(answers.map((device) => device?.name)).toEqual(['a', undefined, undefined])
    expect([fleet.get(row.id)?.publicKey, await storedKey(), await differences()]).toEqual(['first', 'first', []])
  })

  test('sets the key of a device without one, and never removes a key', async () => {
    const { fleet, row, report, storedKey } = await fleetWith(null)
    await report(null)
    await report('first')
    expect([await storedKey(), fleet.get(row.id)?.publicKey]).toEqual(['first', 'first'])
  })

  test('of a device that is deleted meanwhile does not restore it', async () => {
    const { database, models, fleet, row, report } = await fleetWith('key')
    const deleting = database.write((transaction) => models.Device.destroy({ where: { id: row.id }, transaction }))
    const reporting = report('key')
    await deleting
    expect(await reporting).toBeUndefined()
    expect([fleet.get(row.id), await models.Device.count()]).toEqual([undefined, 0])
  })
})

describe('the connection of a device', () => {
  test('ends when its key is replaced', async () => {
    const { database, models, ended, fleet, row, report } = await fleetWith('old')
    await report('old')
    await database.write((transaction) =>
      models.Device.update({ publicKey: 'new' }, { where: { id: row.id }, transaction }),
    )
    expect([ended, fleet.get(row.id)?.connectionId]).toEqual([['c1'], ''])
  })

  test('ends when the device is deleted', async () => {
    const { database, models, ended, fleet, row, report } = await fleetWith('key')
    await report('key')
    await database.write((transaction) => models.Device.destroy({ where: { id: row.id }, transaction }))
    expect([ended, fleet.onlineCount]).toEqual([['c1'], 0])
  })

  test('stays open when anything else changes', async () => {
    const { database, models, ended, fleet, row, report } = await fleetWith('key')
    await report('key')
    await database.write((transaction) =>
      models.Device.update({ alias: 'Cellar' }, { where: { id: row.id }, transaction }),
    )
    expect([ended, fleet.get(row.id)]).toMatchObject([[], { alias: 'Cellar', connectionId: 'c1' }])
  })
})

test('columns stored by reports are followed when other code writes them, also between reports', async () => {
  const { database, models, differences, fleet, row, report } = await fleetWith('key')
  const rename = (name: string) =>
    database.write((transaction) => models.Device.update({ name }, { where: { id: row.id }, transaction }))
  await rename('first')
  expect(fleet.get(row.id)?.name).toBe('first')
  await Promise.all([report('key'), rename('second'), report('key', 'third'), rename('fourth')])
  expect(await differences()).toEqual([])
})

test('a listener that throws blocks no write', async () => {
  const row = buildDevice({ tenantId })
  let calls = 0
  const { memory, database, models, close } = await openTestMemory({
    fill: (tables, transaction) => tables.Device.create(row, { transaction }),
    events: {
      changed() {
        calls++
        throw new Error('It cannot be presented.')
      },
    },
  })
  onTestFinished(close)
  const where = { id: row.id }
  await database.write((transaction) => models.Device.update({ alias: 'Cellar' }, { where, transaction }))
  expect([memory.fleet.get(row.id)?.alias, calls]).toEqual(['Cellar', 1])
})
