/** A real agent, as root, shows and controls a real session of sway of another user. */
import turbo from '@julusian/jpeg-turbo'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { DisplayDto } from '../../shared/remote-control/messages.ts'
import { mouseButton } from '../../shared/remote-control/values.ts'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { Canvas, connectRemoteViewer } from '../../tools/simulate/remote-viewer.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { startRealDevice, type RealDevice } from '../support/real-device.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { backgroundColor, startSway, swayProblem, terminalColor, type SwaySession } from './sway-session.ts'

let sway: SwaySession
let server: TestServer
let owner: Member
let device: RealDevice
let viewer: Viewer

/** Color of the button in the line on the screen. */
const buttonColor = [0xb9, 0x1c, 0x1c]

const near = (seen: readonly number[], wanted: readonly number[]) =>
  seen.every((channel, index) => Math.abs(channel - (wanted[index] ?? 0)) < 12)

const findDesktop = () =>
  until(async () => {
    const answer = await viewer.GetActiveDesktopSessions2({ deviceId: device.id })
    return answer.value?.sessions.find(({ desktopName }) => desktopName === sway.desktopName)
  })

/** Opens a session; resolves when the whole picture of the first display was drawn. */
async function control() {
  const { processId, systemSessionId } = await findDesktop()
  const { sessionId, requester, responder } = makeTicket(owner.url)
  const answer = await viewer.RequestRemoteControlSession2({
    sessionId,
    websocketUri: responder,
    targetSystemSession: systemSessionId,
    targetProcessId: processId,
    deviceId: device.id,
    requireConsent: false,
  })
  expect(answer).toMatchObject({ isSuccess: true })
  const canvas = new Canvas()
  const seen = {
    displays: [] as DisplayDto[],
    clipboard: [] as (string | null)[],
    errors: [] as string[],
    isDisconnected: false,
  }
  const remote = await connectRemoteViewer({
    uri: requester,
    headers: { cookie: owner.cookie ?? '', origin: owner.url },
    on: {
      DisplayData({ displays }) {
        seen.displays = [...displays]
        canvas.resize(displays[0]!)
      },
      ClipboardText: ({ text }) => void seen.clipboard.push(text),
      SessionDisconnectRequested() {
        seen.isDisconnected = true
      },
      RemoteControlSessionError: ({ message }) => void seen.errors.push(message),
    },
    onFrame: (frame) => void canvas.draw(frame),
    onEnd: () => {},
  })
  onTestFinished(() => remote.close())
  await remote.setCapture({})
  await until(() => canvas.width > 0 && near(canvas.at(600, 400), terminalColor))
  return { remote, canvas, seen, sessionId }
}

describe.skipIf(swayProblem !== undefined)(`a session of sway${swayProblem ? `: ${swayProblem}` : ''}`, () => {
  beforeAll(async () => {
    sway = await startSway()
    server = await startTestServer()
    owner = await server.owner()
    device = await startRealDevice(owner)
    viewer = await connectViewer(owner, { isShared: true })
  })
  afterAll(async () => {
    await viewer?.connection.stop()
    await device?.stop()
    await server?.stop()
    await sway?.stop()
  })

  test('is shown with both displays in their own colors', async () => {
    const { remote, canvas, seen } = await control()
    expect(seen.displays.map(({ displayId }) => displayId)).toEqual(['HEADLESS-1', 'HEADLESS-2'])
    await remote.send('ChangeDisplays', { displayId: 'HEADLESS-2' })
    await until(() => near(canvas.at(600, 400), backgroundColor))
    await remote.send('ChangeDisplays', { displayId: 'HEADLESS-1' })
    await until(() => near(canvas.at(600, 400), terminalColor))
  })

  test('takes clicks where the viewer points, and text of every script', async () => {
    const { remote } = await control()
    const place = { normalizedX: 0.5, normalizedY: 0.5 }
    await remote.send('MouseClick', { button: mouseButton.Left, isDoubleClick: false, ...place })
    const click = await until(() => /\x1b\[<0;(\d+);(\d+)M\x1b\[<0;\1;\2m/.exec(sway.typed()) ?? undefined)
    // The middle of 1280 by 720 pixels, in cells of 7 by 14.
    expect(click.slice(1).map(Number)).toEqual([92, 26])
    const text = 'Grüße ABC {}|~ 漢字 😀👍 й€'
    await remote.send('TypeText', { text: `${text}\n` })
    await until(() => sway.typed().endsWith(`${text}\r`))
  })

  test('shares the text of the clipboard in both directions', async () => {
    const { remote, seen, sessionId } = await control()
    await remote.send('ClipboardText', { text: 'from the viewer ü😀', sessionId })
    await until(async () => (await sway.run('wl-paste', '--no-newline').catch(() => '')) === 'from the viewer ü😀')
    await sway.run('sh', '-c', 'printf "from the device ü" | wl-copy >/dev/null 2>&1')
    await until(() => seen.clipboard.includes('from the device ü'))
  })

  test('names the viewer in a line on the screen, whose button ends the session', async () => {
    const { remote, canvas, seen } = await control()
    const x = await until(() => {
      const row = Array.from({ length: canvas.width }, (_, column) => column)
      return row.find((column) => near(canvas.at(column, 3), buttonColor))
    })
    const place = { normalizedX: (x + 8) / canvas.width, normalizedY: 3 / canvas.height }
    await remote.send('MouseClick', { button: mouseButton.Left, isDoubleClick: false, ...place })
    await until(() => seen.isDisconnected)
  })

  test('has a preview with both displays', async () => {
    const { processId } = await findDesktop()
    const answer = await owner.fetch(`/api/v1/desktop-preview/${device.id}/${processId}?tenantId=${owner.tenantId}`)
    expect(answer.status).toBe(200)
    const { data, width, height } = await turbo.decompress(Buffer.from(await answer.arrayBuffer()), {
      format: turbo.FORMAT_RGB,
    })
    const at = (x: number, y: number) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
    expect([width, height, near(at(600, 400), terminalColor), near(at(1800, 400), backgroundColor)]).toEqual([
      2304,
      768,
      true,
      true,
    ])
  })

  test('follows an output that gets another size and turns, and an output that is added', async () => {
    const { canvas, seen } = await control()
    const sizes = () => seen.displays.map(({ capturePixelSize: { width, height } }) => `${width}x${height}`)
    await sway.command('output HEADLESS-1 mode 1000x600')
    await until(() => sizes().join() === '1000x600,1024x768' && near(canvas.at(900, 500), terminalColor))
    await sway.command('output HEADLESS-1 transform 90')
    await until(() => sizes().join() === '600x1000,1024x768' && near(canvas.at(500, 900), terminalColor))
    await sway.command('output HEADLESS-1 transform normal')
    await sway.command('output HEADLESS-1 mode 1280x720')
    await until(() => sizes().join() === '1280x720,1024x768' && near(canvas.at(1200, 600), terminalColor))
    await sway.command('create_output')
    await until(() => seen.displays.some(({ displayId }) => displayId === 'HEADLESS-3'))
  })

  test('ends with the reason when sway has ended', async () => {
    const { seen } = await control()
    sway.kill()
    await until(() => seen.errors.length > 0)
    expect(seen.errors).toEqual(['The program that draws this Wayland desktop has ended.'])
  })
})
