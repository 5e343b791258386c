import { expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../../../../tools/simulate/redis.ts'
import { canJoin } from '../../../support/joined-servers.ts'
import { postgresPrograms, runIn, startPostgres, usePostgres } from '../../../support/postgres.ts'
import { useTestServer } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

/** Starts PostgreSQL and Redis; returns Redis. */
async function machines() {
  const postgres = await startPostgres(postgresPrograms()!)
  onTestFinished(() => postgres.remove())
  onTestFinished(usePostgres(postgres.port))
  const redis = await startRedis()
  onTestFinished(() => redis.remove())
  return redis
}

const timeout = 240_000

test.runIf(canJoin)(
  'servers of an unclaimed database show one setup code, also after a restart',
  { timeout },
  async () => {
    const settings = { Cluster__RedisUrl: (await machines()).url }
    const one = await useTestServer({ settings })
    const two = await useTestServer({ settings, beside: one })
    expect(one.setupCode).toMatch(/^[A-Z2-9]{5}-[A-Z2-9]{5}$/)
    expect(two.setupCode).toBe(one.setupCode)
    await two.restart()
    expect(two.setupCode).toBe(one.setupCode)
  },
)

test.runIf(canJoin)('a server of a copy of the database does not join those of the original', { timeout }, async () => {
  const redis = await machines()
  const settings = { Cluster__RedisUrl: redis.url }
  const one = await useTestServer({ settings })
  await one.owner()
  const { place } = one.database!.options
  const copy = `${place.name}_copy`
  await one.asleep(() =>
    runIn(
      { ...one.database!.options, place: { ...place, name: 'postgres' } },
      `CREATE DATABASE ${copy} TEMPLATE ${place.name}`,
      [],
    ),
  )
  const two = await useTestServer({ settings: { ...settings, POSTGRES_DB: copy }, beside: one })
  // Each has renewed its lease among the servers of its own database.
  await until(() => redis.command('KEYS', '*leases').split('\n').length === 2)
  const three = await useTestServer({ settings, beside: one })
  await until(() => three.log.lines.some(({ message }) => message === 'A server of the cluster is there.'))
  expect(two.log.lines.map(({ message }) => message)).not.toContain('A server of the cluster is there.')
})
