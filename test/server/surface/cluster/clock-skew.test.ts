import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../../server/ground/clock.ts'
import { enroll } from '../../../support/agent.ts'
import { atTenant } from '../../../support/grants.ts'
import { canJoin, joinedForFile } from '../../../support/joined-servers.ts'
import { addTenantAccount } from '../../../support/people.ts'
import { integrator } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

const behindMs = 3 * 60_000
/** Time after which no server accepts an ended key. */
const secondMs = 1_000

describe.runIf(canJoin)('two servers of which one has a clock three minutes behind', () => {
  const joined = joinedForFile({
    // By default, 1 minute: a server whose clock is further away rejects all reports.
    settings: { AppOptions__AgentClockSkewTolerance: '00:05:00' },
    clockOfTwo: { ...systemClock, now: () => systemClock.now() - behindMs },
  })

  test('both stay members while they renew their leases, and one of them keeps the work for all', async () => {
    const { one, two } = joined
    const read = () =>
      one.rows<{ id: string; aliveUntil: number; worksUntil: number }>(
        'SELECT id, aliveUntil, worksUntil FROM servers ORDER BY id',
      )
    const workers = new Set<string>()
    let last = await read()
    for (let renewals = 0; renewals < 2; renewals++) {
      last = await until(async () => {
        const now = await read()
        return now.every(({ aliveUntil }, index) => aliveUntil > last[index]!.aliveUntil) ? now : undefined
      })
      last.filter(({ worksUntil }) => worksUntil > 0).forEach(({ id }) => workers.add(id))
    }
    expect(last).toHaveLength(2)
    expect(workers.size).toBe(1)
    const messages = [...one.log.lines, ...two.log.lines].map(({ message }) => message)
    expect(messages).not.toContain('A server of the cluster is gone.')
  })

  test('a key that ends at one of them is rejected by the other within a second', async () => {
    const { owner, ownerAtTwo } = joined
    const { tenantId } = owner
    for (const [by, other] of [
      [owner, ownerAtTwo],
      [ownerAtTwo, owner],
    ] as const) {
      const { id, key, credentialId } = await addTenantAccount(by, [atTenant('tenant.tags.write')])
      const elsewhere = integrator(other.url, { 'x-api-key': key })
      const use = async () => {
        const name = crypto.randomUUID()
        return elsewhere.tags.create({ tenantId, body: { name } }).then(
          () => 200,
          ({ status }: { status: number }) => status,
        )
      }
      await until(async () => (await use()) === 200)
      await by.tenantServiceAccounts.revokeCredential({ params: { tenantId, serviceAccountId: id, credentialId } })
      const endsAt = performance.now() + secondMs
      await until(() => performance.now() >= endsAt)
      // 503 while a slow database answers late; never 200.
      expect([401, 503]).toContain(await use())
      await until(async () => (await use()) === 401)
    }
  })

  test('a device with the right time is held by the server to which it connected last, as both say', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    const device = await enroll(owner)
    const holderOf = async (member: typeof owner) =>
      (await member.devices.get({ params: { deviceId: device.id } }).catch(() => undefined))?.connectionId
    const before = new Set<string | undefined>(['', undefined])
    for (const url of [one.url, two.url, one.url]) {
      await device.connect(url)
      const connectionId = await until(async () => {
        const [here, there] = [await holderOf(owner), await holderOf(ownerAtTwo)]
        return here === there && !before.has(here) ? here : undefined
      })
      before.add(connectionId)
    }
  })
})
