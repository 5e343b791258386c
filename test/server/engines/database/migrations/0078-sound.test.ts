import { expect, test } from 'vitest'
import { sound } from '../../../../../server/engines/database/migrations/0078-sound.ts'
import { migrations } from '../../../../../server/engines/database/migrations/index.ts'
import { bindModels } from '../../../../../server/call/models.ts'
import { buildAssignment } from '../../../../support/factories.ts'
import { open, temporaryFolder } from '../support.ts'

test('people who give rights may hear devices, but for those who do so for a time, and those who are denied it', async () => {
  const directory = await temporaryFolder()
  const old = await open({ directory, migrations: migrations.slice(0, migrations.indexOf(sound)) })
  const rows = (['lasting', 'temporary', 'denied'] as const).map((principalId) =>
    buildAssignment({
      owningTenantId: 't',
      principalId,
      permissionName: 'tenant.permissions.write',
      effect: principalId === 'denied' ? 'Deny' : 'Allow',
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
  const granted = await migrated.all<{ principalId: string; effect: string }>(
    `SELECT principalId, effect FROM permission_assignments WHERE permissionName = 'appliance.device.sound'`,
  )
  expect(granted).toEqual([{ principalId: 'lasting', effect: 'Allow' }])
})
