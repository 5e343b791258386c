import { expect, test } from 'vitest'
import { recordings } from '../../../../../server/engines/database/migrations/0057-recordings.ts'
import { migrations } from '../../../../../server/engines/database/migrations/index.ts'
import { bindModels } from '../../../../../server/call/models.ts'
import { buildAssignment } from '../../../../support/factories.ts'
import { open, temporaryFolder } from '../support.ts'

const place = migrations.indexOf(recordings)

test('administrators may watch recordings, but for those who are administrators for a time only', async () => {
  const directory = await temporaryFolder()
  const old = await open({ directory, migrations: migrations.slice(0, place) })
  const rows = ['lasting', 'temporary'].map((principalId) =>
    buildAssignment({
      owningTenantId: 't',
      principalId,
      permissionName: 'tenant.permissions.write',
      scopeKind: 'Tenant',
      scopeId: 't',
    }),
  )
  await old.write(async (transaction) => {
    const models = bindModels(old.sequelize)
    await old.sequelize.query(`INSERT INTO tenants (id, name, createdAt) VALUES ('t', 'Tenant', 1)`, { transaction })
    await models.PermissionAssignment.bulkCreate(rows, { transaction })
    const end = { assignmentId: rows[1]!.id, principalId: 'temporary', endsAt: 5 }
    await models.AssignmentEnd.create(end, { transaction })
  })
  await old.close()
  const migrated = await open({ directory, migrations })
  const granted = await migrated.all<{ principalId: string }>(
    `SELECT principalId FROM permission_assignments WHERE permissionName = 'appliance.recordings.read'`,
  )
  expect(granted).toEqual([{ principalId: 'lasting' }])
})
