import { randomUUID } from 'node:crypto'
import type { PermissionName, PresetName } from '../../shared/access.ts'
import type { CreatePermissionAssignmentRequestDto } from '../../shared/api/permission-assignments.ts'
import { ApiError } from '../../shared/contract/client.ts'
import type { CreateUserRequestDto } from '../../shared/api/users.ts'
import type { PermissionAssignmentRow } from '../../server/rights/tables.ts'
import { buildAssignment, buildUser } from './factories.ts'
import { account, integrator, type Integrator, type Member, type TestServer } from './server.ts'

/** Grant in its shortest form: a permission at the tenant, or columns of a row. */
export type Grant = PermissionName | Partial<PermissionAssignmentRow>

/** Creates a signed-in user of a tenant with exactly these rights. Depends on no tested route but the one that signs in. */
export async function addMember(server: TestServer, tenantId: string, grants: readonly Grant[]): Promise<Member> {
  const email = `${randomUUID()}@example.org`
  const user = buildUser({ tenantId, userName: email, email })
  const rows = grants.map((grant) => {
    const changes: Partial<PermissionAssignmentRow> = typeof grant === 'string' ? { permissionName: grant } : grant
    return buildAssignment({
      owningTenantId: changes.scopeKind === 'Server' ? null : tenantId,
      permissionName: 'device.read',
      scopeKind: 'Tenant',
      scopeId: tenantId,
      ...changes,
      principalId: user.id,
    })
  })
  await server.write(async (models, transaction) => {
    // Reuses the password hash of the first account, because hashing is slow on purpose.
    const first = await models.User.findOne({ order: ['createdAt'], rejectOnEmpty: true, transaction })
    const { passwordHash, createdAt } = first
    await models.User.create({ ...user, passwordHash, createdAt: createdAt + 1 }, { transaction })
    await models.PermissionAssignment.bulkCreate(rows, { transaction })
  })
  const signIn = () => server.signIn({ email })
  return signIn().catch(async (error: unknown) => {
    if (!(error instanceof ApiError && error.status === 429)) {
      throw error
    }
    // The attempts of an address, of which there are few in a minute, are counted in memory.
    await server.restart()
    return signIn()
  })
}

export const newAddress = () => `${randomUUID()}@example.org`

/** Request body for creating a user, valid or not. */
export type NewUser = Partial<Record<keyof CreateUserRequestDto, unknown>>

/** Creates a user through the API, in the caller's tenant. */
export const createUser = (by: Member, body: NewUser = {}) =>
  by.users.create({ tenantId: by.tenantId, body: { userName: newAddress(), ...body } as CreateUserRequestDto })

/** Creates a user of the owner's tenant through the API with presets, and signs in. */
export async function addUser(server: TestServer, owner: Member, presetNames: PresetName[] = []) {
  const { email } = await createUser(owner, { password: account.password, presetNames })
  return server.signIn({ email })
}

type AccountGrant = Omit<CreatePermissionAssignmentRequestDto, 'principalKind' | 'principalId' | 'effect' | 'isEnabled'>

/** Creates a client with a key of a service account, which `owner` grants some rights. */
async function programOf(
  owner: Member,
  { id, credentialId, key }: { id: string; credentialId: string; key: string },
  grants: readonly AccountGrant[],
): Promise<Program> {
  const assignments = grants.map((grant) => ({ ...grant, principalKind: 'ServiceAccount', principalId: id }))
  if (assignments.length > 0) {
    await owner.permissionAssignments.createBatch({ tenantId: owner.tenantId, body: { assignments } })
  }
  return Object.assign(integrator(owner.url, { 'x-api-key': key }), { id, key, credentialId })
}

export interface Program extends Integrator {
  id: string
  key: string
  credentialId: string
}

/** Creates a service account of the server, with its key and a client. */
export async function addServerAccount(
  owner: Member,
  accessMode: 'Unrestricted' | 'Restricted' = 'Unrestricted',
  grants: readonly AccountGrant[] = [],
): Promise<Program> {
  const { serverServiceAccounts } = owner
  const { id } = await serverServiceAccounts.create({ body: { name: randomUUID(), accessMode } })
  const { credential, plainTextSecretKey } = await serverServiceAccounts.createCredential({
    params: { serviceAccountId: id },
    body: { name: 'key' },
  })
  return programOf(owner, { id, credentialId: credential.id, key: plainTextSecretKey }, grants)
}

/** Creates a service account of the owner's tenant, with its key and a client. */
export async function addTenantAccount(owner: Member, grants: readonly AccountGrant[] = []): Promise<Program> {
  const { tenantId, tenantServiceAccounts } = owner
  const { id } = await tenantServiceAccounts.create({ params: { tenantId }, body: { name: randomUUID() } })
  const { credential, plainTextSecretKey } = await tenantServiceAccounts.createCredential({
    params: { tenantId, serviceAccountId: id },
    body: { name: 'key' },
  })
  return programOf(owner, { id, credentialId: credential.id, key: plainTextSecretKey }, grants)
}
