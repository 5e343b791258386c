import { randomUUID } from 'node:crypto'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { failureOf, success, successOf } from '../../../../shared/dtos/hub-result.ts'
import { Collector } from '../../../support/collector.ts'
import { connectFileAgent, pieces, type FileAgent } from '../../../support/file-agent.ts'
import { startGitHub } from '../../../support/github-server.ts'
import { connectViewer } from '../../../support/hub-client.ts'
import { providerSettings } from '../../../support/identity-provider.ts'
import { startMailServer, type MailServer } from '../../../support/mail.ts'
import { pageVisitor } from '../../../support/passkeys.ts'
import { recordingAgent } from '../../../support/recording-agent.ts'
import { callerOf, startSession } from '../../../support/session.ts'
import { startTestServer, type Member, type TestServer } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

const clientKind = 3

const collector = new Collector()
let gitHub: Awaited<ReturnType<typeof startGitHub>>
let mail: MailServer
let server: TestServer
let owner: Member
beforeAll(async () => {
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20')
  await collector.start()
  gitHub = await startGitHub({ id: 4711, login: 'ada-l', email: 'ada@example.com' })
  mail = await startMailServer()
  const provider = providerSettings('B', gitHub.issuer, { Kind: 'GitHub' })
  server = await startTestServer({
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...provider, ...mail.settings },
  })
  owner = await server.owner()
})
afterAll(async () => {
  await server.stop()
  await mail.close()
  await gitHub.stop()
  collector.stop()
  vi.unstubAllEnvs()
})

const portOf = (url: string) => Number(new URL(url).port)
const clientSpans = (port: number) =>
  collector.spans.filter(({ kind, attributes }) => kind === clientKind && attributes['server.port'] === port)

const route = '/api/v1/version/server'
const ofRoute = () => collector.spans.filter(({ name }) => name === `GET ${route}`)
const call = async () => {
  const response = await fetch(`${server.url}${route}`)
  await response.arrayBuffer()
}

test('hundreds of requests at once have a span each, with ids of their own', async () => {
  const before = ofRoute().length
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 100 }, () => call()))
  }
  const spans = await until(() => (ofRoute().length >= before + 400 ? ofRoute() : undefined))
  expect(spans.length).toBe(before + 400)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(spans.length)
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
})

test('a mail is a client span of the request that sends it, without its recipient', async () => {
  await owner.testEmail.send({})
  const request = await until(() => collector.spans.find(({ name }) => name === 'POST /api/v1/test-email'))
  const port = Number(mail.settings['AppOptions__SmtpPort'])
  const span = await until(() => clientSpans(port).find(({ traceId }) => traceId === request.traceId))
  expect(span).toMatchObject({ name: 'smtp send', attributes: { 'server.address': '127.0.0.1' } })
  expect(JSON.stringify(span)).not.toContain(owner.user.email)
})

test('a fetch is a client span of its request, named by its method without path and query', async () => {
  const visitor = pageVisitor(server)
  const params = { place: 'b' as const }
  const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
  const there = await fetch(url, { redirect: 'manual' })
  const query = new URL(there.headers.get('location')!).search.slice(1)
  await visitor.applianceIdentityProviders.answer({ params, body: { ticket, query } })
  const ofAnswer = () => collector.spans.find(({ name }) => name.startsWith('POST') && name.endsWith('/answer'))
  const request = await until(ofAnswer)
  const calls = () => clientSpans(portOf(gitHub.issuer)).filter(({ traceId }) => traceId === request.traceId)
  await until(() => calls().length >= 2)
  expect(new Set(calls().map(({ name }) => name))).toEqual(new Set(['POST', 'GET']))
  expect(calls()[0]).toMatchObject({
    parentId: request.spanId,
    attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
  })
  expect(JSON.stringify(calls())).not.toContain('access_token')
  const [, code] = /code=([\da-f]+)/.exec(query)!
  expect(Buffer.concat(collector.bytes).toString('latin1')).not.toContain(code)
})

/** Sends a request by `node:http`, and returns the `traceparent` that arrived, or the code of the error. */
const requestBy = (url: string) =>
  new Promise<string | undefined>((resolve) => {
    get(url, (response) => void text(response).then(resolve)).on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code),
    )
  })

test('a request of node:http is a client span, whose context the other side gets; so is one that fails', async () => {
  const other = createServer((request, response) => response.end(request.headers.traceparent))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const traceparent = await requestBy(`http://127.0.0.1:${port}/secret-path?key=hush`)
  const spanOf = () => until(() => clientSpans(port)[0])
  const { spanId, traceId, name, attributes } = await spanOf()
  expect(traceparent).toBe(`00-${traceId}-${spanId}-01`)
  expect([name, attributes]).toEqual([
    'GET',
    {
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': port,
      'http.response.status_code': 200,
    },
  ])
  other.removeAllListeners('request').on('request', (request) => request.destroy())
  expect(await requestBy(`http://127.0.0.1:${port}/`)).toBe('ECONNRESET')
  await until(() => clientSpans(port).some(({ attributes: { 'error.type': type } }) => type === 'ECONNRESET'))
  other.close()
})

async function connectDevice() {
  const device: FileAgent = await connectFileAgent(owner, {
    UploadFileToViewer: ({ streamId }) => {
      device.send('SendFileContentStream', [streamId], pieces(Buffer.from('content')))
      return successOf({ fileSize: 7, fileDisplayName: 'report.txt' })
    },
    DownloadFileFromViewer: async (request) => {
      await device.fetch(request)
      return success
    },
    GetLogFiles: () =>
      successOf({
        logFileGroups: [
          {
            groupName: 'Agent',
            logFiles: [{ fileName: 'a.log', fullPath: '/a.log', size: 3, lastModified: new Date().toISOString() }],
          },
        ],
      }),
    StreamFileContents: ({ streamId }) => {
      device.send('SendFileContentStream', [streamId], pieces(Buffer.from('log')))
      return success
    },
    RequestDesktopPreview: ({ streamId }) => {
      device.send('SendDesktopPreviewStream', [streamId], pieces(Buffer.from('picture')))
      return success
    },
    ReceiveDto: () => failureOf('No shell.'),
  })
  return device
}

/** Begins and ends a session of each kind. */
async function useDevices(caller: Awaited<ReturnType<typeof callerOf>>) {
  const { viewer } = caller
  const agent = await recordingAgent(owner)
  for (const kind of ['remote-control', 'vnc'] as const) {
    const { viewerEnd, deviceEnd } = await startSession(caller, agent, kind)
    viewerEnd.socket.close()
    await deviceEnd.closed
  }
  const [terminalId, sessionId] = [randomUUID(), randomUUID()]
  const { id: deviceId } = agent
  await viewer.CreateTerminalSession2({ deviceId, terminalId })
  await viewer.CloseTerminalSession2({ deviceId, terminalId })
  const timestamp = new Date().toISOString()
  await viewer.SendChatMessage2({ deviceId, sessionId, targetProcessId: 4711, message: 'hello', timestamp })
  await viewer.CloseChatSession2({ deviceId, sessionId, targetProcessId: 4711 })
  const { id } = await connectDevice()
  const read = async (path: string, query: Record<string, string>, init: RequestInit = {}) => {
    const response = await owner.fetch(`${path}?${new URLSearchParams({ tenantId: owner.tenantId, ...query })}`, init)
    expect([path, response.status]).toEqual([path, 200])
    await response.arrayBuffer()
  }
  const files = '/api/v1/device-file-system'
  await read(`${files}/download/${id}`, { filePath: '/a' })
  await read(`${files}/logs/${id}/contents`, { filePath: '/a.log' })
  await read(`/api/v1/desktop-preview/${id}/4711`, {})
  const form = new FormData()
  form.append('targetSaveDirectory', '/tmp')
  form.append('file', new Blob(['content']), 'notes.txt')
  await read(`${files}/upload/${id}`, {}, { method: 'POST', body: form })
  const body = { kind: 'run-command' as const, deviceIds: [id], command: 'true' }
  await owner.applianceBatches.start({ body })
  return { agent, deviceIds: [deviceId, id] }
}

const kinds = ['chat', 'command', 'download', 'logs', 'preview', 'remote-control', 'terminal', 'upload', 'vnc']
const isVisit = ({ name }: { name: string }) => name === 'remote_access_session'

test('each kind of session is a visit with user and device, from its begin to its end', async () => {
  const { deviceIds } = await useDevices(await callerOf(owner))
  const visits = await until(() => {
    const found = collector.spans.filter(isVisit)
    const seen = new Set(found.map(({ attributes }) => attributes['farhand.session.kind']))
    return seen.size === kinds.length ? found : undefined
  })
  expect(visits.map(({ attributes }) => String(attributes['farhand.session.kind'])).toSorted()).toEqual(kinds)
  for (const { scope, parentId, attributes } of visits) {
    expect([scope, parentId, attributes['user.id'], attributes['user.name']]).toEqual([
      'Service.Web.Server',
      '',
      owner.user.id,
      owner.user.userName,
    ])
    expect(deviceIds).toContain(attributes['device.id'])
  }
})

test('a visit has the steps of its viewer, and ends when the viewer ends it', async () => {
  const { id: deviceId } = await recordingAgent(owner)
  const viewer = await connectViewer(owner)
  expect(await viewer.AddViewerActivity('before anything has begun')).toEqual(success)
  await viewer.StartDeviceAccessActivity2({ deviceId })
  await viewer.AddViewerActivity2({ activityName: 'Terminal' })
  expect(await viewer.DisposeDeviceAccessActivity()).toEqual(success)
  const visit = await until(() =>
    collector.spans.find((span) => isVisit(span) && span.attributes['device.id'] === deviceId),
  )
  const steps = collector.spans.filter(({ parentId }) => parentId === visit.spanId)
  expect(steps.map(({ name, attributes }) => [name, attributes])).toEqual([['Terminal', {}]])
  expect(collector.spans.filter(({ name }) => name === 'before anything has begun')).toEqual([])
})

test('the disconnect of a viewer ends its visit and the sessions in it', async () => {
  const agent = await recordingAgent(owner)
  const viewer = await connectViewer(owner)
  const { id: deviceId } = agent
  await viewer.StartDeviceAccessActivity2({ deviceId })
  await viewer.CreateTerminalSession2({ deviceId, terminalId: randomUUID() })
  await viewer.connection.stop()
  const ofDevice = () => collector.spans.find((span) => isVisit(span) && span.attributes['device.id'] === deviceId)
  const visit = await until(ofDevice)
  expect(visit.attributes).not.toHaveProperty('farhand.session.kind')
  await until(() => collector.spans.some(({ name, parentId }) => name === 'terminal' && parentId === visit.spanId))
})
