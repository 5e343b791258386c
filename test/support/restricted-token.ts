import { randomUUID } from 'node:crypto'
import type { PermissionName } from '../../shared/access.ts'
import { atTenant } from './grants.ts'
import { integrator, type Member } from './server.ts'

/** Creates a restricted token of `owner` with some permissions of the tenant, with functions that change it. */
export async function makeRestrictedToken(owner: Member, permissions: readonly PermissionName[]) {
  const { tenantId } = owner
  const { personalAccessToken, plainTextToken } = await owner.personalAccessTokens.create({
    tenantId,
    body: { name: randomUUID(), permissionMode: 'Restricted', scopes: permissions.map(atTenant) },
  })
  const { id } = personalAccessToken
  const principal = { principalKind: 'PersonalAccessToken', principalId: id } as const
  return {
    client: integrator(owner.url, { 'x-personal-token': plainTextToken }),
    remove: () => owner.personalAccessTokens.delete({ tenantId, params: { id } }),
    async lose(permission: PermissionName) {
      const { items } = await owner.permissionAssignments.list({ tenantId, query: principal })
      const row = items.find(({ permissionName }) => permissionName === permission)!
      await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: row.id } })
    },
    regain: (permission: PermissionName) =>
      owner.permissionAssignments.create({ tenantId, body: { ...principal, ...atTenant(permission) } }),
  }
}
