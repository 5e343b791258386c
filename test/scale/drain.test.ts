import { describe, expect, onTestFinished, test } from 'vitest'
import { inPath } from '../../tools/chromium.mjs'
import { balancers } from '../support/balancer.ts'
import { missingForCluster, startCluster } from '../support/cluster.ts'
import { isNight } from '../support/night.ts'
import { getsPages, logsRequests, usePages } from '../support/page-requests.ts'
import { registerOwner, signInTo } from '../support/server.ts'
import { until } from '../support/until.ts'

const lanes = 3

// Starts two servers for each: in npm run test:scale, and at night.
describe.skipIf(missingForCluster || !isNight)('one of two servers that stops', { timeout: 240_000 }, () => {
  test.for(balancers)('loses no request behind %s', async (balancer, { skip }) => {
    skip(inPath(balancer) === undefined, `${balancer} is not installed`)
    const cluster = await startCluster(onTestFinished, { balancer, settings: logsRequests })
    await registerOwner(cluster.first.url)
    const pages = await usePages(await signInTo(cluster.url), lanes)
    for (const server of cluster.servers) {
      await pages.goOn(50)
      await server.process.stop()
      await pages.goOn(50)
      await server.start()
      await until(() => getsPages(server.process))
    }
    await pages.end()
    expect(pages.failures.join('\n')).toBe('')
  })

  test('serves while its drain lasts, and ends at once with another signal', async () => {
    const { first } = await startCluster(onTestFinished, { settings: { Cluster__DrainDelay: '01:00:00' } })
    let hasEnded = false
    const stop = () => void first.process.stop().then(() => (hasEnded = true))
    stop()
    stop()
    await until(async () => (await fetch(`${first.url}/health`)).status === 404)
    expect((await fetch(`${first.url}/api/v1/version/server`)).status).toBe(200)
    await until(() => {
      stop()
      return hasEnded
    })
  })
})
