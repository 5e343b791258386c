import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../server/config.ts'
import { createLog } from '../../../server/log.ts'

const load = (env: Record<string, string>) => loadConfig({ env, workingDirectory: '/nonexistent' })

test('a telemetry address without a scheme stops the start with a sentence', () => {
  expect(() => load({ OTLP_ENDPOINT_URL: 'localhost:4317' })).toThrow(
    'must begin with http:// or https://, as in http://localhost:4317',
  )
})

test.each(['hush', 'InstrumentationKey=hush', 'InstrumentationKey=3f2504e0-4f89-41d3-9a0c-0305e82c3301;hush'])(
  'the malformed connection string %s stops the start and is not quoted',
  (malformed) => {
    const problem = () => load({ AzureMonitor__ConnectionString: malformed })
    expect(problem).toThrow('must be a connection string as Azure shows it')
    expect(problem).not.toThrow('hush')
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
