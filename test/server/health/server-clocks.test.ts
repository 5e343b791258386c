import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../server/ground/clock.ts'
import { serverClocks } from '../../../server/health/server-clocks.ts'
import { canJoin, joinedForFile } from '../../support/joined-servers.ts'
import { until } from '../../support/until.ts'

const aheadMs = 3 * 60_000

describe.runIf(canJoin)('two servers of which one has a clock three minutes ahead', () => {
  const joined = joinedForFile({ clockOfTwo: { ...systemClock, now: () => systemClock.now() + aheadMs } })

  test('both servers show a warning in Health', async () => {
    const { owner, ownerAtTwo } = joined
    const rowOf = async (member: typeof owner) =>
      (await member.applianceHealth.report({})).checks.find(({ id }) => id === serverClocks.id)
    for (const [member, which] of [
      [ownerAtTwo, /this one 3 minutes ahead/],
      [owner, /this one right, .* 3 minutes ahead/],
    ] as const) {
      const row = await until(async () => {
        const found = await rowOf(member)
        return found?.state === 'warning' ? found : undefined
      })
      expect(row.summary).toContain('are 3 minutes apart')
      expect(row.summary).toMatch(which)
    }
  })
})

test.for([
  [0, [0], 'ok'],
  [0, [29_000], 'ok'],
  [0, [31_000], 'warning'],
  [-20_000, [20_000], 'warning'],
  [0, [-6 * 60_000], 'problem'],
  [6 * 60_000, [], 'problem'],
] as const)('clocks %d ms and %j ms ahead of the database are %s', ([own, others, state]) => {
  const servers = {
    clockAheadMs: own,
    others: others.map((clockAheadMs) => ({ name: 'b', address: '', clockAheadMs })),
  }
  const app = { servers, config: { cluster: { nodeUrl: undefined } } }
  expect(serverClocks.run(app as unknown as Parameters<typeof serverClocks.run>[0])).toMatchObject({ state })
})
