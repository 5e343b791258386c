import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openCluster } from '../../../../server/engines/cluster/cluster.ts'
import { systemClock } from '../../../../server/ground/clock.ts'
import { filesOf, otherAuthority } from '../../../support/certificates.ts'
import { clusterSecret } from '../../../support/cluster-secret.ts'
import { createTestLog } from '../../../support/log.ts'
import { hasRedis, startRedis } from '../../../../tools/simulate/redis.ts'
import { until } from '../../../support/until.ts'

/** As docs/scale.md writes it. */
const rule =
  'on >secret resetchannels &farhand:* ~farhand:* -@all +eval +publish +subscribe +get +set +zadd +zrange +zscore +zrem +hset +hget +hdel +time +ping +select'

/** A Redis with TLS alone, by its own authority, and with a user that may do no more than servers need. */
async function closedRedis() {
  const authority = await otherAuthority()
  const { cert, key } = await authority.issue(['127.0.0.1'])
  const files = await filesOf({ 'cert.pem': cert, 'key.pem': key, 'ca.pem': authority.pem })
  const tls = ['--tls-cert-file', files['cert.pem'], '--tls-key-file', files['key.pem'], '--tls-auth-clients', 'no']
  const users = ['--user', ...`farhand ${rule}`.split(' '), '--user', 'default', 'off']
  const redis = await startRedis([...tls, ...users], { isTls: true })
  onTestFinished(() => redis.remove())
  return { authority, url: (user: string) => `rediss://${user}@127.0.0.1:${redis.port}` }
}

/** Opens a server; whether the others answer at their addresses is up to `others`. */
async function server(redisUrl: string, redisCa: string | undefined, others = { isAnswering: true }) {
  const gone: string[] = []
  const cluster = openCluster(
    {
      id: randomUUID(),
      redisUrl,
      redisCa,
      prefix: 'farhand:test:',
      version: '1',
      secret: clusterSecret,
      clock: systemClock,
      log: createTestLog(),
      times: { leaseMs: 2_000, renewMs: 100 },
    },
    {
      isAnswering: () => Promise.resolve(others.isAnswering),
      gone: ({ id }) => void gone.push(id),
      caughtUp: () => Promise.resolve(),
    },
  )
  onTestFinished(() => cluster.close())
  await cluster.join(`http://${cluster.id}`)
  return { cluster, gone }
}

test.runIf(hasRedis)('servers join over TLS, with the rights that the instructions name', async () => {
  const { authority, url } = await closedRedis()
  const others = { isAnswering: true }
  const [{ cluster: one, gone }, { cluster: two }] = [
    await server(url('farhand:secret'), authority.pem, others),
    await server(url('farhand:secret'), authority.pem),
  ]
  await until(() => one.servers().length === 2 && two.servers().length === 2)
  two.answer('double', async (body) => Number(body) * 2)
  expect(await until(() => one.ask(two.id, 'double', 21).catch(() => undefined))).toBe(42)
  await one.set('place', 'here', 5_000)
  expect(await two.get('place')).toBe('here')
  // The lease of a killed server is removed, too.
  others.isAnswering = false
  two.close()
  await until(() => gone.length === 1)
})

test.runIf(hasRedis)(
  'a server joins nothing by a Redis with an unknown certificate, or with a wrong password',
  async () => {
    const { authority, url } = await closedRedis()
    const strangers = [
      await server(url('farhand:secret'), undefined),
      await server(url('farhand:wrong'), authority.pem),
    ]
    const { cluster } = await server(url('farhand:secret'), authority.pem)
    await until(() => !cluster.isAlone)
    expect(strangers.map((stranger) => stranger.cluster.isAlone)).toEqual([true, true])
  },
)
