import { randomBytes } from 'node:crypto'
import { DefaultHttpClient, HttpTransportType, NullLogger, type HttpRequest } from '@microsoft/signalr'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ChatMessageHubDto } from '../../../../shared/dtos/chat.ts'
import { deviceNotConnected, success, successOf } from '../../../../shared/dtos/hub-result.ts'
import { makeTicket } from '../../../../tools/simulate/relay-ticket.ts'
import { enroll, installerKey, TestAgent } from '../../../support/agent.ts'
import { connectFileAgent, pieces, type FileAgent } from '../../../support/file-agent.ts'
import { isNight } from '../../../support/night.ts'
import { recordingAgent } from '../../../support/recording-agent.ts'
import { joinRelay } from '../../../support/relay.ts'
import { callerOf, requestSession, requestTold } from '../../../support/session.ts'
import { connectViewer } from '../../../support/hub-client.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
import { addTenantAccount } from '../../../support/people.ts'
import { connectWorkDevice, showsTerminal } from '../../../support/running-work.ts'
import { freePort } from '../../../../tools/simulate/free-port.ts'
import { startRedis } from '../../../../tools/simulate/redis.ts'
import { startTestServer } from '../../../support/server.ts'
import { later, until } from '../../../support/until.ts'

/** Sends each request to another server, as a balancer without stickiness does. */
class Alternating extends DefaultHttpClient {
  readonly #urls: readonly string[]
  #requests = 0

  constructor(urls: readonly string[]) {
    super(NullLogger.instance)
    this.#urls = urls
  }

  override send(request: HttpRequest) {
    const url = this.#urls[this.#requests++ % this.#urls.length]!
    const { pathname, search } = new URL(request.url!)
    return super.send({ ...request, url: url + pathname + search, headers: { ...request.headers, origin: url } })
  }
}

describe.runIf(canJoin)('two servers of one database', () => {
  const joined = joinedForFile()

  test('a device is online on both, with its server, and offline on both after its end', async () => {
    const { owner, ownerAtTwo, one } = joined
    const device = await enroll(owner)
    const agent = await device.connect(one.url)
    expect(await isOnlineAt(owner, device.id)).toBe(true)
    await until(() => isOnlineAt(ownerAtTwo, device.id))
    await agent.connection.stop()
    await until(async () => (await isOnlineAt(ownerAtTwo, device.id)) === false)
    expect(await isOnlineAt(owner, device.id)).toBe(false)
  })

  test('an agent that was registered at one server a moment ago is accepted by the other', async () => {
    const { owner, postgresOfTwo, two } = joined
    const key = await installerKey(owner)
    const device = new TestAgent(owner.tenantId)
    const { UpdateDeviceSigned } = await device.open(two.url)
    // The second server may hold the lock of the database, for which the registration waits.
    later(1_000, () => postgresOfTwo.restore())
    postgresOfTwo.silence()
    await device.register(owner, key)
    later(200, () => postgresOfTwo.restore())
    expect(await UpdateDeviceSigned(device.signed(device.report()))).toMatchObject({ isSuccess: true })
  })

  test('an agent that connects elsewhere is cut where it was, and the old connection changes nothing', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    const device = await enroll(owner)
    await until(() => ownerAtTwo.devices.get({ params: { deviceId: device.id } }).catch(() => undefined))
    const old = await device.connect(one.url)
    await device.connect(two.url)
    await old.closed
    expect(await isOnlineAt(ownerAtTwo, device.id)).toBe(true)
    await until(() => isOnlineAt(owner, device.id))
    const { connectionId } = await owner.devices.get({ params: { deviceId: device.id } })
    expect(connectionId).toBe((await ownerAtTwo.devices.get({ params: { deviceId: device.id } })).connectionId)
  })

  test.for(['json', 'messagepack'] as const)('a terminal works through the other server over %s', async (protocol) => {
    const { owner, ownerAtTwo, one } = joined
    const device = await enroll(owner)
    const agent = await device.connect(one.url, {
      CreateTerminalSession: () => ({ ...success, isPty: true, shell: '/bin/bash' }),
      ReceiveTerminalInput: ({ input, viewerConnectionId, terminalId }) => {
        const output = {
          terminalId,
          output: `did ${input}`,
          outputKind: 0,
          timestamp: new Date().toISOString(),
        } as const
        void agent.SendTerminalOutputToViewer(viewerConnectionId!, output)
        return success
      },
    })
    await until(() => isOnlineAt(ownerAtTwo, device.id))
    const viewer = await connectViewer(ownerAtTwo, { protocol })
    const outputs: string[] = []
    viewer.connection.on('ReceiveTerminalOutput', (output) => void outputs.push(JSON.stringify(output)))
    const terminalId = crypto.randomUUID()
    await viewer.CreateTerminalSession2({ deviceId: device.id, terminalId })
    await viewer.SendTerminalInput2({ deviceId: device.id, input: { terminalId, input: 'ls' } })
    await until(() => outputs.length > 0)
    expect(outputs[0]).toContain('did ls')
  })

  test('an answer of a chat finds the viewer at the other server, and its answer the agent', async () => {
    const { owner, ownerAtTwo, one } = joined
    const device = await enroll(owner)
    const sent: ChatMessageHubDto[] = []
    const agent = await device.connect(one.url, { SendChatMessage: (message) => (sent.push(message), success) })
    await until(() => isOnlineAt(ownerAtTwo, device.id))
    const viewer = await connectViewer(ownerAtTwo)
    const sessionId = crypto.randomUUID()
    const timestamp = new Date().toISOString()
    const chat = { deviceId: device.id, sessionId, message: 'Hello?', targetProcessId: 7, timestamp }
    expect(await viewer.SendChatMessage2(chat)).toMatchObject({ isSuccess: true })
    const { viewerConnectionId } = sent[0]!
    const response = { sessionId, message: 'Yes.', desktopSessionProcessId: 7, viewerConnectionId, timestamp }
    expect(await agent.SendChatResponse(response)).toBe(true)
    expect(viewer.chats).toMatchObject([{ message: 'Yes.' }])
  })

  test('a hub connection over long polling and server-sent events is served wherever its requests come', async () => {
    const { owner, ownerAtTwo } = joined
    for (const transport of [HttpTransportType.LongPolling, HttpTransportType.ServerSentEvents]) {
      const httpClient = new Alternating([owner.url, ownerAtTwo.url])
      const headers = { cookie: `${owner.cookie}; ${ownerAtTwo.cookie}` }
      const viewer = await connectViewer(owner, { transport, httpClient, headers })
      expect(await viewer.GetDeviceAccessPermissions2({ deviceId: crypto.randomUUID() })).toMatchObject({
        reason: 'Forbidden.',
      })
      await viewer.connection.stop()
    }
  })

  test('a connection that was negotiated at another server than its socket came to shows a terminal', async () => {
    const { owner, ownerAtTwo } = joined
    const device = await connectWorkDevice(owner)
    await until(() => isOnlineAt(ownerAtTwo, device.id))
    const httpClient = new Alternating([ownerAtTwo.url])
    const headers = { cookie: `${owner.cookie}; ${ownerAtTwo.cookie}` }
    const viewer = await connectViewer(owner, { transport: HttpTransportType.WebSockets, httpClient, headers })
    await showsTerminal(viewer, device)
  })

  test('files are sent and fetched through the other server', async () => {
    const { owner, ownerAtTwo } = joined
    const content = randomBytes(300_000)
    let written: Buffer | undefined
    const device: FileAgent = await connectFileAgent(owner, {
      UploadFileToViewer: ({ streamId }) => {
        device.send('SendFileContentStream', [streamId], pieces(content))
        return successOf({ fileSize: content.length, fileDisplayName: 'a.bin' })
      },
      DownloadFileFromViewer: async (request) => {
        written = await device.fetch(request)
        return success
      },
    })
    await until(() => isOnlineAt(ownerAtTwo, device.id))
    const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: '/tmp/a.bin' })
    const fetched = await ownerAtTwo.fetch(`/api/v1/device-file-system/download/${device.id}?${query}`)
    expect(fetched.status).toBe(200)
    expect(content.equals(Buffer.from(await fetched.arrayBuffer()))).toBe(true)
    const body = new FormData()
    body.append('targetSaveDirectory', '/tmp')
    body.append('overwrite', 'true')
    body.append('file', new Blob([new Uint8Array(content)]), 'a.bin')
    const sent = await ownerAtTwo.fetch(`/api/v1/device-file-system/upload/${device.id}?tenantId=${owner.tenantId}`, {
      method: 'POST',
      body,
    })
    expect([sent.status, await sent.text()]).toEqual([200, expect.anything()])
    expect(written?.equals(content)).toBe(true)
  })

  test('remote control joins both sides at the server of the agent, whichever server they come to', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    const agent = await recordingAgent(owner)
    await until(() => isOnlineAt(ownerAtTwo, agent.id))
    const caller = await callerOf(ownerAtTwo)
    const ticket = makeTicket(two.url)
    // A page may open its socket before it requests the session.
    const viewerEnd = joinRelay(ticket.requester, caller.headers)
    expect(await requestSession(caller, agent.id, ticket, 'remote-control')).toEqual(success)
    const deviceUrl = new URL(requestTold(agent, 'remote-control').websocketUri)
    expect(deviceUrl.host).toBe(new URL(one.url).host)
    deviceUrl.host = new URL(two.url).host
    const deviceEnd = await joinRelay(deviceUrl.href)
    ;(await viewerEnd).socket.send('hello')
    await until(() => deviceEnd.messages.length === 1)
    deviceEnd.socket.send('picture')
    await until(async () => (await viewerEnd).messages.length === 1)
    // The session is at the first server; both list it, and the other one ends it.
    for (const member of [owner, ownerAtTwo]) {
      const { items } = await member.applianceRemoteSessions.list({})
      expect(items.filter(({ id }) => id === ticket.sessionId)).toMatchObject([{ deviceId: agent.id, canEnd: true }])
    }
    await ownerAtTwo.applianceRemoteSessions.end({ params: { sessionId: ticket.sessionId }, body: {} })
    await deviceEnd.closed
  })

  test('calls about a device whose server has just died are tried again by clients: 503, or not connected', async () => {
    const { owner, ownerAtTwo, one } = joined
    const device = await enroll(owner)
    const body = { targetDirectory: '/tmp', fileName: 'a.bin', fileSize: 1 }
    const params = { deviceId: device.id, uploadId: crypto.randomUUID() }
    await expect
      .poll(async () => {
        // Each server clears connections of unknown servers once, 20 s after it has joined.
        await one.changeRow('devices', device.id, "connectionId = 'connection.000000000000'")
        return ownerAtTwo.applianceDeviceUploads
          .state({ params, body })
          .catch(({ status }: { status: number }) => status)
      })
      .toBe(503)
    const viewer = await connectViewer(ownerAtTwo)
    const terminal = { deviceId: device.id, terminalId: crypto.randomUUID() }
    expect(await viewer.CreateTerminalSession2(terminal)).toMatchObject({ reason: deviceNotConnected })
    await one.changeRow('devices', device.id, "connectionId = ''")
  })

  test('another server calls an agent without its viewer', async () => {
    const { owner, ownerAtTwo, one } = joined
    const [asleep, neighbor] = [await enroll(owner), await enroll(owner)]
    const told: string[][] = []
    await neighbor.connect(one.url, { InvokeWakeDevice: ({ macAddresses }) => void told.push(macAddresses) })
    await until(() => isOnlineAt(ownerAtTwo, neighbor.id))
    const viewer = await connectViewer(ownerAtTwo)
    const macAddresses = ['02:00:00:00:00:07']
    await viewer.SendWakeDevice2({ deviceId: asleep.id, macAddresses })
    await until(() => told.length > 0)
  })

  test('a wrong API key counts once for a request that other servers may be asked for', async () => {
    const { owner, one } = joined
    const { key } = await addTenantAccount(owner)
    const statusOf = async (apiKey: string) =>
      (await fetch(`${one.url}/api/appliance/v1/sessions`, { headers: { 'x-api-key': apiKey } })).status
    const statuses = []
    for (const secret of ['a', 'b', 'c', 'd']) {
      statuses.push(await statusOf(`${key.split(':')[0]}:${secret}`))
    }
    expect([...statuses, await statusOf(key)]).toEqual([401, 401, 401, 401, 200])
  })

  test('a key that is new at another server is accepted once its row arrives', async () => {
    const { owner, postgresOfTwo, one, two } = joined
    const statusOf = async (headers = {}) => (await fetch(`${two.url}/api/appliance/v1/sessions`, { headers })).status
    // In a write of the first server, so that the second one does not hold the lock of the database.
    await one.write(async () => postgresOfTwo.silence())
    onTestFinished(() => postgresOfTwo.restore())
    const { key } = await addTenantAccount(owner)
    await until(async () => (await statusOf()) === 503)
    later(200, () => postgresOfTwo.restore())
    expect(await statusOf({ 'x-api-key': key })).toBe(200)
  })

  test('wrong API keys count together', async () => {
    const { owner, one, two } = joined
    const { key } = await addTenantAccount(owner)
    const statusAt = async ({ url }: typeof one, apiKey: string) =>
      (await fetch(`${url}/api/v1/devices`, { headers: { 'x-api-key': apiKey } })).status
    for (let count = 0; count < 10; count++) {
      expect(await statusAt([one, two][count % 2]!, `${key.split(':')[0]}:wrong`)).toBe(401)
    }
    // Messages of a server arrive in their order: the answers to these come after all counts.
    for (const member of [owner, joined.ownerAtTwo]) {
      const params = { sessionId: crypto.randomUUID() }
      await expect(member.applianceRemoteSessions.end({ params, body: {} })).rejects.toMatchObject({ status: 404 })
    }
    expect([await statusAt(one, key), await statusAt(two, key)]).toEqual([401, 401])
  })

  test('a server answers /health with 404 until it has joined', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.remove())
    // Scripts wait, so that it listens and has not joined.
    redis.command('CLIENT', 'PAUSE', '60000', 'WRITE')
    const url = `http://127.0.0.1:${await freePort()}`
    const starting = startTestServer({ settings: { Cluster__RedisUrl: redis.url, Urls: url }, beside: joined.one })
    onTestFinished(async () => (await starting).stop())
    const statusOf = () => fetch(`${url}/health`).then(({ status }) => status)
    expect(await until(() => statusOf().catch(() => undefined))).toBe(404)
    redis.command('CLIENT', 'UNPAUSE')
    await starting
    expect(await statusOf()).toBe(200)
  })

  test.runIf(isNight)('Health names a server that uses another Redis', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.remove())
    const { one, owner } = joined
    const settings = { Cluster__RedisUrl: redis.url, Cluster__NodeUrl: 'http://192.0.2.3:5120' }
    const apart = await startTestServer({ settings, beside: one })
    onTestFinished(() => apart.stop())
    await until(async () => {
      const { checks } = await owner.applianceHealth.report({})
      const { state, summary } = checks.find(({ id }) => id === 'servers')!
      return state === 'warning' && /not in the Redis of this one: \S+ at http:\/\/192\.0\.2\.3:5120$/.test(summary)
    })
  })
})
