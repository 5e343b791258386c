import { randomUUID } from 'node:crypto'
import type { PermissionName } from '../../shared/access.ts'
import type { PermissionAssignmentRow } from '../../server/models/permission-assignment.ts'
import { buildAssignment, buildUser } from './factories.ts'
import { account, type Member, type TestServer } from './server.ts'

/** A grant in the shortest form: a permission of the tenant, or where exactly it holds. */
export type Grant = PermissionName | Partial<PermissionAssignmentRow>

/**
 * Another user of a tenant with exactly these rights, signed in. Stored while the server is stopped: it needs no route
 * that the test is about.
 */
export async function addMember(server: TestServer, tenantId: string, grants: readonly Grant[]): Promise<Member> {
  const email = `${randomUUID()}@example.org`
  const user = buildUser({ tenantId, userName: email, email })
  const rows = grants.map((grant) => {
    const changes = typeof grant === 'string' ? { permissionName: grant } : grant
    return buildAssignment({
      permissionName: 'device.read',
      scopeKind: 'Tenant',
      scopeId: tenantId,
      ...changes,
      principalId: user.id,
    })
  })
  await server.whileStopped(async (database, models) => {
    await database.write(async (transaction) => {
      // The password of the first account, whose hash exists: hashing is slow on purpose.
      const first = await models.User.findOne({ order: ['createdAt'], rejectOnEmpty: true, transaction })
      await models.User.create({ ...user, passwordHash: first.passwordHash }, { transaction })
      await models.PermissionAssignment.bulkCreate(rows, { transaction })
    })
  })
  return server.signIn({ email, password: account.password })
}
