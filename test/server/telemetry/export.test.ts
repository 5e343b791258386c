import { afterAll, beforeAll, expect, test } from 'vitest'
import { withServer } from '../../../scripts/simulate/server-process.ts'
import { Collector } from '../../support/collector.ts'
import { registerOwner } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const collector = new Collector()
beforeAll(() => collector.start())
afterAll(() => collector.stop())

/** Short intervals by the standard variables, which the server honors. */
const quick = { OTEL_BSP_SCHEDULE_DELAY: '100', OTEL_BLRP_SCHEDULE_DELAY: '100', OTEL_METRIC_EXPORT_INTERVAL: '300' }

test('x', { timeout: 60_000 }, async () => {
  await withServer({ ...quick, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, Service_Logging__LogLevel__Default: 'Information', Service_Metrics__AllowLocal: 'true' }, async (server) => {
    const owner = await registerOwner(server.url)
    await owner.applianceStatus.get({})
    console.log(await (await fetch(server.url + '/metrics')).text())
    await until(() => collector.points.length > 0 && collector.spans.length > 3)
    console.log(collector.resources[0], collector.spans, collector.logs, collector.points.map((p) => [p.metric, p.value, p.count, JSON.stringify(p.attributes)].join(' ')))
  })
  expect(1).toBe(1)
})
