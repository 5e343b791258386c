import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { freshTimestamp, installerKey, TestAgent } from '../support/agent.ts'
import { buildAssignment } from '../support/factories.ts'
import { connectViewer, follow } from '../support/hub-client.ts'
import { addMember, addTenantAccount, createUser } from '../support/people.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { account, ownerForFile, serverForFile, signInTo } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)

const prepared = async (of = owner) => ({ key: await installerKey(of), agent: new TestAgent(of.tenantId) })

interface Wishes {
  customerId?: string
  tagIds?: string[]
}

const registerWith = (agent: TestAgent, key: { id: string; keySecret: string }, wishes: Wishes) =>
  owner.agentDevices.register({
    body: {
      device: agent.report(),
      installerKeyId: key.id,
      installerKeySecret: key.keySecret,
      publicKey: agent.publicKey,
      ...wishes,
    },
  })

describe('registering a known device', () => {
  test('preserves its alias and creation time, stores the new key, and leaves it offline until its agent reconnects', async () => {
    const { key, agent } = await prepared()
    const first = await agent.register(owner, key)
    await owner.devices.setAlias({ params: { deviceId: agent.id }, body: { deviceId: agent.id, alias: 'Cellar' } })
    const viewer = await connectViewer(owner)
    await follow(viewer, [agent.id])
    const old = await agent.connect(server.url)
    const successor = new TestAgent(owner.tenantId, agent.id)

    const again = await successor.register(owner, key, { name: 'second-life' })
    expect(again).toMatchObject({
      id: first.id,
      alias: 'Cellar',
      name: 'second-life',
      isOnline: false,
      connectionId: '',
    })
    await old.closed
    await until(() => viewer.devices.at(-1)?.isOnline === false)

    const impostor = await agent.open(server.url)
    expect(await impostor.UpdateDeviceSigned(agent.signed(agent.report()))).toMatchObject({
      isSuccess: false,
      reason: 'Signature verification failed.',
    })
    await successor.connect(server.url)
    expect(await owner.devices.get({ params: { deviceId: agent.id } })).toMatchObject({ isOnline: true })
  })

  test('preserves its key when the registration has none', async () => {
    const { key, agent } = await prepared()
    await agent.register(owner, key)
    await agent.register(owner, key, { publicKey: null })
    await agent.connect(server.url)
  })

  test('does not move it to another tenant', async () => {
    const { key, agent } = await prepared()
    await agent.register(owner, key)
    const stranger = await server.owner({ email: `${randomUUID()}@example.org` })
    const thief = new TestAgent(stranger.tenantId, agent.id)
    await expect(thief.register(stranger, await installerKey(stranger))).rejects.toMatchObject({
      status: 400,
      problem: { detail: 'Device already exists in another tenant.' },
    })
    await agent.connect(server.url)
  })

  test('moves it to no other customer, unless the creator of the key may assign devices to customers', async () => {
    const { key, agent } = await prepared()
    const { tenantId } = owner
    const [mine, theirs] = [
      await owner.customers.create({ tenantId, body: { name: randomUUID() } }),
      await owner.customers.create({ tenantId, body: { name: randomUUID() } }),
    ]
    const installer = await addMember(server, tenantId, ['agent.install', 'installer-key.write', 'installer-key.read'])
    const ownKey = await installerKey(installer)
    const wish = ({ id: customerId }: { id: string }, by = ownKey) => registerWith(agent, by, { customerId })
    expect(await wish(theirs)).toMatchObject({ customerId: theirs.id })
    expect(await wish(mine)).toMatchObject({ customerId: theirs.id })
    expect(await wish(theirs)).toMatchObject({ customerId: theirs.id })
    const { items } = await owner.installerKeys.usages({ tenantId, params: { keyId: ownKey.id } })
    expect(items).toHaveLength(3)
    expect(await wish(mine, key)).toMatchObject({ customerId: mine.id })
  })

  test('needs a creator of the key who may still install on it, unlike a new device', async () => {
    const { key, agent } = await prepared()
    await agent.register(owner, key)
    const deny = buildAssignment({
      principalId: owner.user.id,
      permissionName: 'agent.install',
      effect: 'Deny',
      scopeKind: 'Device',
      scopeId: agent.id,
    })
    await server.write((models, transaction) => models.PermissionAssignment.create(deny, { transaction }))
    await expect(agent.register(owner, key)).rejects.toMatchObject({ status: 403 })
    await new TestAgent(owner.tenantId).register(owner, key)
  })

  test('needs the rights of the restricted token that made the key, beside those of its creator', async () => {
    const { agent } = await prepared()
    const { tenantId } = owner
    const token = await makeRestrictedToken(owner, ['installer-key.write', 'agent.install'])
    const key = await token.client.installerKeys.create({ body: { tenantId, keyType: 'Persistent' } })
    await agent.register(owner, key)
    const { id: customerId } = await owner.customers.create({ tenantId, body: { name: randomUUID() } })
    const { id: tagId } = await owner.tags.create({ tenantId, body: { name: randomUUID() } })
    expect(await registerWith(agent, key, { customerId })).toMatchObject({ customerId: null })
    await expect(registerWith(agent, key, { tagIds: [tagId] })).rejects.toMatchObject({ status: 403 })
    await token.lose('agent.install')
    await expect(registerWith(agent, key, {})).rejects.toMatchObject({ status: 403 })
    await token.regain('agent.install')
    expect(await registerWith(agent, key, {})).toMatchObject({ customerId: null, tagIds: [] })
  })

  test('needs a creator of the key who still exists', async () => {
    const stranger = await server.owner({ email: `${randomUUID()}@example.org` })
    const { key, agent } = await prepared(stranger)
    await agent.register(stranger, key)
    await server.write((models, transaction) => models.User.destroy({ where: { id: stranger.user.id }, transaction }))
    await expect(agent.register(stranger, key)).rejects.toMatchObject({ status: 400 })
  })
})

describe('a key registers no device, new or known,', () => {
  const expectRefusal = async (attempts: (() => Promise<unknown>)[], status: number) => {
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ status })
    }
  }

  test('once its creator is deleted', async () => {
    const { agent } = await prepared()
    const { id: userId, email } = await createUser(owner, {
      password: account.password,
      presetNames: ['Agent Installer'],
    })
    const creator = await signInTo(owner.url, { email })
    const key = await installerKey(creator)
    await agent.register(owner, key)
    await owner.users.delete({ tenantId: owner.tenantId, params: { userId } })
    await expectRefusal(
      [() => agent.register(owner, key), () => new TestAgent(owner.tenantId).register(owner, key)],
      400,
    )
  })

  test('once its creator may not install agents any more', async () => {
    const { agent, key } = await prepared()
    await agent.register(owner, key)
    const body = {
      principalKind: 'User',
      principalId: owner.user.id,
      permissionName: 'agent.install',
      effect: 'Deny',
      scopeKind: 'Tenant',
    } as const
    const { id } = await owner.permissionAssignments.create({ tenantId: owner.tenantId, body })
    const attempts = [() => agent.register(owner, key), () => new TestAgent(owner.tenantId).register(owner, key)]
    await expectRefusal(attempts, 403)
    await owner.permissionAssignments.delete({ tenantId: owner.tenantId, params: { assignmentId: id } })
    for (const attempt of attempts) {
      await attempt()
    }
  })

  test('once the service account that created it is disabled or deleted', async () => {
    const { agent } = await prepared()
    const program = await addTenantAccount(owner, [
      { permissionName: 'installer-key.write', scopeKind: 'Tenant' },
      { permissionName: 'agent.install', scopeKind: 'Tenant' },
    ])
    const key = await program.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent' } })
    await agent.register(owner, key)
    const attempts = [() => agent.register(owner, key), () => new TestAgent(owner.tenantId).register(owner, key)]
    const params = { tenantId: owner.tenantId, serviceAccountId: program.id }
    await owner.tenantServiceAccounts.update({ params, body: { name: 'off', isEnabled: false } })
    await expectRefusal(attempts, 400)
    await owner.tenantServiceAccounts.delete({ params })
    await expectRefusal(attempts, 400)
  })
})

test('an update under way during registration does not restore the old key', async () => {
  const { key, agent } = await prepared()
  await agent.register(owner, key)
  const old = await agent.connect(server.url)
  const successor = new TestAgent(owner.tenantId, agent.id)
  const heartbeats = Array.from({ length: 20 }, () =>
    old.UpdateDeviceSigned(agent.signed(agent.report(), { timestamp: freshTimestamp() })).catch(() => undefined),
  )
  await successor.register(owner, key)
  await Promise.all(heartbeats)
  await successor.connect(server.url)
  await server.restart()
  await successor.connect(server.url)
})
