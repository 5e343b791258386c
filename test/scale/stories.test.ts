import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSecretStore } from '../../server/engines/secrets/open.ts'
import { openSealer } from '../../server/engines/secrets/sealer.ts'
import { createLog } from '../../server/ground/log.ts'
import { describeEnds } from './ends.ts'
import { missingForCluster, startCluster, type ClusterServer, type TestCluster } from '../support/cluster.ts'
import { isNight } from '../support/night.ts'
import { createUser } from '../support/people.ts'
import { runIn } from '../support/postgres.ts'
import { serverProgram } from '../support/built-programs.ts'
import { connectWorkDevice, showsTerminal, startWork } from '../support/running-work.ts'
import { account, registerOwner, signInTo, type Member } from '../support/server.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'
import { until } from '../support/until.ts'

/** Starting servers from the source takes long on a busy machine. */
const timeout = 240_000

describe.skipIf(missingForCluster)('several servers of one database', { timeout }, () => {
  const ends: (() => void | Promise<void>)[] = []
  let cluster: TestCluster
  let owner: Member
  /** The owner, signed in at each server. */
  let members: Member[]
  beforeAll(async () => {
    cluster = await startCluster((work) => void ends.push(work), { servers: isNight ? 4 : 2 })
    owner = await registerOwner(cluster.first.url)
    members = [owner, ...(await Promise.all(cluster.servers.slice(1).map(({ url }) => signInTo(url))))]
  }, timeout)
  afterAll(async () => {
    for (const end of ends.toReversed()) {
      await end()
    }
  })

  describe('an end at one', () => {
    describeEnds({
      get cluster() {
        return cluster
      },
      get owner() {
        return owner
      },
      get ownerAtSecond() {
        return members[1]!
      },
    })
  })

  test('wrong passwords count together, wherever they are tried', async () => {
    const { email } = await createUser(owner, { password: account.password })
    const attempt = (index: number, password: string) =>
      signIn(cluster.servers[index % cluster.servers.length]!.url, email, password)
    for (let index = 0; index < 5; index++) {
      await attempt(index, 'Wrong-Horse-7')
    }
    expect(await attempt(0, account.password)).toMatchObject({ isLockedOut: true })
    expect(await attempt(1, account.password)).toMatchObject({ isLockedOut: true })
  })

  test('guesses at all at the same moment are at most two more than at one', async () => {
    const { email } = await createUser(owner, { password: account.password })
    const guesses = Array.from({ length: 20 }, (_, index) =>
      signIn(cluster.servers[index % cluster.servers.length]!.url, email, 'Wrong-Horse-7'),
    )
    const counted = (await Promise.all(guesses)).filter(({ isLockedOut }) => !isLockedOut)
    expect(counted.length).toBeLessThan(7)
  })

  test('each change is in one audit log, whose chain holds', async () => {
    await Promise.all(members.map((member, index) => createTag(member, `tag-${index}`)))
    const { stdout } = await promisify(execFile)(process.execPath, [serverProgram, 'audit', 'verify'], {
      env: { ...process.env, ...variablesOf(cluster, cluster.first.directory) },
    })
    expect(stdout).toContain('The audit log holds')
  })

  test('a server without the secrets of the others, or with its own, does not start', async () => {
    const [without, other] = [await temporaryFolder(), await temporaryFolder()]
    await openSealer(
      await openSecretStore({ directory: other, preference: 'file', log: createLog({ default: 'None' }) }),
    )
    const settings = settingsOf(cluster)
    await Promise.all([
      expect(startServerProcess(without, settings)).rejects.toThrow('does not have the secrets of this database'),
      expect(startServerProcess(other, settings)).rejects.toThrow('has other secrets than this database'),
    ])
  })

  test('the Health page of each names all', async () => {
    const reports = await Promise.all(members.map((member) => member.applianceHealth.report({})))
    const rows = reports.map(({ checks }) => checks.find(({ id }) => id === 'servers'))
    expect(rows).toMatchObject(cluster.servers.map(() => ({ state: 'ok' })))
    const urls = cluster.servers.map(({ url }) => url)
    rows.forEach((row, index) => {
      const others = urls.filter((_, place) => place !== index)
      expect(others.filter((url) => row!.summary.includes(url))).toEqual(others)
    })
  })

  test('without Redis all say so on every page and in Health, go on with what is stored, and agree again after it', async () => {
    const isApart = async (member: Member) => (await member.applianceStatus.get({})).isApart
    const areApart = () => Promise.all(members.map(isApart))
    await until(async () => !(await areApart()).includes(true))
    await cluster.redis.stop()
    await until(async () => !(await areApart()).includes(false))
    const { checks } = await members[1]!.applianceHealth.report({})
    expect(checks.find(({ id }) => id === 'servers')).toMatchObject({ state: 'problem' })
    const { id } = await createTag(owner, 'without-redis')
    await until(async () => {
      const { items } = await members[1]!.tags.list({ tenantId: owner.tenantId, query: {} })
      return items.some((tag) => tag.id === id)
    })
    await cluster.redis.start()
    await until(async () => !(await areApart()).includes(true))
  })

  test('clients without stickiness come back when the server of their device is killed, and another does its work for all', async () => {
    const { first, database } = cluster
    const others = cluster.servers.slice(1)
    const works = ({ process: { lines } }: ClusterServer) =>
      lines.some((line) => line.includes('does the work that one server does'))
    expect(cluster.servers.map(works)).toEqual([true, ...others.map(() => false)])
    const rows = <Row>(sql: string) => runIn<Row>(database.options, sql, [])
    const [before] = await rows<{ id: string }>('SELECT id FROM servers WHERE worksUntil > 0')
    await rows(
      `INSERT INTO batches (id, owner, kind, createdAt, serverId) VALUES ('b', 'o', 'restart', 1, '${before!.id}')`,
    )
    const member = await signInTo(cluster.url)
    const device = await connectWorkDevice(owner)
    const work = await startWork(cluster.url, member.headers, device)
    await first.process.kill()
    await Promise.all([device.closed, work.end])
    const again = await connectWorkDevice(member, device.agent)
    expect(await (await startWork(cluster.url, member.headers, again)).showsOutput()).toEqual([true, true])
    const [viewer] = work.viewers
    await Promise.any([viewer!.closed, showsTerminal(viewer!, again)])
    await until(() => others.some(works))
    expect(await rows('SELECT 1 FROM batches WHERE finishedAt IS NULL')).toEqual([])
    expect(await rows<{ id: string }>('SELECT id FROM servers')).not.toContainEqual(before)
    await first.start()
    expect(works(first)).toBe(false)
  })
})

const createTag = ({ tags, tenantId }: Member, name: string) => tags.create({ tenantId, body: { name } })

const signIn = async (url: string, email: string, password: string) => {
  const response = await fetch(`${url}/api/appliance/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password }),
  })
  return (await response.json()) as { isLockedOut: boolean }
}

const settingsOf = ({ database, redis }: TestCluster) => ({ ...database.settings, Cluster__RedisUrl: redis.url })

const variablesOf = (cluster: TestCluster, directory: string) =>
  Object.fromEntries(
    Object.entries({ ...settingsOf(cluster), DataDirectory: directory }).map(([key, value]) => [
      `Service_${key}`,
      value,
    ]),
  )
