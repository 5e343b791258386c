import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { filesOf, otherAuthority } from '../../../support/certificates.ts'
import { Collector } from '../../../support/collector.ts'
import { startServerProcess, temporaryFolder } from '../../../support/server-process.ts'
import { until } from '../../../support/until.ts'

test('standard variables name certificate, headers, sampler and intervals', async () => {
  const authority = await otherAuthority()
  const collector = new Collector(await authority.issue(['127.0.0.1']))
  await collector.start()
  onTestFinished(() => collector.stop())
  const files = await filesOf({ 'collector.pem': authority.pem })
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  // Only this variable makes the collector's certificate trusted.
  const server = await startServerProcess(join(await temporaryFolder(), 'data'), settings, {
    OTEL_METRIC_EXPORT_INTERVAL: '300',
    OTEL_BLRP_SCHEDULE_DELAY: '50',
    OTEL_EXPORTER_OTLP_CERTIFICATE: files['collector.pem'],
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=all',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'authorization=metrics-only',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  await fetch(`${server.url}/api/v1/version/server`)
  const isMeasured = ({ metric, attributes }: (typeof collector.points)[number]) =>
    metric === 'http.server.request.duration' && attributes['http.route'] === '/api/v1/version/server'
  // Twice: the interval is that of the variable, where a minute is usual.
  await until(() => collector.points.filter(isMeasured).length >= 2)
  await until(() => collector.logs.length > 0)
  await server.stop()
  expect([...collector.authorizations].toSorted()).toEqual(['all', 'metrics-only'])
  expect(collector.spans).toEqual([])
})
