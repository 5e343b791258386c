import { expect, test } from 'vitest'
import { assignmentEnds } from '../../../../../server/engines/database/migrations/0020-assignment-ends.ts'
import { migrations } from '../../../../../server/engines/database/migrations/index.ts'
import { bindModels } from '../../../../../server/call/models.ts'
import { buildAssignment } from '../../../../support/factories.ts'
import { open, temporaryFolder } from '../support.ts'

const place = migrations.indexOf(assignmentEnds)

test('rights from before the update have no end, and an end goes with its right', async () => {
  const directory = await temporaryFolder()
  const old = await open({ directory, migrations: migrations.slice(0, place) })
  const rows = (['device.read', 'device.terminal.use'] as const).map((permissionName) =>
    buildAssignment({ owningTenantId: 't', principalId: 'p', permissionName, scopeKind: 'Tenant', scopeId: 't' }),
  )
  await old.write(async (transaction) => {
    await old.sequelize.query(`INSERT INTO tenants VALUES ('t', 'Tenant', 1)`, { transaction })
    await bindModels(old.sequelize).PermissionAssignment.bulkCreate(rows, { transaction })
  })
  await old.close()
  const migrated = await open({ directory, migrations })
  const ids = async () =>
    (await migrated.all<{ id: string }>('SELECT id FROM permission_assignments')).map(({ id }) => id).toSorted()
  expect(await ids()).toEqual(rows.map(({ id }) => id).toSorted())
  expect(await migrated.all('SELECT * FROM assignment_ends')).toEqual([])
  const [kept, gone] = rows
  const models = bindModels(migrated.sequelize)
  await migrated.write(async (transaction) => {
    for (const { id: assignmentId, principalId } of rows) {
      await models.AssignmentEnd.create({ assignmentId, principalId, endsAt: 5 }, { transaction })
    }
    await models.PermissionAssignment.destroy({ where: { id: gone!.id }, transaction })
  })
  expect(await ids()).toEqual([kept!.id])
  expect(await migrated.all('SELECT assignmentId, endsAt FROM assignment_ends')).toEqual([
    { assignmentId: kept!.id, endsAt: 5 },
  ])
})
