import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { PermissionName } from '../../shared/access.ts'
import { enroll, installerKey, TestAgent } from '../support/agent.ts'
import { connectViewer } from '../support/hub-client.ts'
import { atTenant, asUser } from '../support/grants.ts'
import { addMember, addTenantAccount, newAddress } from '../support/people.ts'
import { integrator, ownerForFile, serverForFile, Visitor, type Integrator, type Member } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

/** An owner, a device, and a person who makes links to it and installer keys. */
async function scene() {
  const { tenantId } = owner
  const grants = ['device.read', 'device.logon-token.create', 'installer-key.write', 'agent.install'] as const
  const maker = await addMember(server, tenantId, grants)
  return { owner, maker, userId: maker.user.id, device: await enroll(owner) }
}

type Scene = Awaited<ReturnType<typeof scene>>

/** Creates two links with a client, and opens one of them with a hub connection. */
async function linksOf({ owner, device }: Scene, maker: Integrator | Member) {
  const link = (userCorrelationId: string) =>
    maker.logonTokens.createForExternalUser({
      body: { tenantId: owner.tenantId, deviceId: device.id, userCorrelationId },
    })
  const [opened, unopened] = [await link('opened'), await link('unopened')]
  const guest = new Visitor(server)
  await guest.openLink(opened.deviceAccessUrl)
  const viewer = await connectViewer(guest)
  return {
    viewer,
    readDevice: async () => (await guest.fetch(`/api/v1/devices/${device.id}`)).status,
    openOther: async () => (await new Visitor(server).openLink(unopened.deviceAccessUrl)).status,
  }
}

type Account = Pick<Scene, 'owner' | 'userId'>

const setEnabled = ({ owner, userId }: Account, isEnabled: boolean) =>
  owner.appliancePeople[isEnabled ? 'enable' : 'disable']({ tenantId: owner.tenantId, params: { userId } })

const remove = ({ owner, userId }: Account) => owner.users.delete({ tenantId: owner.tenantId, params: { userId } })

const denied = ({ owner, userId }: Scene) =>
  owner.permissionAssignments.create({
    tenantId: owner.tenantId,
    body: { ...asUser(userId), ...atTenant('device.logon-token.create'), effect: 'Deny' },
  })

test.each<[string, (at: Scene) => Promise<unknown>]>([
  ['is disabled', (at) => setEnabled(at, false)],
  ['is deleted', remove],
  ['loses the right to make links', denied],
])('links end when the person who made them %s', async (_, end) => {
  const at = await scene()
  const { viewer, readDevice, openOther } = await linksOf(at, at.maker)
  expect(await readDevice()).toBe(200)
  await end(at)
  expect(await readDevice()).toBe(401)
  expect(await openOther()).toBe(401)
  await viewer.closed
  expect((await at.owner.applianceShares.list({ query: {} })).items).toEqual([])
})

test('links end when the service account that made them is disabled', async () => {
  const at = await scene()
  const program = await addTenantAccount(at.owner, [atTenant('device.read'), atTenant('device.logon-token.create')])
  const { viewer, readDevice, openOther } = await linksOf(at, program)
  expect(await readDevice()).toBe(200)
  const params = { tenantId: at.owner.tenantId, serviceAccountId: program.id }
  await at.owner.tenantServiceAccounts.update({ params, body: { name: 'off', isEnabled: false } })
  expect(await readDevice()).toBe(401)
  expect(await openOther()).toBe(401)
  await viewer.closed
})

test('a link gives no permission that its maker lost', async () => {
  const at = await scene()
  const { readDevice } = await linksOf(at, at.maker)
  const body = { ...asUser(at.userId), ...atTenant('device.read'), effect: 'Deny' } as const
  await at.owner.permissionAssignments.create({ tenantId: at.owner.tenantId, body })
  expect(await readDevice()).toBe(404)
})

test('an installer key of a disabled person enrolls nothing and replaces no key, until the person is enabled', async () => {
  const at = await scene()
  const key = await installerKey(at.maker)
  const agent = new TestAgent(at.owner.tenantId)
  await agent.register(at.owner, key)
  const stops = async () => (await at.owner.applianceInstallerKeys.stopped({ tenantId: at.owner.tenantId })).items
  const isStopped = async (keyId: string) => (await stops()).find((stop) => stop.keyId === keyId)?.reason
  expect(await isStopped(key.id)).toBeUndefined()
  await setEnabled(at, false)
  expect(await isStopped(key.id)).toBe('creator-disabled')
  const body = { installerKeyId: key.id, installerKeySecret: key.keySecret }
  const attempts = [
    () => agent.register(at.owner, key),
    () => new TestAgent(at.owner.tenantId).register(at.owner, key),
    () => at.owner.applianceInstallerKeys.check({ body }),
  ]
  for (const attempt of attempts) {
    await expect(attempt()).rejects.toMatchObject({ status: 400 })
  }
  await setEnabled(at, true)
  for (const attempt of attempts) {
    await attempt()
  }
  const denial = { ...asUser(at.userId), ...atTenant('agent.install'), effect: 'Deny' } as const
  await at.owner.permissionAssignments.create({ tenantId: at.owner.tenantId, body: denial })
  expect(await isStopped(key.id)).toBe('creator-may-not-install')
  await remove(at)
  expect(await isStopped(key.id)).toBe('creator-deleted')
})

describe('an invitation that carries a role and a group', () => {
  /** An inviter with the group and the invitation, and what the invited person sees and can do. */
  async function invitation() {
    const { tenantId } = owner
    const grants = [
      'tenant.users.write',
      'tenant.permissions.write',
      'tenant.permissions.deny',
      'user-group.assign-users',
    ] as const
    const maker = await addMember(server, tenantId, grants)
    const group = await owner.userGroups.create({ tenantId, body: { name: maker.user.id } })
    const email = newAddress()
    const start = { roles: ['Tenant Administrator' as const], scopes: [], groupIds: [group.id] }
    const { inviteUrl } = await maker.appliancePeople.invite({ tenantId, body: { inviteeEmail: email, start } })
    const activationCode = inviteUrl.split('/').at(-1)!
    const visitor = new Visitor(server)
    return {
      at: { owner, userId: maker.user.id },
      email,
      group,
      state: async () => (await visitor.applianceEntry.invitation({ body: { activationCode } })).state,
      accept: () => visitor.inviteAcceptance.accept({ body: { activationCode, email, password: 'Babbage-Engine-2' } }),
    }
  }

  type Invitation = Awaited<ReturnType<typeof invitation>>

  const deny = ({ at: { owner, userId } }: Invitation, permission: PermissionName) =>
    owner.permissionAssignments.create({
      tenantId: owner.tenantId,
      body: { ...asUser(userId), ...atTenant(permission), effect: 'Deny' },
    })

  test.each<[string, (one: Invitation) => Promise<unknown>]>([
    ['is disabled', ({ at }) => setEnabled(at, false)],
    ['is deleted', ({ at }) => remove(at)],
    ['may not invite any more', (one) => deny(one, 'tenant.users.write')],
    ['may not give the role any more', (one) => deny(one, 'tenant.permissions.write')],
    ['may not fill the group any more', (one) => deny(one, 'user-group.assign-users')],
  ])('cannot be accepted once the inviter %s', async (_, end) => {
    const one = await invitation()
    expect(await one.state()).toBe('open')
    await end(one)
    expect(await one.state()).toBe('ended')
    expect(await one.accept()).toMatchObject({ isSuccessful: false })
  })

  test('ends at its acceptance the links, installer keys, invitations and power orders that others made as the pending account', async () => {
    const { email, accept } = await invitation()
    const { tenantId } = owner
    const device = await enroll(owner)
    const userId = (await owner.users.list({ tenantId })).items.find((user) => user.email === email)!.id
    await owner.permissionAssignments.applyPresets({
      tenantId,
      body: {
        principalKind: 'User',
        principalId: userId,
        presetNames: ['Device Superuser', 'Agent Installer', 'Tenant Administrator'],
      },
    })
    const { plainTextToken } = await owner.userPersonalAccessTokens.create({
      tenantId,
      params: { userId },
      body: { name: 'made before' },
    })
    const asInvited = integrator(server.url, { 'x-personal-token': plainTextToken })
    const link = await asInvited.logonTokens.createForExternalUser({
      body: { tenantId, deviceId: device.id, userCorrelationId: 'x-1' },
    })
    const key = await asInvited.installerKeys.create({ body: { tenantId, keyType: 'Persistent' } })
    const inviteeEmail = newAddress()
    await asInvited.invites.create({ tenantId, body: { inviteeEmail } })
    const order = { id: randomUUID(), change: 'restart', person: 'told', makerKind: 'User', confirmedAt: null } as const
    await server.write(({ PowerOrder }, transaction) =>
      PowerOrder.create(
        { ...order, deviceId: device.id, makerId: userId, madeWith: null, makerName: email, dueAt: 1, createdAt: 1 },
        { transaction },
      ),
    )
    expect(await accept()).toMatchObject({ isSuccessful: true })
    expect(await server.rows('SELECT id FROM power_orders')).toEqual([])
    expect((await new Visitor(server).openLink(link.deviceAccessUrl)).status).toBe(401)
    expect((await owner.installerKeys.list({ tenantId })).items.map(({ id }) => id)).not.toContain(key.id)
    expect((await owner.users.list({ tenantId })).items.map((user) => user.email)).not.toContain(inviteeEmail)
  })

  test('can be accepted again once the inviter is enabled', async () => {
    const { at, state, accept } = await invitation()
    await setEnabled(at, false)
    expect(await accept()).toMatchObject({ isSuccessful: false })
    await setEnabled(at, true)
    expect(await state()).toBe('open')
    expect(await accept()).toMatchObject({ isSuccessful: true })
  })
})
