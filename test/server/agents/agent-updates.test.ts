import { describe, expect, test } from 'vitest'
import type { HubServerMethods } from '../../../shared/contract/hub.ts'
import type { agentHub } from '../../../shared/hubs/agent-hub.ts'
import { enroll, freshTimestamp, TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { ownerForFile, serverForFile, useTestServer } from '../../support/server.ts'

type Update = Parameters<HubServerMethods<typeof agentHub>['UpdateDeviceSigned']>[0]

const zeroId = '00000000-0000-0000-0000-000000000000'
const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

const refusal = (reason: string) => ({ isSuccess: false, reason, errorCode: null, value: null })

const shared = serverForFile()
const sharedOwner = ownerForFile(shared)

/** An agent with a connection, at the server of the file, or at one with other settings. */
async function prepared(settings?: Record<string, string>) {
  const server = settings ? await useTestServer({ settings }) : shared
  const owner = settings ? await server.owner() : sharedOwner
  const agent = await enroll(owner)
  const connection = await agent.open(server.url)
  return { server, owner, agent, connection }
}

describe('UpdateDeviceSigned', () => {
  test('answers with the updated device', async () => {
    const { owner, agent, connection } = await prepared()
    const answer = await connection.UpdateDeviceSigned(agent.signed(agent.report({ name: 'renamed' })))
    const device = await owner.devices.get({ params: { deviceId: agent.id } })
    expect(answer).toEqual({ isSuccess: true, reason: null, errorCode: null, value: device })
    expect(device).toMatchObject({ id: agent.id, name: 'renamed', isOnline: true, publicIpV4: '127.0.0.1' })
  })

  test('refuses invalid updates in the published order of checks and keeps the connection open', async () => {
    const { agent, connection } = await prepared()
    const unknown = new TestAgent(agent.tenantId)
    const stranger = new TestAgent(agent.tenantId, agent.id)
    const old = freshTimestamp(Date.now() - 600_000)
    const ahead = freshTimestamp(Date.now() + 600_000)
    const cases: [object, string][] = [
      [unknown.signed(unknown.report(), { timestamp: old }), 'Unknown device.'],
      [stranger.signed(stranger.report(), { timestamp: old }), 'Signature verification failed.'],
      [agent.signed(agent.report({ tenantId: unknownId }), { timestamp: old }), 'Timestamp expired.'],
      [agent.signed(agent.report({ tenantId: unknownId }), { timestamp: ahead }), 'Timestamp expired.'],
      [agent.signed(agent.report({ tenantId: unknownId })), 'Invalid tenant ID.'],
    ]
    for (const [update, reason] of cases) {
      expect(await connection.UpdateDeviceSigned(update as Update)).toEqual(refusal(reason))
    }
    expect((await connection.UpdateDeviceSigned(agent.signed(agent.report()))).isSuccess).toBe(true)
  })

  test.each([
    ['Public key is required.', null],
    ['Public key is required.', ' '],
    ['Invalid public key format.', 'not base64!'],
    ['Invalid public key length.', 'AAAA'],
  ])('says "%s" for a device without a key that presents %j', async (reason, publicKey) => {
    const { server, owner } = await prepared()
    const keyless = new TestAgent(owner.tenantId)
    const key = await owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent' } })
    await keyless.register(owner, key, { publicKey: null })
    const connection = await keyless.open(server.url)
    expect(await connection.UpdateDeviceSigned(keyless.signed(keyless.report(), { publicKey }))).toEqual(
      refusal(reason),
    )
  })

  test('stores the presented key of a device without one, and never replaces it', async () => {
    const { server, owner } = await prepared()
    const keyless = new TestAgent(owner.tenantId)
    const key = await owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent' } })
    await keyless.register(owner, key, { publicKey: null })
    await keyless.connect(server.url)
    const other = new TestAgent(owner.tenantId, keyless.id)
    const refused = await (await other.open(server.url)).UpdateDeviceSigned(other.signed(other.report()))
    expect(refused).toEqual(refusal('Signature verification failed.'))
    await server.restart()
    await keyless.connect(server.url)
  })

  test('reads null and missing members as their defaults, and truncates long ones', async () => {
    const { agent, connection } = await prepared()
    const { dnsHostName: _, ...report } = agent.report()
    const update = agent.signed({ ...report, name: 'x'.repeat(150), localIpV6: null, currentUsers: null })
    const { value } = await connection.UpdateDeviceSigned(update as unknown as Update)
    expect(value).toMatchObject({ name: 'x'.repeat(100), localIpV6: '', currentUsers: [], dnsHostName: '' })
  })

  test('accepts the update of an older agent: 19 members, in another order and letter case', async () => {
    const { agent, connection } = await prepared()
    const { dnsHostName: _, ...report } = agent.report()
    const reversed = Object.fromEntries(Object.entries(report).toReversed())
    const pascal = Object.fromEntries(
      Object.entries(report).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value]),
    )
    for (const dto of [report, reversed, pascal]) {
      const { reason } = await connection.UpdateDeviceSigned(agent.signed(dto) as Update)
      expect(reason).toBeNull()
    }
  })

  test('a number as text or an invalid id fails the call and keeps the connection', async () => {
    const { agent, connection } = await prepared()
    const update = agent.signed(agent.report())
    for (const change of [{ processorCount: '8' }, { id: 'no-guid' }, { drives: {} }]) {
      const dto = { ...update.dto, ...change }
      await expect(connection.UpdateDeviceSigned({ ...update, dto } as unknown as Update)).rejects.toThrow(
        'Failed to invoke',
      )
    }
    expect((await connection.UpdateDeviceSigned(agent.signed(agent.report()))).isSuccess).toBe(true)
  })
})

describe('UpdateDevice', () => {
  test('is accepted from devices without a key, until they have one', async () => {
    const { server, owner, agent, connection } = await prepared()
    expect(await connection.UpdateDevice(agent.report())).toEqual(refusal('Device requires signed updates.'))
    const unknown = new TestAgent(owner.tenantId)
    const notThere = refusal('Device does not exist in the database.')
    expect(await connection.UpdateDevice(unknown.report())).toEqual(notThere)
    const keyless = new TestAgent(owner.tenantId)
    const key = await owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent' } })
    await keyless.register(owner, key, { publicKey: null })
    const old = await keyless.open(server.url)
    expect(await old.UpdateDevice(keyless.report())).toMatchObject({ isSuccess: true, value: { isOnline: true } })
    expect((await old.UpdateDeviceSigned(keyless.signed(keyless.report()))).isSuccess).toBe(true)
    expect(await old.UpdateDevice(keyless.report())).toEqual(refusal('Device requires signed updates.'))
  })
})

describe('the age of an update', () => {
  test('is accepted up to the tolerance before and after the clock of the server', async () => {
    const clock = manualClock(Date.UTC(2030, 5, 1))
    const server = await useTestServer({ clock, settings: { AppOptions__AgentClockSkewTolerance: '00:00:10' } })
    const agent = await enroll(await server.owner())
    const connection = await agent.open(server.url)
    const reasonAt = async (offsetMs: number) => {
      const timestamp = new Date(clock.now() + offsetMs).toISOString()
      return (await connection.UpdateDeviceSigned(agent.signed(agent.report(), { timestamp }))).reason
    }
    expect([await reasonAt(-10_000), await reasonAt(10_000)]).toEqual([null, null])
    expect([await reasonAt(-10_001), await reasonAt(10_001)]).toEqual(['Timestamp expired.', 'Timestamp expired.'])
  })

  test('is not checked when the tolerance is off, but no update is accepted twice', async () => {
    const { agent, connection } = await prepared({ AppOptions__AgentClockSkewTolerance: '' })
    const update = agent.signed(agent.report(), { timestamp: '2001-01-01T00:00:00+00:00' })
    expect((await connection.UpdateDeviceSigned(update)).isSuccess).toBe(true)
    expect((await connection.UpdateDeviceSigned(update)).reason).toBe('Timestamp expired.')
  })

  test('has to grow when the tolerance is off: a clock that was far ahead is not put right', async () => {
    const { agent, connection } = await prepared({ AppOptions__AgentClockSkewTolerance: '' })
    const reasonIn = async (year: number) => {
      const timestamp = `${year}-01-01T00:00:00+00:00`
      return (await connection.UpdateDeviceSigned(agent.signed(agent.report(), { timestamp }))).reason
    }
    expect([await reasonIn(2090), await reasonIn(2026)]).toEqual([null, 'Timestamp expired.'])
  })
})

describe('self-bootstrap', () => {
  const settings = { AppOptions__AllowAgentsToSelfBootstrap: 'true', AppOptions__EnablePublicRegistration: 'true' }

  test('enrolls an unknown device into the only tenant, with its key', async () => {
    const { server, owner } = await prepared(settings)
    const agent = new TestAgent(zeroId)
    const connection = await agent.open(server.url)
    expect(await connection.UpdateDeviceSigned(agent.signed(agent.report()))).toMatchObject({
      isSuccess: true,
      value: { tenantId: owner.tenantId, isOnline: true },
    })
    const other = new TestAgent(zeroId, agent.id)
    const refused = await (await other.open(server.url)).UpdateDeviceSigned(other.signed(other.report()))
    expect(refused).toEqual(refusal('Signature verification failed.'))
  })

  test('several simultaneous first updates of one device create one device', async () => {
    const { server, owner } = await prepared(settings)
    const agent = new TestAgent(zeroId)
    const connections = await Promise.all(Array.from({ length: 4 }, () => agent.open(server.url)))
    const answers = await Promise.all(
      connections.map(({ UpdateDeviceSigned }) => UpdateDeviceSigned(agent.signed(agent.report()))),
    )
    expect(answers.map(({ isSuccess }) => isSuccess)).toEqual([true, true, true, true])
    expect(await owner.devices.summary({})).toHaveLength(2)
  })

  test('a known device keeps its tenant, whichever its update names', async () => {
    const { owner, agent, connection } = await prepared(settings)
    const { value } = await connection.UpdateDeviceSigned(agent.signed(agent.report({ tenantId: unknownId })))
    expect(value?.tenantId).toBe(owner.tenantId)
  })

  test('is refused unless there is exactly one tenant and the update names it or none', async () => {
    const server = await useTestServer({ settings })
    const agent = new TestAgent(zeroId)
    const connection = await agent.open(server.url)
    const update = (tenantId: string) => connection.UpdateDeviceSigned(agent.signed(agent.report({ tenantId })))
    expect(await update(zeroId)).toEqual(refusal('No tenants found.'))
    await server.owner()
    expect(await update(unknownId)).toEqual(refusal('Invalid tenant ID.'))
    await server.owner({ email: 'grace@example.org' })
    expect(await update(zeroId)).toEqual(
      refusal('Self-bootstrap is only allowed on single-tenant servers. Use an installer key instead.'),
    )
  })
})

test('a decommissioned agent is uninstalled, then its device is deleted', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  server.settings.ServerLifecycle__DecommissionServer = 'true'
  await server.restart()
  const told: string[] = []
  const connection = await agent.open(server.url, { UninstallAgent: (reason) => void told.push(reason) })
  const forged = new TestAgent(owner.tenantId, agent.id)
  expect((await connection.UpdateDeviceSigned(forged.signed(forged.report()))).reason).toBe(
    'Signature verification failed.',
  )
  expect(await connection.UpdateDeviceSigned(agent.signed(agent.report()))).toEqual(
    refusal('Server is decommissioned.'),
  )
  expect(told).toEqual(['Server has been decommissioned.'])
  expect(await owner.devices.list({})).toEqual([])
})
