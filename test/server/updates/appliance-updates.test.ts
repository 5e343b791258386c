import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { TestAgent, installerKey } from '../../support/agent.ts'
import { shiftedClock } from '../../support/clock.ts'
import { offer, otherKey, stubFiles, trustedKey } from '../../support/installation.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, useTestServer, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const jobMs = 30_000
const minute = 60_000

const folder = join(tmpdir(), `farhand-test-${randomUUID()}`)
const [downloads, feed] = [join(folder, 'downloads'), join(folder, 'feed')]
const clock = shiftedClock(jobMs)
const server = serverForFile({
  clock,
  settings: { DownloadsDirectory: downloads, AppOptions__AgentClockSkewTolerance: '' },
  machine: { releaseKeys: [trustedKey] },
})
mkdirSync(downloads, { recursive: true })
mkdirSync(feed)
writeFileSync(join(downloads, 'Version.txt'), '0.9.0.0')
const owner = ownerForFile(server)
let reader: Member
let member: Member

beforeAll(async () => {
  const atServer = { permissionName: 'server.telemetry.read', scopeKind: 'Server', scopeId: null } as const
  reader = await addMember(server, owner.tenantId, [atServer])
  member = await addMember(server, owner.tenantId, ['tenant.settings.write'])
})

const setFeed = (value: string | null) =>
  owner.applianceServer.changeSettings({ body: { changes: [{ key: 'Updates__Feed', value }] } })

describe('the feed', () => {
  test('is off without an address, which must be https or a folder', async () => {
    expect(await owner.applianceUpdates.state({})).toMatchObject({
      feed: null,
      offered: null,
      checkedAt: null,
      runs: [],
    })
    await expect(owner.applianceUpdates.check({})).rejects.toThrow('No feed is set')
    for (const address of ['http://example.org/', 'ftp://example.org/', 'releases', 'https://a:b@example.org/']) {
      await expect(setFeed(address), address).rejects.toThrow('must be an https address')
    }
    await setFeed('https://example.org/releases')
    await setFeed(feed)
  })

  test('of a build without a release key cannot be used, and the page says so', async () => {
    const keyless = await useTestServer({ machine: { releaseKeys: [] } })
    const { problem } = await (await keyless.owner()).applianceUpdates.state({})
    expect(problem).toContain('built without a release key, so it cannot verify releases and cannot update')
  })

  test('offers a newer version with its notes, and this copy says why it cannot install it', async () => {
    await offer(feed, { version: '9.0.0.0', files: stubFiles('9.0.0.0') })
    expect(await owner.applianceUpdates.check({})).toMatchObject({
      problem: null,
      offered: {
        version: '9.0.0.0',
        notes: 'What is new in 9.0.0.0',
        problem: expect.stringContaining('This copy of Farhand was not started from an installed package'),
      },
    })
    await expect(owner.applianceUpdates.install({ body: { version: '9.0.0.0' } })).rejects.toThrow(
      'was not started from',
    )
    await expect(owner.applianceUpdates.install({ body: { version: '8.0.0.0' } })).rejects.toThrow(
      'not offered any more',
    )
    await expect(owner.applianceUpdates.back({})).rejects.toThrow('was not started from')
  })

  test('that is forged or older than before is reported, and the earlier offer stays', async () => {
    await offer(feed, { version: '9.9.0.0', files: stubFiles('9.9.0.0'), key: otherKey })
    const forged = await owner.applianceUpdates.check({})
    expect([forged.problem, forged.offered?.version]).toEqual([
      expect.stringContaining('not signed with a key that this server trusts'),
      '9.0.0.0',
    ])
    const signedAt = Date.now() - 60 * minute
    await offer(feed, { version: '9.0.1.0', files: stubFiles('9.0.1.0'), changes: { signedAt } })
    expect((await owner.applianceUpdates.check({})).problem).toContain('An old copy of the feed was rejected')
  })

  test('that shows this version or an older one offers nothing', async () => {
    await offer(feed, { version: '0.0.1.0', files: stubFiles('0.0.1.0') })
    expect(await owner.applianceUpdates.check({})).toMatchObject({ problem: null, offered: null })
  })

  test('that needs a version in between says which', async () => {
    await offer(feed, { version: '9.0.0.0', files: stubFiles('9.0.0.0'), changes: { minimumVersion: '5.0.0.0' } })
    const { offered } = await owner.applianceUpdates.check({})
    expect(offered?.problem).toBe('Version 9.0.0.0 cannot follow 0.1.0.0 directly. Install 5.0.0.0 first.')
  })
})

test('only readers of the telemetry see versions, and only those who may change settings update', async () => {
  await expect(member.applianceUpdates.state({})).rejects.toMatchObject({ status: 403 })
  await reader.applianceUpdates.state({})
  const changes = [
    reader.applianceUpdates.check({}),
    reader.applianceUpdates.install({ body: { version: '9.0.0.0' } }),
    reader.applianceUpdates.back({}),
    reader.applianceUpdates.resumeRollout({}),
  ]
  for (const change of await Promise.allSettled(changes)) {
    expect(change).toMatchObject({ status: 'rejected', reason: { status: 403 } })
  }
})

/** Device with an old agent of ours, which answers requests to update as the test says. */
class Device extends TestAgent {
  asked = 0
  readonly #visitor: Member

  constructor(of: Member) {
    super(of.tenantId)
    this.make = 'Farhand'
    this.#visitor = of
  }

  async start(key: Parameters<TestAgent['register']>[1]) {
    await this.register(this.#visitor, key, { agentVersion: '0.8.0.0' })
    return this.runs('0.8.0.0')
  }

  /** Connects with a version. */
  async runs(agentVersion: string) {
    const agent = await this.open(server.url, { ReceiveAgentUpdateTrigger: () => void this.asked++ })
    const { isSuccess, reason } = await agent.UpdateDeviceSigned(this.signed(this.report({ agentVersion })))
    if (!isSuccess) {
      throw new Error(`The update was refused: ${reason}`)
    }
    return agent
  }

  isDue = async () =>
    (await this.#visitor.applianceUpdates.isDue({ params: { deviceId: this.id }, query: { version: '0.8.0.0' } })).isDue
}

test('a new agent goes to one device, to ten per cent, and to all, and is stopped by a failure', async () => {
  const rollout = async () => (await owner.applianceUpdates.state({})).rollout
  const when = (isSo: (state: NonNullable<Awaited<ReturnType<typeof rollout>>>) => boolean) =>
    until(async () => {
      clock.pass()
      const state = await rollout()
      return state && isSo(state) ? state : undefined
    })
  /** The ten minutes of a ring begin with the pass that finds it settled. */
  const untilRing = (ring: number) =>
    until(async () => {
      clock.pass()
      if ((await rollout())?.ring === ring) {
        return true
      }
      clock.shift(minute)
      return undefined
    })
  expect(await rollout()).toBeNull()
  const key = await installerKey(owner)
  const devices = Array.from({ length: 12 }, () => new Device(owner))
  const connections = new Map(
    await Promise.all(devices.map(async (device) => [device, await device.start(key)] as const)),
  )
  const askedDevices = () => devices.filter(({ asked }) => asked > 0)
  const update = async (device: Device) => {
    await connections.get(device)!.connection.stop()
    connections.set(device, await device.runs('0.9.0.0'))
  }

  await when(({ counts }) => counts.asked === 1)
  const [first] = await until(() => (askedDevices().length === 1 ? askedDevices() : undefined))
  expect([await first!.isDue(), await devices.find((device) => device !== first)!.isDue()]).toEqual([true, false])
  await update(first!)
  await when(({ counts }) => counts.updated === 1)
  clock.shift(9 * minute)
  expect(await when(({ ring }) => ring === 1)).toMatchObject({ counts: { waiting: 11 } })
  expect(askedDevices().length).toBe(1)

  await untilRing(2)
  await when(({ counts }) => counts.asked === 2)
  const [second, third] = await until(() => {
    const others = askedDevices().filter((device) => device !== first)
    return others.length === 2 ? others : undefined
  })
  await update(second!)
  // The other one stays silent.
  clock.shift(16 * minute)
  const stopped = await when(({ state }) => state === 'stopped')
  expect(stopped).toMatchObject({
    reason: '1 of 2 devices of ring 2 failed. It still runs version 0.8.0.0 15 minutes later.',
    failures: [{ deviceId: third!.id }],
  })
  expect(await devices.find(({ asked }) => asked === 0)!.isDue()).toBe(false)

  expect((await owner.applianceUpdates.resumeRollout({})).rollout).toMatchObject({
    state: 'running',
    counts: { failed: 0, skipped: 1 },
  })
  await when(({ counts }) => counts.asked === 1)
  const fourth = await until(() => askedDevices().find((device) => ![first, second, third].includes(device)))
  await update(fourth)
  await when(({ counts }) => counts.updated === 3)
  await untilRing(3)
  await when(({ counts }) => counts.waiting === 0)
  await until(() => askedDevices().length === 12)
  expect(await Promise.all(devices.map((device) => device.isDue()))).toEqual(devices.map(() => true))

  const { items } = await owner.applianceAuditLog.listAll({ query: { category: 'server' } })
  const kinds = items.map(({ kind }) => kind).filter((kind) => kind.includes('rollout'))
  expect(kinds.toReversed()).toEqual([
    'server.agents-rollout',
    'server.agents-rollout',
    'server.agents-rollout-stopped',
    'server.agents-rollout-resumed',
    'server.agents-rollout',
  ])
  await Promise.all([...connections.values()].map(({ connection }) => connection.stop()))
})
