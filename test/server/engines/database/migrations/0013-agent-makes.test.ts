import { expect, test } from 'vitest'
import { agentMakes } from '../../../../../server/engines/database/migrations/0013-agent-makes.ts'
import { migrations } from '../../../../../server/engines/database/migrations/index.ts'
import { reportColumns } from '../../../../../server/fleet/report-columns.ts'
import { open, temporaryFolder } from '../support.ts'

const before = migrations.slice(0, migrations.indexOf(agentMakes))

test('the make of a device from before the update is unknown', async () => {
  const directory = await temporaryFolder()
  const old = await open({ directory, migrations: before })
  await old.write(async (transaction) => {
    await old.sequelize.query(`INSERT INTO tenants VALUES ('t', 'Tenant', 1)`, { transaction })
    const columns = ['id', 'tenantId', 'createdAt', 'lastSeen', 'publicIpV4', 'publicIpV6', ...reportColumns]
    const values = columns.map((name) => (name === 'tenantId' ? `'t'` : `'1'`))
    await old.sequelize.query(`INSERT INTO devices (${columns.join()}) VALUES (${values.join()})`, { transaction })
  })
  await old.close()
  const migrated = await open({ directory, migrations: [...before, agentMakes] })
  expect(await migrated.all('SELECT id, agentMake FROM devices')).toEqual([{ id: '1', agentMake: null }])
})
