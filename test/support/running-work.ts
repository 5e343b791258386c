import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { Subject } from '@microsoft/signalr'
import { expect } from 'vitest'
import { success, successOf } from '../../shared/dtos/hub-result.ts'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import type { TestAgent } from './agent.ts'
import { base64 } from './file-agent.ts'
import { connectViewer, type Viewer } from './hub-client.ts'
import { recordingAgent, type RecordingAgent } from './recording-agent.ts'
import { joinRelay } from './relay.ts'
import { integrator, Visitor, type Member } from './server.ts'
import { requestSession, requestTold } from './session.ts'
import { steady, until } from './until.ts'

/** Announced bytes of transfers, which never arrive. */
const huge = 50_000_000

/** Device whose transfers begin and never end. */
export interface WorkDevice extends RecordingAgent {
  /** Uploads whose bytes have reached the device. */
  fetched: number
}

/** Connects a device to the server of a member; a known one with `agent`. */
export async function connectWorkDevice(by: Member, agent?: TestAgent): Promise<WorkDevice> {
  const device: WorkDevice = Object.assign(await recordingAgent(by, { ...(agent && { agent }) }), { fetched: 0 })
  const { connection, answers } = device
  answers['UploadFileToViewer'] = ({ streamId }: { streamId: string }) => {
    const items = new Subject<string>()
    connection.send('SendFileContentStream', streamId, items).catch(() => {})
    items.next(base64(Buffer.alloc(30_000)))
    return successOf({ fileSize: huge, fileDisplayName: 'a' })
  }
  answers['DownloadFileFromViewer'] = async (request: object) => {
    await new Promise<void>((resolve) =>
      connection
        .stream('GetFileStreamFromViewer', request)
        .subscribe({ next: () => void device.fetched++, error: () => resolve(), complete: () => resolve() }),
    )
    return success
  }
  return device
}

/** Begins a request whose answer or body does not end; `end` resolves when it does. */
function transferTo(url: string, options: { method: string; path: string; headers: Record<string, string | number> }) {
  const { hostname, port } = new URL(url)
  const request = httpRequest({ hostname, port, ...options })
  let hasBegun = false
  const end = new Promise<void>((resolve) => {
    request.on('error', () => resolve()).on('close', () => resolve())
    request.on('response', (response) => {
      if (response.statusCode !== 200) {
        resolve()
      }
      response.on('error', () => resolve()).on('data', () => (hasBegun = true))
    })
  })
  return { request, end, hasBegun: () => hasBegun }
}

type Headers = Record<string, string>

async function download(url: string, headers: Headers, { id, agent }: WorkDevice) {
  const path = `/api/v1/device-file-system/download/${id}?filePath=/a&tenantId=${agent.tenantId}`
  const { request, end, hasBegun } = transferTo(url, { method: 'GET', path, headers })
  request.end()
  await until(hasBegun)
  return { end }
}

const field = (name: string, value: string) =>
  `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const beginOfUpload =
  field('targetSaveDirectory', '/in') +
  field('overwrite', 'true') +
  `--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(50_000)}`

async function upload(url: string, headers: Headers, device: WorkDevice) {
  const path = `/api/v1/device-file-system/upload/${device.id}?tenantId=${device.agent.tenantId}`
  const ofBody = { 'content-type': 'multipart/form-data; boundary=X', 'content-length': huge }
  const { request, end } = transferTo(url, { method: 'POST', path, headers: { ...headers, ...ofBody } })
  const before = device.fetched
  request.write(beginOfUpload)
  await until(() => device.fetched > before)
  return { end, sendMore: () => request.write('x') }
}

/** Sends output of a terminal, as a shell that prints. */
export async function printAt(device: WorkDevice, terminalId: string, output: string): Promise<void> {
  const isOpening = ([method, id]: unknown[]) => method === 'CreateTerminalSession' && id === terminalId
  const viewerConnectionId = String(device.told.findLast(isOpening)![2])
  const timestamp = new Date().toISOString()
  await device.SendTerminalOutputToViewer(viewerConnectionId, { terminalId, output, outputKind: 0, timestamp })
}

/** Opens a terminal; `shows` prints at the device, and returns whether the viewer shows it. */
async function terminal(url: string, headers: Headers, device: WorkDevice, protocol: 'json' | 'messagepack') {
  const viewer = await connectViewer(new Visitor(url), { headers, protocol })
  if (protocol === 'messagepack') {
    viewer.connection.on('ReceiveRightsChange', () => void viewer.rightsChanges.push(Date.now()))
  }
  const shown: string[] = []
  viewer.connection.on('ReceiveTerminalOutput', (output) => void shown.push(JSON.stringify(output)))
  const terminalId = randomUUID()
  const deviceId = device.id
  // Members of MessagePack have other names.
  const opened = JSON.stringify(await viewer.CreateTerminalSession2({ deviceId, terminalId }))
  expect(opened).toMatch(/"isSuccess":true/i)
  const shows = async () => {
    const output = randomUUID()
    // The connection of a deleted device has ended.
    await printAt(device, terminalId, output).catch(() => {})
    return steady(() => shown.some((each) => each.includes(output)))
  }
  return { viewer, terminalId, shows }
}

/** Starts a remote control session whose sockets both come to an address. */
async function joinSession(url: string, headers: Headers, device: WorkDevice, viewer: Viewer) {
  const ticket = makeTicket(url)
  expect(await requestSession({ viewer, headers }, device.id, ticket)).toMatchObject({ isSuccess: true })
  const ofDevice = new URL(requestTold(device).websocketUri)
  ofDevice.host = new URL(url).host
  return Promise.all([joinRelay(ticket.requester, headers), joinRelay(ofDevice.href)])
}

/** Shares a terminal with a guest, who comes to a server. */
async function guestOf(url: string, headers: Headers, { id: deviceId }: WorkDevice, terminalId: string) {
  const { share, url: link } = await integrator(url, headers).applianceTerminalShares.create({
    params: { deviceId, terminalId },
    body: { guestName: 'Grace', canType: true },
  })
  const visitor = new Visitor(url)
  const { pathname, search } = new URL(link)
  expect((await visitor.openLink(pathname + search)).status).toBe(204)
  const guest = await connectViewer(visitor)
  await visitor.applianceTerminalShares.join({ body: { connectionId: guest.connection.connectionId! } })
  return { shareId: share.id, guest }
}

/** Starts everything that somebody can do with a device, with requests to a server. */
export async function startWork(url: string, headers: Headers, device: WorkDevice) {
  const terminals = [await terminal(url, headers, device, 'json'), await terminal(url, headers, device, 'messagepack')]
  const viewers = terminals.map(({ viewer }) => viewer)
  const { shareId, guest } = await guestOf(url, headers, device, terminals[0]!.terminalId)
  const relayEnds = (await joinSession(url, headers, device, viewers[0]!)).map(({ closed }) => closed)
  const downloading = await download(url, headers, device)
  const uploading = await upload(url, headers, device)
  const ends = [...relayEnds, downloading.end, uploading.end]
  let ended = 0
  ends.forEach((end) => void end.then(() => ended++))
  return {
    device,
    shareId,
    viewers,
    guestEnd: guest.closed,
    /** Resolves when the sockets of the relay and both transfers have ended. */
    end: Promise.all(ends),
    isRunning: () => ended === 0,
    isOver: () => ended === ends.length,
    /** Sends another byte of the upload. */
    sendMore: uploading.sendMore,
    /** Whether the output of the terminals is shown, in JSON and in MessagePack. */
    showsOutput: () => Promise.all(terminals.map(({ shows }) => shows())),
  }
}

export type RunningWork = Awaited<ReturnType<typeof startWork>>

/** Opens a terminal, whose output a viewer shows. */
export async function showsTerminal(viewer: Viewer, device: WorkDevice): Promise<void> {
  const [deviceId, terminalId, output] = [device.id, randomUUID(), randomUUID()]
  await until(async () => (await viewer.CreateTerminalSession2({ deviceId, terminalId })).isSuccess)
  await printAt(device, terminalId, output)
  await until(() => viewer.outputs.some((each) => each.output === output))
}
