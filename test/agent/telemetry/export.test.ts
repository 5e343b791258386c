import { expect, test, onTestFinished } from 'vitest'
import { forgetTelemetrySecrets } from '../../../agent/base/environment.ts'
import { exportSettings } from '../../../agent/telemetry/start.ts'
import { startCollector } from '../../support/collector.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { startRealDevice } from '../../support/real-device.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

test.runIf(isNight)(
  'an agent exports its calls, its log and its runtime under the id of its device, by its stop',
  async () => {
    const collector = await startCollector()
    const device = await startRealDevice(owner, {
      OTLP_ENDPOINT_URL: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=header-of-the-collector',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    })
    onTestFinished(() => device.stop())
    const viewer = await connectViewer(owner)
    expect(await viewer.GetActiveDesktopSessions2({ deviceId: device.id })).toMatchObject({ isSuccess: true })
    await device.stop()

    expect(collector.resources[0]).toMatchObject({
      'service.name': 'service-agent',
      'service.namespace': 'service',
      'host.id': device.id,
    })
    expect(
      collector.resources.flatMap((each) => Object.keys(each)).filter((name) => name.startsWith('process.')),
    ).toEqual([])
    expect(collector.spans.find(({ name }) => name === 'AgentHub/GetActiveDesktopSessions')).toMatchObject({
      kind: 2,
      attributes: { 'rpc.system': 'signalr', 'rpc.method': 'GetActiveDesktopSessions' },
    })
    // The WebSocket of the hub begins as a request of `node:http`.
    expect(collector.spans.find(({ name, kind }) => kind === 3 && name === 'GET')).toMatchObject({
      attributes: { 'server.address': '127.0.0.1', 'server.port': Number(new URL(server.url).port) },
    })
    expect(collector.logs.map(({ body }) => body)).toContain('Connected')
    expect(collector.value('process.memory.usage')).toBeGreaterThan(10_000_000)
    expect([...collector.authorizations]).toEqual(['header-of-the-collector'])
    const sent = Buffer.concat(collector.bytes).toString('latin1')
    expect(sent).not.toContain('header-of-the-collector')
  },
)

test('the environment wins over the settings file, and the first address over the second', () => {
  const warnings: string[] = []
  const read = (variables: Record<string, string>, file: object) =>
    exportSettings(variables, file as never, (sentence) => void warnings.push(sentence)).endpoint
  const [first, second] = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTLP_ENDPOINT_URL'] as const
  expect(read({ [second]: 'http://a' }, { [first]: 'http://b' })).toBe('http://b')
  expect(read({ [first]: 'http://a' }, { [first]: 'http://b' })).toBe('http://a')
  expect(read({ [first]: ' ' }, { [second]: 'http://c' })).toBe('http://c')
  expect(read({}, {})).toBeUndefined()
  expect(warnings).toEqual([])
  expect(read({ [first]: 'localhost:4317' }, {})).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('must begin with http:// or https://')])
})

test('child processes do not inherit the keys of collectors', () => {
  process.env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] = 'authorization=hush'
  process.env['AzureMonitor__ConnectionString'] = 'hush'
  forgetTelemetrySecrets()
  expect(JSON.stringify(process.env)).not.toContain('hush')
})
