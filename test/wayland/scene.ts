import turbo from '@julusian/jpeg-turbo'
import sharp from 'sharp'
import { afterAll, beforeAll } from 'vitest'
import type { DesktopSession } from '../../shared/dtos/desktop-session.ts'
import { sendPicture } from '../../shared/remote-control/picture-parts.ts'
import { openRemoteControl } from '../agent/desktop/desktop-scene.ts'
import type { VisitedDevice } from '../e2e/visit-steps.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { startRealDevice, type RealDevice } from '../support/real-device.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { backgroundColor, startSession, terminalColor, type Compositor, type WaylandSession } from './session.ts'

export const near = (seen: readonly number[], wanted: readonly number[]): boolean =>
  seen.every((channel, index) => Math.abs(channel - (wanted[index] ?? 0)) < 12)

/** A real agent, as root, with a session of another user. */
export class Scene {
  session!: WaylandSession
  server!: TestServer
  owner!: Member
  device!: RealDevice
  viewer!: Viewer

  /** Sets the scene for the tests of the file. */
  constructor(compositor: Compositor) {
    beforeAll(async () => {
      this.session = await startSession(compositor)
      this.server = await startTestServer()
      this.owner = await this.server.owner()
      this.device = await startRealDevice(this.owner)
      this.viewer = await connectViewer(this.owner, { isShared: true })
    }, 180_000)
    afterAll(async () => {
      await this.viewer?.connection.stop()
      await this.device?.stop()
      await this.server?.stop()
      await this.session?.stop()
    })
  }

  /** Desktop of the session, as listed by the device. */
  listed(): Promise<DesktopSession> {
    return until(async () => {
      const answer = await this.viewer.GetActiveDesktopSessions2({ deviceId: this.device.id })
      return answer.value?.sessions.find(({ desktopName }) => desktopName === this.session.desktopName)
    })
  }

  /** Opens a session; resolves when the device has sent its displays. */
  async control() {
    const { sessionId, answer, connect } = await openRemoteControl(this, this.viewer, await this.listed())
    if (!answer.isSuccess) {
      throw new Error(answer.reason ?? 'The session was refused.')
    }
    const session = await connect()
    await until(() => session.canvas.width > 0)
    const isTerminal = (x = 600, y = 400) => near(session.canvas.at(x, y), terminalColor)
    const displays = () => session.displays.at(-1) ?? []
    const sizes = () => displays().map(({ capturePixelSize: { width, height } }) => `${width}x${height}`)
    return { ...session, sessionId, isTerminal, current: displays, sizes }
  }

  /** Exchanges a picture in both directions, and gets the path of a file that is copied here. */
  async exchangeCopies({ remote, offers, results }: Awaited<ReturnType<Scene['control']>>) {
    const background = { r: 10, g: 160, b: 220 }
    const png = await sharp({ create: { width: 32, height: 24, channels: 3, background } })
      .png()
      .toBuffer()
    const base64 = png.toString('base64')
    await sendPicture(1, png, (part) => remote.send('ClipboardPicture', part))
    await until(() => results.some(({ contentId, reason }) => contentId === 1 && reason === null))
    const shell = (command: string) => this.session.run('sh', '-c', command)
    await until(async () => (await shell('wl-paste --type image/png | base64 --wrap=0')) === base64)
    const copy = (text: string, type: string) =>
      shell(`printf '${text}' | base64 -d | wl-copy --type ${type} >/dev/null 2>&1`)
    await copy(base64, 'image/png')
    await until(() => offers.some(({ byteCount, width }) => byteCount === png.length && width === 32))
    await copy(Buffer.from('file:///etc/hostname\r\n').toString('base64'), 'text/uri-list')
    await until(() => offers.some(({ files }) => files[0]?.path === '/etc/hostname'))
  }

  /** The device as a visit meets it; its terminal takes this text. */
  async visited(text: string): Promise<VisitedDevice> {
    const { session, device } = this
    const inbox = device.path('inbox')
    const { name } = await this.listed()
    return {
      name,
      title: `${name} · ${session.desktopName}`,
      text,
      receives: (typed) => until(() => session.typed().endsWith(typed)),
      readClipboard: () => session.run('wl-paste', '--no-newline'),
      writeClipboard: (copied) => session.run('sh', '-c', `printf '${copied}' | wl-copy >/dev/null 2>&1`),
      folder: inbox,
      onDisk: inbox,
      command: ['echo "sum: $((6*7))"', 'sum: 42'],
    }
  }

  /** Size of the preview, and whether it shows the terminal and, beside it, the background of the second display. */
  async preview() {
    const { processId } = await this.listed()
    const { id } = this.device
    const answer = await this.owner.fetch(`/api/v1/desktop-preview/${id}/${processId}?tenantId=${this.owner.tenantId}`)
    const { data, width, height } = await turbo.decompress(Buffer.from(await answer.arrayBuffer()), {
      format: turbo.FORMAT_RGB,
    })
    const at = (x: number, y: number) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
    return [width, height, near(at(600, 400), terminalColor), near(at(1800, 400), backgroundColor)]
  }
}
