import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../shared/contract/client.ts'
import { missingForCluster, startCluster, type TestCluster } from '../support/cluster.ts'
import { atTenant } from '../support/grants.ts'
import { isNight } from '../support/night.ts'
import { serverProgram } from '../support/built-programs.ts'
import { integrator, registerOwner, type Integrator, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const serverCount = 3
/** Histories at the same time; one server is killed in the middle of them. */
const together = 25
const rounds = Math.ceil(Number(process.env['FARHAND_HISTORIES'] ?? 1_000) / together)
/** Ended keys must be rejected because they have ended, not because of their number. */
const settings = { AppOptions__ServiceAccountAuthFailureLimit: '0' }
/** Time in which a change reaches every server. */
const secondMs = 1_000
const timeout = 3_600_000

interface Step {
  kind: 'write' | 'claim' | 'use' | 'grant' | 'revoke' | 'end'
  server: number
  /** Name of a claim, which other histories want too. */
  name: number
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('write', 'claim', 'use', 'grant', 'revoke', 'end'),
  server: fc.nat(serverCount - 1),
  name: fc.nat(9),
})
const round = fc.record({
  histories: fc.array(fc.array(step, { minLength: 4, maxLength: 10 }), { minLength: together, maxLength: together }),
  killed: fc.nat(serverCount - 1),
  /** Part of all steps before the kill. */
  killAfter: fc.double({ min: 0, max: 0.9, noNaN: true }),
})

/** Outcome of a request that a killed server did not answer, or that was answered with 503: it may be stored. */
const unknown = Symbol('unknown')
type Status = number | typeof unknown

/** Result of a request, or its status, if it is not 2xx. */
async function answerOf<T>(request: Promise<T>): Promise<{ status: Status; value?: T }> {
  try {
    return { status: 200, value: await request }
  } catch (error) {
    return { status: error instanceof ApiError && error.status !== 503 ? error.status : unknown }
  }
}

/** Resolves after so long; by a second a change has reached every server. */
function secondsLater(seconds = 1): Promise<unknown> {
  const at = performance.now() + seconds * secondMs
  return until(() => performance.now() >= at)
}

interface Account {
  id: string
  credentialId: string
  /** Clients of each server with its key. */
  programs: Integrator[]
}

/** History of one service account. Its results say what must be true at every server. */
class History {
  readonly claimed: string[] = []
  /** Rights that a server accepted a second after their end. */
  readonly outlived: unknown[] = []
  readonly stored: string[] = []
  readonly #tenantId: string
  readonly #name: string
  readonly #owners: Integrator[]
  readonly #account: Account
  readonly #checks: Promise<void>[] = []
  #right: 'none' | 'held' | typeof unknown = 'none'
  #assignmentId = ''
  #written = 0

  constructor(name: string, { tenantId }: Member, owners: Integrator[], account: Account) {
    this.#name = name
    this.#tenantId = tenantId
    this.#owners = owners
    this.#account = account
  }

  async live(steps: readonly Step[], stepped: () => void): Promise<void> {
    for (const { kind, server, name } of steps) {
      await this[kind](this.#owners[server]!, this.#account.programs[server]!, name)
      stepped()
    }
    await Promise.all(this.#checks)
  }

  /** Answered writes that cannot be read at a server, and rights that are held and cannot be used. */
  async lost() {
    const tenantId = this.#tenantId
    const reads = this.#owners.flatMap((owner, server) =>
      this.stored.map(async (tagId) => {
        const { status } = await answerOf(owner.tags.get({ tenantId, params: { tagId } }))
        return { what: 'tag', server, status }
      }),
    )
    const programs = this.#right === 'held' ? this.#account.programs : []
    const uses = programs.map(async (program, server) => {
      const { status } = await this.#tag(program)
      return { what: 'right', server, status }
    })
    return (await Promise.all([...reads, ...uses])).filter(({ status }) => status !== 200)
  }

  #tag(by: Integrator, name = `${this.#name}-${this.#written++}`) {
    return answerOf(by.tags.create({ tenantId: this.#tenantId, body: { name } }))
  }

  async write(owner: Integrator): Promise<void> {
    const { value } = await this.#tag(owner)
    this.stored.push(...(value ? [value.id] : []))
  }

  use(_: Integrator, program: Integrator): Promise<void> {
    return this.write(program)
  }

  async claim(owner: Integrator, _: Integrator, number: number): Promise<void> {
    const name = `${this.#name.split('-')[0]}-claim-${number}`
    const { value } = await this.#tag(owner, name)
    this.claimed.push(...(value ? [name] : []))
  }

  async grant(owner: Integrator): Promise<void> {
    if (this.#right === 'none') {
      const tenantId = this.#tenantId
      const grant = { ...atTenant('tenant.tags.write'), scopeId: tenantId, effect: 'Allow', isEnabled: true } as const
      const body = { ...grant, principalKind: 'ServiceAccount', principalId: this.#account.id } as const
      const { status, value } = await answerOf(owner.permissionAssignments.create({ tenantId, body }))
      this.#right = status === 200 ? 'held' : unknown
      this.#assignmentId = value?.id ?? ''
    }
  }

  async revoke(owner: Integrator): Promise<void> {
    if (this.#right === 'held') {
      const params = { assignmentId: this.#assignmentId }
      const { status } = await answerOf(owner.permissionAssignments.delete({ tenantId: this.#tenantId, params }))
      this.#right = status === 200 ? 'none' : unknown
      if (status === 200) {
        // The next step may grant it again.
        await this.#expectEnded('right')
      }
    }
  }

  async end(owner: Integrator): Promise<void> {
    const { id: serviceAccountId, credentialId } = this.#account
    const params = { tenantId: this.#tenantId, serviceAccountId, credentialId }
    const { status } = await answerOf(owner.tenantServiceAccounts.revokeCredential({ params }))
    this.#right = unknown
    if (status === 200) {
      this.#checks.push(this.#expectEnded('key'))
    }
  }

  /** Notes which servers accept, a second after its end, what has ended, and for how long they do. */
  async #expectEnded(what: 'right' | 'key'): Promise<void> {
    const endedAt = performance.now()
    await secondsLater()
    const checks = this.#account.programs.map(async (program, server) => {
      const isAccepted = async () => {
        const { status } = await this.#tag(program)
        return status !== unknown && ![401, 403].includes(status)
      }
      if (await isAccepted()) {
        await Promise.race([until(async () => !(await isAccepted())), secondsLater(10)])
        this.outlived.push({ history: this.#name, what, server, forMs: performance.now() - endedAt })
      }
    })
    await Promise.all(checks)
  }
}

// Kills a server every few seconds: in npm run test:scale, and at night.
describe.skipIf(missingForCluster || !isNight)('random histories of write, kill and read', { timeout }, () => {
  const ends: (() => void | Promise<void>)[] = []
  let cluster: TestCluster
  let owner: Member
  let owners: Integrator[]
  beforeAll(async () => {
    cluster = await startCluster((work) => void ends.push(work), { servers: serverCount, settings })
    owner = await registerOwner(cluster.first.url)
    const body = { name: 'all servers' }
    const { plainTextToken } = await owner.personalAccessTokens.create({ tenantId: owner.tenantId, body })
    owners = at({ 'x-personal-token': plainTextToken })
  }, timeout)
  afterAll(async () => {
    for (const end of ends.toReversed()) {
      await end()
    }
  })

  /** Clients of the servers, with the same credential. */
  const at = (headers: Record<string, string>) => cluster.servers.map(({ url }) => integrator(url, headers))

  async function begin(name: string): Promise<History> {
    const { tenantId, tenantServiceAccounts } = owner
    const { id } = await tenantServiceAccounts.create({ params: { tenantId }, body: { name } })
    const params = { tenantId, serviceAccountId: id }
    const made = await tenantServiceAccounts.createCredential({ params, body: { name: 'key' } })
    const programs = at({ 'x-api-key': made.plainTextSecretKey })
    return new History(name, owner, owners, { id, credentialId: made.credential.id, programs })
  }

  /** Kills a server after a number of steps, and starts it again. */
  function killAfter(steps: number, index: number) {
    const restarted = Promise.withResolvers<void>()
    let left = steps
    const restart = async () => {
      const server = cluster.servers[index]!
      await server.process.kill()
      await server.start()
    }
    const stepped = () => {
      left -= 1
      if (left === 0) {
        restarted.resolve(restart())
      }
    }
    return { stepped, restarted: restarted.promise }
  }

  test('an answered write is stored, a name is given once, and no right outlives its end by more than a second', async () => {
    let answered = 0
    for (const [number, { histories, killed, killAfter: part }] of fc.sample(round, rounds).entries()) {
      const begun = await Promise.all(histories.map((_, index) => begin(`r${number}-${index}`)))
      const { stepped, restarted } = killAfter(1 + Math.floor(part * histories.flat().length), killed)
      await Promise.all(begun.map((each, index) => each.live(histories[index]!, stepped)))
      await restarted
      expect(
        begun.flatMap(({ outlived }) => outlived),
        `server ${killed} was killed`,
      ).toEqual([])
      const claimed = begun.flatMap((each) => each.claimed)
      expect(new Set(claimed).size).toBe(claimed.length)
      await secondsLater()
      await until(async () => {
        const lost = (await Promise.all(begun.map((each) => each.lost()))).flat()
        expect(lost.filter(({ status }) => status !== unknown)).toEqual([])
        return lost.length === 0
      })
      answered += begun.flatMap(({ stored }) => stored).length
    }
    // A third of all steps goes to a server that may have been killed before the first one.
    expect(answered).toBeGreaterThan((rounds * together) / 2)
    const place = { Cluster__RedisUrl: cluster.redis.url, DataDirectory: cluster.first.directory }
    const variables = Object.entries({ ...cluster.database.settings, ...place })
    const { stdout } = await promisify(execFile)(process.execPath, [serverProgram, 'audit', 'verify'], {
      env: { ...process.env, ...Object.fromEntries(variables.map(([key, value]) => [`Service_${key}`, value])) },
    })
    expect(stdout).toContain('The audit log holds')
  })
})
