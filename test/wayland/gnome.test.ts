/** A real agent, as root, shows and controls a real session of GNOME of another user. */
import turbo from '@julusian/jpeg-turbo'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { DisplayDto } from '../../shared/remote-control/messages.ts'
import { keyboardInputMode, mouseButton } from '../../shared/remote-control/values.ts'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { Canvas, connectRemoteViewer } from '../../tools/simulate/remote-viewer.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { startRealDevice, type RealDevice } from '../support/real-device.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { backgroundColor, gnomeProblem, startGnome, terminalColor, type GnomeSession } from './gnome-session.ts'

let gnome: GnomeSession
let server: TestServer
let owner: Member
let device: RealDevice
let viewer: Viewer

const near = (seen: readonly number[], wanted: readonly number[]) =>
  seen.every((channel, index) => Math.abs(channel - (wanted[index] ?? 0)) < 12)

const noModifiers = { control: false, shift: false, alt: false, meta: false }

const findDesktop = () =>
  until(async () => {
    const answer = await viewer.GetActiveDesktopSessions2({ deviceId: device.id })
    return answer.value?.sessions.find(({ name }) => name.startsWith('Console - Wayland: nobody'))
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
    },
    onFrame: (frame) => void canvas.draw(frame),
    onEnd: () => {},
  })
  onTestFinished(() => remote.close())
  await remote.setCapture({})
  await until(() => canvas.width > 0)
  // GNOME starts with the overview of its windows.
  const escape = { key: 'Escape', code: 'Escape', inputMode: keyboardInputMode.Auto, modifiers: noModifiers }
  await until(async () => {
    if (!near(canvas.at(600, 400), terminalColor)) {
      await remote.send('KeyEvent', { ...escape, isPressed: true })
      await remote.send('KeyEvent', { ...escape, isPressed: false })
    }
    return near(canvas.at(600, 400), terminalColor)
  })
  return { remote, canvas, seen, sessionId }
}

describe.skipIf(gnomeProblem !== undefined)(`a session of GNOME${gnomeProblem ? `: ${gnomeProblem}` : ''}`, () => {
  beforeAll(async () => {
    gnome = await startGnome()
    server = await startTestServer()
    owner = await server.owner()
    device = await startRealDevice(owner)
    viewer = await connectViewer(owner, { isShared: true })
  })
  afterAll(async () => {
    await viewer?.connection.stop()
    await device?.stop()
    await server?.stop()
    await gnome?.stop()
  })

  test('is shown with both displays in their own colors', async () => {
    const { remote, canvas, seen } = await control()
    expect(seen.displays.map(({ displayId }) => displayId)).toEqual(['Meta-0', 'Meta-1'])
    await remote.send('ChangeDisplays', { displayId: 'Meta-1' })
    await until(() => near(canvas.at(600, 400), backgroundColor))
    await remote.send('ChangeDisplays', { displayId: 'Meta-0' })
    await until(() => near(canvas.at(600, 400), terminalColor))
  })

  test('types text of its keyboard layout', async () => {
    const { remote } = await control()
    const text = 'echo "ABC" > {}|~'
    await remote.send('TypeText', { text: `${text}\n` })
    await expect.poll(() => gnome.typed()).toContain(`${text}\r`)
  })

  test('takes clicks where the viewer points', async () => {
    const { remote } = await control()
    const place = { normalizedX: 0.5, normalizedY: 0.5 }
    await remote.send('MouseClick', { button: mouseButton.Left, isDoubleClick: false, ...place })
    // The middle of 1280 by 720 pixels below the panel and the title, in cells of about 7 by 14.
    await expect.poll(() => gnome.typed()).toMatch(/\x1b\[<0;9\d;2\dM\x1b\[<0;9\d;2\dm/)
  })

  test('pastes text that its keyboard layout lacks, and keeps the clipboard', async () => {
    const { remote, seen, sessionId } = await control()
    await gnome.run('sh', '-c', 'printf "kept" | wl-copy >/dev/null 2>&1')
    await until(() => seen.clipboard.includes('kept'))
    await remote.send('TypeText', { text: 'Grüße 😀' })
    // The terminal shows Control+V as its character.
    await until(() => gnome.typed().endsWith('\x16'))
    await remote.send('ClipboardText', { text: 'from the viewer ü😀', sessionId })
    await until(async () => (await gnome.run('wl-paste', '--no-newline').catch(() => '')) === 'from the viewer ü😀')
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
})
