import { enroll, type TestAgent } from './agent.ts'
import { addMember, addServerAccount, addTenantAccount, type Program } from './people.ts'
import { startTestServer, type Member, type TestServer } from './server.ts'

export type AssignmentBody = Parameters<Member['permissionAssignments']['create']>[0]['body']

interface PrincipalRef {
  principalKind: string
  principalId: string
}

/** Starts two tenants with users of different rights, and entities that rights can be about. */
export async function startRightsScene() {
  const server: TestServer = await startTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
  /** Holds every permission, on the server too. */
  const owner: Member = await server.owner()
  const { tenantId } = owner
  /** Grants rights; may neither deny nor change rights of the server. */
  const giver = await addMember(server, tenantId, ['tenant.permissions.read', 'tenant.permissions.write'])
  /** Reads rights, of the server too. */
  const auditor = await addMember(server, tenantId, [
    'tenant.permissions.read',
    { permissionName: 'server.permissions.read', scopeKind: 'Server', scopeId: null },
  ])
  /** Owner of another tenant. */
  const stranger = await server.owner({ email: 'eve@example.org' })
  const agent: TestAgent = await enroll(owner)
  const foreignAgent: TestAgent = await enroll(stranger)
  const tenantAccount: Program = await addTenantAccount(owner)
  const serverAccount: Program = await addServerAccount(owner, 'Restricted')
  const named = (name: string, by = owner) => ({ tenantId: by.tenantId, body: { name } })
  const things = {
    customer: (await owner.customers.create(named('Customer'))).id,
    deviceGroup: (await owner.deviceGroups.create(named('Devices'))).id,
    userGroup: (await owner.userGroups.create(named('People'))).id,
    foreignCustomer: (await stranger.customers.create(named('Foreign', stranger))).id,
  }

  let people = 0
  /** Creates a user with Self Service alone. */
  const newcomer = async () => {
    const { id } = await owner.users.create({ tenantId, body: { userName: `person${++people}@example.org` } })
    return { principalKind: 'User', principalId: id } as const
  }
  const create = (by: Member, body: AssignmentBody) => by.permissionAssignments.create({ tenantId, body })
  const listFor = async (principal: PrincipalRef, by: Member = owner) =>
    (await by.permissionAssignments.list({ tenantId, query: principal })).items
  /** Rights of a user beyond Self Service, in short. */
  const rightsOf = async (principal: PrincipalRef) =>
    (await listFor(principal))
      .filter(({ permissionName }) => !permissionName.startsWith('personal-access-token.self'))
      .map(({ permissionName, effect, scopeKind }) => [permissionName, effect, scopeKind].join(' '))

  const readLog = () => owner.authorizationChangeLogs.list({ tenantId, query: { pageSize: 200 } })
  const countChanges = async () => (await readLog()).totalItems
  /** Entries of the tenant's log after the first `count`, newest first. */
  const changesSince = async (count: number) => {
    const { items, totalItems } = await readLog()
    return items.slice(0, totalItems - count)
  }

  return {
    server,
    owner,
    tenantId,
    giver,
    auditor,
    stranger,
    agent,
    foreignAgent,
    tenantAccount,
    serverAccount,
    things,
    newcomer,
    create,
    listFor,
    rightsOf,
    changesSince,
    countChanges,
  }
}
