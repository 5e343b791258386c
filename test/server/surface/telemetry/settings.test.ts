import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../../server/settings/config.ts'
import { createLog } from '../../../../server/ground/log.ts'

const load = (env: Record<string, string>) => loadConfig({ env, workingDirectory: '/nonexistent' })

test.each(
  ['OTLP_ENDPOINT_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'Service_OTEL_EXPORTER_OTLP_ENDPOINT'].flatMap((key) =>
    ['localhost:4317', 'grpc://localhost:4317', 'collector', '"http://localhost:4317"'].map((address) => [
      key,
      address,
    ]),
  ),
)('%s of %s is a warning, and has no exporter', (key, address) => {
  const { warnings, otlpEndpointUrl, otelExporterOtlpEndpoint } = load({ [key!]: address! })
  expect(warnings.join()).toContain('does not begin with http:// or https://, as in http://localhost:4317')
  expect([otlpEndpointUrl, otelExporterOtlpEndpoint]).toEqual([undefined, undefined])
})

const key = 'InstrumentationKey=3f2504e0-4f89-41d3-9a0c-0305e82c3301'

test.each(['hush', 'InstrumentationKey=hush', `${key};hush`, `${key};IngestionEndpoint=http://hush.example.org`])(
  'the unusable connection string %s is a warning that does not quote it, and has no exporter',
  (unusable) => {
    const { warnings, azureMonitor } = load({ AzureMonitor__ConnectionString: unusable })
    expect(warnings.join()).toContain('is no connection string as Azure shows it')
    expect(warnings.join()).not.toContain('hush')
    expect(azureMonitor.connectionString).toBeUndefined()
  },
)

test.each(['https://eu.example.org', 'http://127.0.0.1:8080/', 'http://localhost:8080', 'http://[::1]:8080'])(
  'a connection string may name the ingestion endpoint %s',
  (address) => {
    const text = `${key};IngestionEndpoint=${address}`
    expect(load({ AzureMonitor__ConnectionString: text }).azureMonitor.connectionString).toBe(text)
  },
)

test('the prefixed telemetry address wins over the bare one', () => {
  const both = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1', Service_OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b:1' }
  expect(load(both).otelExporterOtlpEndpoint).toBe('http://b:1')
})

test('a category of the log has a lowest level of its own, above or below the default', async () => {
  const { logging } = load({
    Logging__LogLevel__Default: 'Warning',
    Logging__LogLevel__Relay: 'Debug',
    Logging__LogLevel__Mail: 'None',
  })
  const output = new PassThrough()
  const log = createLog(logging.logLevel, output)
  log.info({}, 'default below its level')
  log.warn({}, 'default')
  log.child({ category: 'Relay' }).debug({}, 'relay')
  log.child({ category: 'Mail' }).error({}, 'mail')
  log.child({ category: 'Hubs' }).info({}, 'hubs below the default')
  output.end()
  const lines = (await text(output))
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(lines).toEqual(['default', 'relay'])
})
