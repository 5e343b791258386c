import { HttpTransportType } from '@microsoft/signalr'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { connect as connectPlain, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { identityPath, ServerIdentityDto } from '../../../../shared/server-identity.ts'
import { filesOf } from '../../../support/certificates.ts'
import { connectViewer, webSocketsOnly } from '../../../support/hub-client.ts'
import { isNight } from '../../../support/night.ts'
import { startRealDevice } from '../../../support/real-device.ts'
import { recordingAgent } from '../../../support/recording-agent.ts'
import { ownerForFile, serverForFile, useTestServer } from '../../../support/server.ts'
import { callerOf, startSession } from '../../../support/session.ts'
import { until } from '../../../support/until.ts'

const listenOn = 'https://127.0.0.1:0'

function opened(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ...options })
  onTestFinished(() => void socket.destroy())
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
  })
}

function plainSocket(url: string): Socket {
  const socket = connectPlain(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return socket.on('error', () => {})
}

const asPlain = (url: string) => url.replace('https:', 'http:')

const server = serverForFile({ listenOn })
const owner = ownerForFile(server)

test('a server on https serves pages and routes, and its identity with and without TLS', async () => {
  const server = await useTestServer({ listenOn: `${listenOn};http://127.0.0.1:0` })
  const [secure = '', plain = ''] = server.urls
  expect(secure).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  const owner = await server.owner()
  expect(owner.cookie).toContain('.Farhand.Identity')
  expect((await owner.applianceStatus.permissions({})).items).toContain('agent.install')
  const documents = await Promise.all([secure, plain].map(async (url) => (await fetch(url + identityPath)).text()))
  expect(documents[0]).toBe(documents[1])
  expect(ServerIdentityDto.safeParse(JSON.parse(documents[0]!)).success).toBe(true)
  expect((await fetch(secure + identityPath, { method: 'POST' })).status).toBe(405)
})

test('a cookie that was set over TLS is never sent without it', async () => {
  const server = await useTestServer({ listenOn })
  const body = JSON.stringify({ email: 'ada@example.org', password: 'Correct-Horse-7' })
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', origin: server.url }, body }
  const answer = await fetch(`${server.url}/api/appliance/v1/registration`, sent)
  expect(answer.headers.getSetCookie().map((cookie) => cookie.includes('; Secure'))).toEqual([true, true])
})

test('a restarted server serves the same certificate', async () => {
  const seen = async () => (await opened(server.url)).getPeerX509Certificate()?.fingerprint256
  const before = await seen()
  await server.restart()
  expect(await seen()).toBe(before)
})

test('a second connection resumes the session of the first, with each version of TLS', async () => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const first = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), maxVersion })
    first.on('error', () => {})
    onTestFinished(() => void first.destroy())
    const session = await new Promise<Buffer>((resolve) => first.once('session', resolve))
    const second = await opened(server.url, { maxVersion, session })
    expect([second.getProtocol(), second.isSessionReused()]).toEqual([maxVersion, true])
  }
})

describe('without TLS on the port for it', () => {
  test.each(['/', '/devices?a=1', '//evil.example/x', '/api/v1/devices'])('%s is redirected to https', async (path) => {
    const answer = await fetch(asPlain(server.url) + path, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([308, server.url + path])
  })

  test('a WebSocket is rejected with the https address', async () => {
    const socket = new WebSocket(`${asPlain(server.url).replace('http', 'ws')}/hubs/agent`)
    const refusal = await new Promise<Error>((resolve) => socket.on('error', resolve))
    expect(refusal.message).toContain('308')
  })

  test('a redirect never leads to a foreign host', async () => {
    const socket = plainSocket(server.url)
    socket.write('GET /x HTTP/1.1\r\nHost: evil.example\r\n\r\n')
    expect(await text(socket)).toContain(`\r\nlocation: ${server.url}/x\r\n`)
  })

  test('invalid HTTP is answered and dropped', async () => {
    const socket = plainSocket(server.url)
    socket.write('\u0000\u0001nonsense\r\n\r\n')
    expect(await text(socket)).toContain('400 Bad Request')
  })
})

describe('over TLS', () => {
  const transports = {
    WebSockets: webSocketsOnly,
    'server-sent events': { transport: HttpTransportType.ServerSentEvents },
    'long polling': { transport: HttpTransportType.LongPolling },
  }
  test.each(Object.entries(transports))('the viewer hub works with the official client, by %s', async (_, options) => {
    const agent = await recordingAgent(owner)
    const viewer = await connectViewer(owner, options)
    await viewer.SubscribeToDeviceHeartbeats([agent.id])
    await agent.UpdateDeviceSigned(agent.agent.signed(agent.agent.report({ name: 'RENAMED' })))
    await until(() => viewer.devices.some(({ name }) => name === 'RENAMED'))
  })

  test('the relay joins both ends: large messages, slow readers, thousands of small ones', async () => {
    const agent = await recordingAgent(owner)
    const { viewerEnd, deviceEnd } = await startSession(await callerOf(owner), agent, 'remote-control')
    const large = randomBytes(9_000_000)
    deviceEnd.socket.pause()
    viewerEnd.socket.send(large)
    const small = Array.from({ length: 3000 }, () => randomBytes(40))
    small.forEach((piece) => viewerEnd.socket.send(piece))
    small.forEach((piece) => deviceEnd.socket.send(piece))
    await until(() => viewerEnd.messages.length === small.length)
    deviceEnd.socket.resume()
    await until(() => deviceEnd.messages.length === small.length + 1)
    expect(deviceEnd.messages[0]!.equals(large)).toBe(true)
    expect(Buffer.concat(deviceEnd.messages.slice(1)).equals(Buffer.concat(small))).toBe(true)
    expect(Buffer.concat(viewerEnd.messages).equals(Buffer.concat(small))).toBe(true)
    deviceEnd.socket.close()
    expect(await viewerEnd.closed).toEqual([1000, 'Session ended.'])
  })

  test.runIf(isNight)('a real agent that trusts the authority connects, and transfers files both ways', async () => {
    const { pem } = await filesOf({ pem: server.authorityPem ?? '' })
    const device = await startRealDevice(owner, { NODE_EXTRA_CA_CERTS: pem })
    onTestFinished(() => device.stop())
    const content = randomBytes(3_000_000)
    await writeFile(device.path('large.bin'), content)
    const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: device.path('large.bin') })
    const answer = await owner.fetch(`/api/v1/device-file-system/download/${device.id}?${query}`)
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true)
  })
})
