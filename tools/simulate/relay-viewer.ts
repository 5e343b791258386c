import { WebSocket } from 'ws'
import type { HubResult } from '../../shared/dtos/hub-result.ts'
import type { RemoteControlViewer } from '../../shared/remote-control/viewer.ts'
import { makeTicket } from './relay-ticket.ts'
import { connectRemoteViewer, type RemoteViewerDependencies } from './remote-viewer.ts'
import type { connectViewer } from './viewer.ts'

/** Viewer connection, and its target device. */
export interface Visit {
  url: string
  cookie: string
  viewer: Awaited<ReturnType<typeof connectViewer>>['viewer']
  deviceId: string
}

/** Headers of the viewer's sockets, at the relay and at the hub. */
const headersOf = ({ url, cookie }: Visit) => ({ cookie, origin: url })

function accept({ isSuccess, reason }: HubResult): void {
  if (!isSuccess) {
    throw new Error(reason ?? 'The session was refused.')
  }
}

/** Requests control of a device's desktop on an X display. Resolves with the viewer once the session is ready. */
export async function openRemoteControl(
  visit: Visit,
  display: string,
  deps: RemoteViewerDependencies,
): Promise<{ remote: RemoteControlViewer; processId: number }> {
  const { viewer, deviceId } = visit
  const { value } = await viewer.GetActiveDesktopSessions2({ deviceId })
  const desktop = value?.sessions.find(({ name }) => name === `Console - X11: ${display}`)
  if (!desktop) {
    throw new Error(`The device does not list a desktop on ${display}.`)
  }
  const { sessionId, responder: websocketUri, requester: uri } = makeTicket(visit.url)
  const { processId: targetProcessId, systemSessionId: targetSystemSession } = desktop
  accept(
    await viewer.RequestRemoteControlSession2({
      sessionId,
      websocketUri,
      deviceId,
      targetProcessId,
      targetSystemSession,
    }),
  )
  const remote = await connectRemoteViewer({ ...deps, uri, headers: headersOf(visit) })
  await remote.setCapture({})
  return { remote, processId: targetProcessId }
}

/** Connects to a VNC server of the device; its first bytes arrive together with the response to the upgrade. */
export async function openVnc(visit: Visit, port: number, onBytes: (bytes: Buffer) => void): Promise<WebSocket> {
  const { sessionId, responder: websocketUri, requester: uri } = makeTicket(visit.url)
  const { viewer, deviceId } = visit
  accept(await viewer.RequestVncSession2({ sessionId, websocketUri, deviceId, port }))
  const socket = new WebSocket(uri, { headers: headersOf(visit), perMessageDeflate: false })
  socket.on('message', onBytes)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return socket
}
