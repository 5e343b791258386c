import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requestLimits } from '../../server/engines/http/web/http-server.ts'
import { inPath } from '../../tools/chromium.mjs'
import { root } from '../../tools/processes.mjs'
import { otherBalancers } from '../support/balancer.ts'
import { missingForCluster, startCluster } from '../support/cluster.ts'
import { isNight } from '../support/night.ts'
import { connectWorkDevice, startWork } from '../support/running-work.ts'
import { registerOwner, signInTo } from '../support/server.ts'
import { until } from '../support/until.ts'

test('Caddy as docs/scale.md sets it up closes idle connections before a server does', () => {
  const text = readFileSync(join(root, 'docs', 'scale.md'), 'utf8')
  const [, seconds] = /^ +keepalive (\d+)s$/m.exec(text)!
  expect(Number(seconds) * 1_000).toBeLessThan(requestLimits.keepAliveTimeout)
})

// Starts two servers for each: in npm run test:scale, and at night.
describe.skipIf(missingForCluster || !isNight)('a balancer as docs/scale.md sets it up', { timeout: 240_000 }, () => {
  test.for(otherBalancers)('%s, when the server of a device is killed', async (balancer, { skip }) => {
    skip(inPath(balancer) === undefined, `${balancer} is not installed`)
    const cluster = await startCluster(onTestFinished, { balancer })
    const atFirst = await registerOwner(cluster.first.url)
    const member = await signInTo(cluster.url)
    const device = await connectWorkDevice(atFirst)
    const { isOver, sendMore } = await startWork(cluster.url, member.headers, device)
    await cluster.first.process.kill()
    await device.closed
    await until(() => {
      // Caddy ends an upload whose server is gone with the next bytes of its client.
      sendMore()
      return isOver()
    })
    const again = await connectWorkDevice(member, device.agent)
    const { showsOutput } = await startWork(cluster.url, member.headers, again)
    expect(await showsOutput()).toEqual([true, true])
  })
})
