import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { success } from '../../../../shared/dtos/hub-result.ts'
import { metrics } from '../../../../shared/telemetry/declarations.ts'
import { enroll } from '../../../support/agent.ts'
import { otherAuthority } from '../../../support/certificates.ts'
import { startCollector, type Collector } from '../../../support/collector.ts'
import { connectViewer } from '../../../support/hub-client.ts'
import { startIngestion } from '../../../support/ingestion.ts'
import { account, registerOwner, signInTo } from '../../../support/server.ts'
import { startServerProcess, temporaryFolder } from '../../../support/server-process.ts'
import { until } from '../../../support/until.ts'

const serverKind = 2
const clientKind = 3
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const callersTrace = '0af7651916cd43dd8448eb211c80319c'
const unsampledTrace = '1af7651916cd43dd8448eb211c80319c'

const spanOf = ({ spans }: Collector, name: string) => {
  const found = spans.find((span) => span.name === name)
  if (!found) {
    throw new Error(`No span ${name} among ${[...new Set(spans.map((span) => span.name))].join(', ')}`)
  }
  return found
}

async function startCloud(folder: string) {
  const authority = await otherAuthority()
  const cloud = await startIngestion(await authority.issue(['127.0.0.1']))
  onTestFinished(cloud.stop)
  const file = join(folder, 'authority.pem')
  await writeFile(file, authority.pem)
  return { ...cloud, trust: { NODE_EXTRA_CA_CERTS: file } }
}

test('events of the server are exported to both destinations before it stops', async () => {
  const [collector, folder] = [await startCollector(), await temporaryFolder()]
  const cloud = await startCloud(folder)
  const server = await startServerProcess(
    join(folder, 'data'),
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      AzureMonitor__ConnectionString: cloud.connectionString,
      Logging__LogLevel__Database: 'None',
    },
    {
      ...cloud.trust,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=header-of-the-collector',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test',
    },
  )
  const owner = await registerOwner(server.url)
  const agent = await enroll(owner)
  await expect(signInTo(server.url, { password: 'Wrong-Horse-7' })).rejects.toThrow('was not signed in')
  const tracestate = 'vendor=state-of-the-caller'
  const headers = { traceparent, tracestate, cookie: owner.cookie!, 'x-page-key': owner.pageKey ?? '' }
  await fetch(`${server.url}/api/v1/devices/${agent.id}?tenantId=${owner.tenantId}`, { headers })
  const isUnsampled = { traceparent: `00-${unsampledTrace}-b7ad6b7169203331-00` }
  await fetch(`${server.url}/api/v1/version/server`, { headers: isUnsampled })
  await fetch(`${server.url}/api/v1/nothing/${agent.id}`)
  await fetch(`${server.url}/health`)
  const device = await agent.connect(server.url, { CreateTerminalSession: () => success })
  const viewer = await connectViewer(owner)
  const { id: deviceId } = agent
  await viewer.StartDeviceAccessActivity2({ deviceId })
  await viewer.AddViewerActivity2({ activityName: 'Terminal' })
  await viewer.CreateTerminalSession2({ deviceId, terminalId: deviceId })
  await viewer.connection.stop()
  await device.connection.stop()
  await server.stop()

  const { 'service.instance.id': _, ...resource } = collector.resources[0]!
  expect(resource).toMatchObject({
    'service.name': 'service',
    'service.namespace': 'service',
    'deployment.environment.name': 'test',
  })
  expect(
    collector.resources.flatMap((each) => Object.keys(each)).filter((name) => /^(process|host)\./.test(name)),
  ).toEqual([])
  expect([...collector.authorizations]).toEqual(['header-of-the-collector'])

  const request = spanOf(collector, 'GET /api/v1/devices/:deviceId')
  expect(request).toMatchObject({
    kind: serverKind,
    traceId: callersTrace,
    parentId: 'b7ad6b7169203331',
    state: 'vendor=state-of-the-caller',
    isError: false,
    scope: 'Service.Web.Server',
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/v1/devices/:deviceId',
      'http.response.status_code': 200,
    },
  })
  expect(Math.abs(request.startedAt - Date.now())).toBeLessThan(60_000)
  expect(request.seconds).toBeGreaterThan(0)
  expect(request.seconds).toBeLessThan(60)
  expect(collector.spans.filter(({ traceId }) => traceId === unsampledTrace)).toEqual([])
  expect(spanOf(collector, 'GET').attributes).toEqual({
    'http.request.method': 'GET',
    'url.scheme': 'http',
    'http.response.status_code': 404,
  })
  expect(collector.spans.filter(({ name }) => /health|UpdateDevice/.test(name))).toEqual([])

  const registration = spanOf(collector, 'POST /api/appliance/v1/registration')
  expect(spanOf(collector, 'database write')).toMatchObject({ kind: clientKind, traceId: registration.traceId })
  const registered = collector.logs.find(({ body }) => body === 'A person registered.')
  expect(registered).toMatchObject({ severity: 'Information', severityNumber: 9, traceId: registration.traceId })
  expect(collector.logs.filter(({ attributes }) => attributes['category'] === 'Database')).toEqual([])

  const visit = spanOf(collector, 'remote_access_session')
  expect(visit.attributes).toEqual({
    'user.id': owner.user.id,
    'user.name': owner.user.userName,
    'device.id': deviceId,
  })
  expect(spanOf(collector, 'Terminal').parentId).toBe(visit.spanId)
  expect(spanOf(collector, 'terminal')).toMatchObject({
    parentId: visit.spanId,
    attributes: { 'farhand.session.kind': 'terminal' },
  })
  expect(spanOf(collector, 'ViewerHub/CreateTerminalSession2')).toMatchObject({
    kind: serverKind,
    parentId: '',
    attributes: { 'rpc.system': 'signalr', 'rpc.service': 'ViewerHub', 'rpc.method': 'CreateTerminalSession2' },
  })

  const routes = collector.points.filter(({ metric }) => metric === 'http.server.request.duration')
  expect(JSON.stringify(routes)).not.toContain(agent.id)
  expect(collector.value('farhand.sign_in.refused', { 'farhand.sign_in.kind': 'password' })).toBe(1)
  expect(collector.value('farhand.devices', { 'farhand.device.state': 'offline' })).toBe(1)
  const unseen = new Set(['http.client.request.duration', 'v8js.gc.duration'])
  const expected = Object.entries(metrics).filter(
    ([name, { on }]) => on.includes('server' as never) && !unseen.has(name),
  )
  const arrived = new Set(collector.points.map(({ metric, unit }) => `${metric} ${unit}`))
  expect(expected.map(([name, { unit }]) => `${name} ${unit}`).filter((each) => !arrived.has(each))).toEqual([])

  const kinds = cloud.envelopes.map(({ data }) => data.baseType)
  expect(new Set(kinds)).toEqual(new Set(['RequestData', 'RemoteDependencyData', 'MetricData', 'MessageData']))
  expect(cloud.envelopes.find(({ data }) => data.baseData['name'] === 'GET /api/v1/devices/:deviceId')).toMatchObject({
    tags: { 'ai.cloud.role': 'service.service' },
  })
  expect([...cloud.paths]).toEqual(['/v2.1/track'])
  const sent = Buffer.concat(collector.bytes).toString('latin1') + JSON.stringify(cloud.envelopes)
  for (const secret of [
    account.password,
    'Wrong-Horse-7',
    owner.cookie!.split('=')[1]!,
    owner.pageKey!,
    'header-of-the-collector',
    'InstrumentationKey',
  ]) {
    expect(sent).not.toContain(secret)
  }
})

test('a collector that is down, full or hanging costs one log line, and nothing waits for it', async () => {
  const collector = await startCollector()
  const server = await startServerProcess(
    await temporaryFolder(),
    { OTLP_ENDPOINT_URL: collector.url, AppOptions__UseHttpLogging: 'true' },
    {
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_BLRP_SCHEDULE_DELAY: '50',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_EXPORTER_OTLP_TIMEOUT: '3000',
      OTEL_BSP_MAX_QUEUE_SIZE: '20',
    },
  )
  const lines = (text: string) => server.lines.filter((line) => line.includes(text)).length
  const call = () => fetch(`${server.url}/api/v1/version/server`)
  const outage = async (begin: () => unknown, end: () => unknown, count: number) => {
    await begin()
    await until(async () => (await call()).ok && lines('Telemetry does not reach') === count)
    // Further exports fail meanwhile, and fill the queue: requests are answered all the same.
    const answers = await Promise.all(Array.from({ length: 200 }, call))
    expect(answers.every(({ ok }) => ok)).toBe(true)
    await end()
    await until(async () => (await call()).ok && lines('again, after') === count)
    expect(lines('Telemetry does not reach')).toBe(count)
  }
  await until(async () => (await call()).ok && collector.spans.length > 0 && collector.points.length > 0)
  await outage(
    () => collector.stop(),
    () => collector.start(),
    1,
  )
  await outage(
    () => (collector.mode = 'full'),
    () => (collector.mode = 'answer'),
    2,
  )
  await outage(
    () => (collector.mode = 'hang'),
    () => (collector.mode = 'answer'),
    3,
  )
  // Lines of the log arrive, too.
  await until(() => collector.logs.some(({ body }) => String(body).includes('again, after')))
  expect(server.lines.join('\n')).toContain(`Telemetry does not reach ${collector.url}: `)
  collector.mode = 'hang'
  const before = performance.now()
  await server.stop()
  expect(performance.now() - before).toBeLessThan(10_000)
})
