import { spawn, type ChildProcess } from 'node:child_process'
import { onTestFinished } from 'vitest'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { DisplayDto, Payload } from '../../../shared/remote-control/messages.ts'
import { PictureParts } from '../../../shared/remote-control/picture-parts.ts'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import { Canvas, connectRemoteViewer } from '../../../tools/simulate/remote-viewer.ts'
import { connectViewer, type Viewer } from '../../support/hub-client.ts'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import { startTestServer, type Member, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'

/** Minimal window manager: gives the keyboard focus to new windows. */
export const startWindowManager = (display: XDisplay): ChildProcess =>
  spawn('openbox', { env: { ...process.env, DISPLAY: display.name }, stdio: 'ignore' })

/** Starts a server, a display with a window manager, and this machine as a device with the real agent. */
export interface DesktopScene {
  server: TestServer
  owner: Member
  device: RealDevice
  display: XDisplay
  viewer(by?: Member): Promise<Viewer>
  /** Desktop of a display, else of the test's, as listed by the device. */
  desktop(viewer: Viewer, on?: XDisplay): Promise<DesktopSession>
  preview(processId: number): Promise<Response>
  stop(): Promise<void>
}

export async function startDesktopScene(): Promise<DesktopScene> {
  const display = await startXvfb('900x700x24')
  const manager = startWindowManager(display)
  const server = await startTestServer()
  const owner = await server.owner()
  const device = await startRealDevice(owner)
  const desktopsOf = async (viewer: Viewer) => {
    const answer = await viewer.GetActiveDesktopSessions2({ deviceId: device.id })
    return answer.value?.sessions ?? []
  }
  return {
    server,
    owner,
    device,
    display,
    viewer: (by = owner) => connectViewer(by),
    desktop: (viewer, on = display) =>
      until(async () => (await desktopsOf(viewer)).find(({ name }) => name === `Console - X11: ${on.name}`)),
    preview: (processId) => owner.fetch(`/api/v1/desktop-preview/${device.id}/${processId}?tenantId=${owner.tenantId}`),
    async stop() {
      await device.stop()
      await server.stop()
      await endProcess(manager)
      await display.stop()
    },
  }
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill()
    await new Promise((resolve) => child.once('exit', resolve))
  }
}

/** Opens a remote-control session through the relay, and exposes the viewer's picture. */
export async function openRemoteControl(
  { owner, device }: { owner: Member; device: { id: string } },
  viewer: Viewer,
  { processId, systemSessionId }: DesktopSession,
  { by = owner, requireConsent = false } = {},
) {
  const { sessionId, requester, responder } = makeTicket(owner.url)
  const answer = await viewer.RequestRemoteControlSession2({
    sessionId,
    websocketUri: responder,
    targetSystemSession: systemSessionId,
    targetProcessId: processId,
    deviceId: device.id,
    requireConsent,
  })
  const connect = async () => {
    const canvas = new Canvas()
    const toasts: string[] = []
    const displays: (readonly DisplayDto[])[] = []
    const clipboard: (string | null)[] = []
    const offers: Payload<'ClipboardOffer'>[] = []
    const results: Payload<'ClipboardResult'>[] = []
    const parts = new PictureParts()
    /** Pictures that the device has sent. */
    const pictures: Uint8Array[] = []
    const folders: Payload<'Folder'>[] = []
    const obstacles: Payload<'DesktopStatus'>[] = []
    /** Answers about blocked input and blank screens. */
    const switched: Payload<'BlockInputResult'>[] = []
    const errors: string[] = []
    const ended = Promise.withResolvers<string>()
    const disconnected = Promise.withResolvers<void>()
    const remote = await connectRemoteViewer({
      uri: requester,
      headers: { cookie: by.cookie ?? '', origin: owner.url },
      on: {
        DisplayData: ({ displays: current }) => {
          displays.push(current)
          canvas.resize(current[0]!)
        },
        ClipboardText: ({ text }) => void clipboard.push(text),
        ClipboardOffer: (offer) => void offers.push(offer),
        ClipboardResult: (result) => void results.push(result),
        ClipboardPicture: (part) => pictures.push(...[parts.add(part)].filter((picture) => picture !== undefined)),
        Folder: (folder) => void folders.push(folder),
        ToastNotification: ({ message }) => void toasts.push(message),
        DesktopStatus: (status) => void obstacles.push(status),
        BlockInputResult: (result) => void switched.push(result),
        PrivacyScreenResult: (result) => void switched.push(result),
        RemoteControlSessionError: ({ message }) => void errors.push(message),
        SessionDisconnectRequested: () => disconnected.resolve(),
      },
      onFrame: (frame) => void canvas.draw(frame),
      onEnd: ended.resolve,
    })
    onTestFinished(() => remote.close())
    await remote.setCapture({})
    return {
      remote,
      canvas,
      displays,
      clipboard,
      offers,
      results,
      pictures,
      folders,
      toasts,
      obstacles,
      switched,
      errors,
      /** Resolves when the person at the device has ended the session. */
      disconnected: disconnected.promise,
      ended: ended.promise,
    }
  }
  return { sessionId, answer, connect }
}
