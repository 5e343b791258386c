import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { asUser, atTenant } from '../support/grants.ts'
import { createUser, newAddress } from '../support/people.ts'
import { account, integrator, serverForFile, type Member } from '../support/server.ts'

const minute = 60_000
const clock = manualClock()
const server = serverForFile({ clock })
let owner: Member
beforeAll(async () => {
  owner = await server.owner()
})

/** Signs in as the owner on our page, long enough ago. */
async function stolenSession() {
  const member = server.visitor()
  member.pageKey = randomUUID()
  const { user } = await member.applianceSession.signIn({ body: account })
  owner = await server.signIn()
  clock.advance(10 * minute + 1)
  return Object.assign(member, { tenantId: owner.tenantId, user: user! })
}

const administrator = () => createUser(owner, { presetNames: ['Tenant Administrator'] })

async function managingGroup() {
  const { tenantId } = owner
  const { id } = await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })
  const body = {
    principalKind: 'UserGroup',
    principalId: id,
    ...atTenant('tenant.users.write'),
    effect: 'Allow',
  } as const
  await owner.permissionAssignments.create({ tenantId, body })
  return id
}

async function managingAccount() {
  const { id } = await owner.serverServiceAccounts.create({ body: { name: randomUUID(), accessMode: 'Unrestricted' } })
  return id
}

const asked = { status: 403, problem: { code: 'reauthentication-required' } }

/** Prepares a change with a fresh proof, and returns the change. */
type Change = () => Promise<(by: Member) => Promise<unknown>>

const refused: Record<string, Change> = {
  'a new administrator with a password of its choice': async () => (by) =>
    createUser(by, { password: account.password, presetNames: ['Tenant Administrator'] }),
  'an assignment of a management permission': async () => {
    const { id } = await createUser(owner)
    return (by) =>
      by.permissionAssignments.create({
        tenantId: by.tenantId,
        body: { ...asUser(id), ...atTenant('tenant.users.write'), effect: 'Allow' },
      })
  },
  'presets for somebody': async () => {
    const { id } = await createUser(owner)
    return (by) =>
      by.permissionAssignments.applyPresets({
        tenantId: by.tenantId,
        body: { ...asUser(id), presetNames: ['Tenant Administrator'], replaceExisting: false },
      })
  },
  'disabling an administrator': async () => {
    const { id: userId } = await administrator()
    return (by) => by.appliancePeople.disable({ tenantId: by.tenantId, params: { userId } })
  },
  'deleting an administrator': async () => {
    const { id: userId } = await administrator()
    return (by) => by.users.delete({ tenantId: by.tenantId, params: { userId } })
  },
  'deleting an organization with its administrators': async () => {
    const { tenantId } = await owner.tenants.create({ body: { name: randomUUID() } })
    return (by) => by.tenants.delete({ params: { tenantId } })
  },
  'a new member of a group with management permissions': async () => {
    const { id } = await createUser(owner)
    const userGroupId = await managingGroup()
    return (by) => by.userGroups.addMembers({ tenantId: by.tenantId, params: { userGroupId }, body: { userIds: [id] } })
  },
  'the name of a group with management permissions': async () => {
    const userGroupId = await managingGroup()
    return (by) =>
      by.userGroups.update({ tenantId: by.tenantId, params: { userGroupId }, body: { name: randomUUID() } })
  },
  'an unrestricted service account': async () => (by) =>
    by.serverServiceAccounts.create({ body: { name: randomUUID(), accessMode: 'Unrestricted' } }),
  'the state of a service account with management permissions': async () => {
    const serviceAccountId = await managingAccount()
    const body = { name: randomUUID(), isEnabled: false }
    return (by) => by.serverServiceAccounts.update({ params: { serviceAccountId }, body })
  },
  'an invitation with a role that manages': async () => (by) =>
    by.appliancePeople.invite({
      tenantId: by.tenantId,
      body: { inviteeEmail: newAddress(), start: { roles: ['Tenant Administrator'], scopes: [], groupIds: [] } },
    }),
  'an invitation to a group with management permissions': async () => {
    const groupIds = [await managingGroup()]
    return (by) =>
      by.appliancePeople.invite({
        tenantId: by.tenantId,
        body: { inviteeEmail: newAddress(), start: { roles: [], scopes: [], groupIds } },
      })
  },
  'names of the network': async () => (by) =>
    by.applianceNetwork.set({ body: { isServed: false, port: 5443, names: ['farhand.test'] } }),
}

describe.each(Object.entries(refused))('%s', (_, prepare) => {
  test('needs a recent proof in a session of our page', async () => {
    const change = await prepare()
    const member = await stolenSession()
    await expect(change(member)).rejects.toMatchObject(asked)
    await member.applianceSession.prove({ body: { password: account.password } })
    await change(member)
  })
})

const allowed: Record<string, Change> = {
  'a person without management permissions': async () => (by) => createUser(by, { presetNames: ['Device Superuser'] }),
  'an assignment of a device permission': async () => {
    const { id } = await createUser(owner)
    return (by) =>
      by.permissionAssignments.create({
        tenantId: by.tenantId,
        body: { ...asUser(id), ...atTenant('device.read'), effect: 'Allow' },
      })
  },
  'an invitation with a role on devices': async () => (by) =>
    by.appliancePeople.invite({
      tenantId: by.tenantId,
      body: {
        inviteeEmail: newAddress(),
        start: { roles: ['Technician'], scopes: [{ scopeKind: 'Tenant' }], groupIds: [] },
      },
    }),
  'an installer key': async () => (by) =>
    by.installerKeys.create({ body: { tenantId: by.tenantId, keyType: 'Persistent' } }),
  'a link to a device': async () => {
    const device = await enroll(owner)
    return (by) =>
      by.logonTokens.createForExternalUser({
        body: { tenantId: by.tenantId, deviceId: device.id, userCorrelationId: 'crm-7' },
      })
  },
  'a tag': async () => (by) => by.tags.create({ tenantId: by.tenantId, body: { name: randomUUID() } }),
}

test.each(Object.entries(allowed))('%s needs no recent proof', async (_, prepare) => {
  const change = await prepare()
  await change(await stolenSession())
})

test('tokens and cookie sessions of other programs make administrators without a recent proof', async () => {
  const { plainTextToken } = await owner.personalAccessTokens.create({
    tenantId: owner.tenantId,
    body: { name: 'mine' },
  })
  const program = await server.signIn()
  program.provesWith = undefined
  clock.advance(11 * minute)
  const { tenantId } = owner
  const clients = [integrator(server.url, { 'x-personal-token': plainTextToken }), program]
  for (const client of clients) {
    const body = { userName: `${randomUUID()}@example.org`, presetNames: ['Tenant Administrator' as const] }
    await client.users.create({ tenantId, body })
  }
})
