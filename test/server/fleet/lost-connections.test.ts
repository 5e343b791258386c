import { expect, test } from 'vitest'
import { clearConnectionsExcept, clearConnectionsOf } from '../../../server/fleet/lost-connections.ts'
import { buildDevice } from '../../support/factories.ts'
import { useTestServer } from '../../support/server.ts'

test('devices of servers that are gone go offline, those of other servers stay', async () => {
  const server = await useTestServer()
  const { tenantId } = await server.owner()
  await server.whileStopped(async (database, models) => {
    for (const connectionId of ['a.one', 'b.two', 'c.three', '']) {
      const device = buildDevice({ tenantId, connectionId })
      await database.write((transaction) => models.Device.create(device, { transaction }))
    }
    const stored = async () =>
      (await models.Device.findAll({ raw: true })).map(({ connectionId }) => connectionId).toSorted()
    await clearConnectionsOf({ database, models }, 'one')
    expect(await stored()).toEqual(['', '', 'b.two', 'c.three'])
    await clearConnectionsExcept({ database, models }, ['two', 'four'])
    expect(await stored()).toEqual(['', '', '', 'b.two'])
  })
})
