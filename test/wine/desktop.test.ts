/** Desktop of the Windows agent in Wine, with two displays; the second is left of the primary. */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import turbo from '@julusian/jpeg-turbo'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sendPicture } from '../../shared/remote-control/picture-parts.ts'
import { folderPurpose, keyboardInputMode, mouseButton } from '../../shared/remote-control/values.ts'
import type { RemoteControlViewer } from '../../shared/remote-control/viewer.ts'
import type { XDisplay } from '../../tools/simulate/display.ts'
import { startWindows, stopWine, windowsDrive, wineFolder } from '../../tools/wine/wine.ts'
import { bytesOf } from '../agent/capabilities/file-scene.ts'
import { endProcess, openRemoteControl, startWindowManager } from '../agent/desktop/desktop-scene.ts'
import { XProgram } from '../agent/desktop/x-program.ts'
import { xClipboard } from '../e2e/x-clipboard.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { primary, second, startTwoDisplays } from './two-displays.ts'
import { startWindowsDevice, type WindowsDevice } from './windows-device.ts'

const folder = 'C:\\farhand-desktop'
const onDisk = (...names: string[]) => path.join(windowsDrive, 'farhand-desktop', ...names)

let display: XDisplay
let manager: ChildProcess
let server: TestServer
let owner: Member
let device: WindowsDevice
let viewer: Viewer
let notepad: ChildProcess

beforeAll(async () => {
  display = await startTwoDisplays()
  manager = startWindowManager(display)
  rmSync(onDisk(), { recursive: true, force: true })
  mkdirSync(onDisk())
  writeFileSync(onDisk('typed.txt'), '')
  // Before the agent: Wine looks for displays when the first program with a window starts.
  notepad = startWindows(['notepad', `${folder}\\typed.txt`], path.join(wineFolder, 'notepad.log'), display.name)
  server = await startTestServer()
  owner = await server.owner()
  device = await startWindowsDevice(owner, display.name)
  viewer = await connectViewer(owner, { isShared: true })
}, 120_000)
afterAll(async () => {
  await viewer?.connection.stop()
  await device?.stop()
  await endProcess(notepad)
  await server?.stop()
  await endProcess(manager)
  await display?.stop()
  stopWine()
})

const green = [0x20, 0xa0, 0x40]
const red = [0xc0, 0x20, 0x40]
const noticeColor = [0x1f, 0x29, 0x37]
const near = ([r, g, b]: readonly number[], [x, y, z]: readonly number[]) =>
  Math.abs(r! - x!) + Math.abs(g! - y!) + Math.abs(b! - z!) < 30

const list = async () => (await viewer.GetActiveDesktopSessions2({ deviceId: device.id })).value?.sessions ?? []
const desktop = () => until(async () => (await list()).find((one) => one.areRemoteControlPermissionsGranted))

async function control() {
  const { sessionId, answer, connect } = await openRemoteControl({ owner, device }, viewer, await desktop())
  expect(answer).toMatchObject({ isSuccess: true })
  const session = await connect()
  await until(() => session.displays.length > 0)
  return { ...session, sessionId }
}

/** Presses keys together, as a viewer's keyboard does. */
async function press(remote: RemoteControlViewer, ...codes: string[]) {
  const stroke = (code: string, isPressed: boolean) =>
    remote.send('KeyEvent', {
      key: code.startsWith('Key') ? code.slice(3).toLowerCase() : code.replace(/(Left|Right)$/, ''),
      code,
      isPressed,
      inputMode: keyboardInputMode.Auto,
      modifiers: { control: codes.includes('ControlLeft'), shift: false, alt: false, meta: false },
    })
  for (const code of codes) {
    await stroke(code, true)
  }
  for (const code of codes.toReversed()) {
    await stroke(code, false)
  }
}

test('desktops are the sessions of users, each with a process of its own', async () => {
  const found = await desktop()
  expect(found).toMatchObject({ name: 'Console', systemSessionId: 1, type: 0, username: expect.stringMatching(/./) })
  expect(
    await viewer.RequestRemoteControlPermission2({ deviceId: device.id, targetProcessId: found.processId }),
  ).toMatchObject({ isSuccess: true })
})

test('each display is seen by itself, and the pointer moves on it', async () => {
  const program = await XProgram.start(display.name)
  onTestFinished(() => program.stop())
  const window = await program.openWindow(100, 100, 300, 200)
  await program.fill(0, 0, 300, 200, 0x20a040, window)
  const { remote, canvas, displays } = await control()
  expect(displays.at(-1)).toMatchObject([
    { name: 'Display 1', isPrimary: true, layoutBounds: { x: 0, y: 0, width: 800, height: 600 } },
    { name: 'Display 2', isPrimary: false, layoutBounds: { x: -640, y: 0, width: 640, height: 480 } },
  ])
  const other = displays.at(-1)![1]!
  canvas.resize(other)
  await remote.send('ChangeDisplays', { displayId: other.displayId })
  await until(() => near(canvas.at(250, 200), green))
  await program.fill(0, 0, 300, 200, 0xc02040, window)
  await until(() => near(canvas.at(250, 200), red))
  // QueryPointer
  const pointer = () =>
    program.connection.request(38, 0, windowOf(program), (answer) => [answer.readInt16LE(8), answer.readInt16LE(10)])
  await remote.send('MovePointer', { normalizedX: 0.5, normalizedY: 0.25 })
  await until(async () => String(await pointer()) === String([second.width / 2, second.height / 4]))
  await remote.send('ChangeDisplays', { displayId: displays.at(-1)![0]!.displayId })
  await remote.send('MovePointer', { normalizedX: 1, normalizedY: 1 })
  await until(async () => String(await pointer()) === String([primary.x + primary.width - 1, primary.height - 1]))
})

function windowOf({ connection }: XProgram) {
  const body = Buffer.alloc(4)
  body.writeUInt32LE(connection.root)
  return body
}

test('text of any script is typed, shortcuts are pressed, and the clipboard is shared both ways', async () => {
  const { remote, clipboard, sessionId } = await control()
  const text = 'Grüße 😀 日本'
  // Repeated until the window has the keyboard focus: earlier input is lost.
  await until(async () => {
    await press(remote, 'ControlLeft', 'KeyA')
    await remote.send('TypeText', { text })
    await press(remote, 'ControlLeft', 'KeyA')
    await press(remote, 'ControlLeft', 'KeyC')
    await wait(300)
    return clipboard.at(-1) === text
  })
  await until(async () => {
    await remote.send('ClipboardText', { text: 'of the viewer', sessionId })
    await wait(300)
    for (const key of ['KeyA', 'KeyV', 'KeyA', 'KeyC']) {
      await press(remote, 'ControlLeft', key)
    }
    await wait(300)
    return clipboard.at(-1) === 'of the viewer'
  })
}, 60_000)

/** BMP of one color, three bytes per pixel. */
function bitmap(width: number, height: number, [red, green, blue]: readonly [number, number, number]) {
  const header = Buffer.alloc(54)
  const pixels = Buffer.alloc(width * height * 3, Buffer.from([blue, green, red]))
  header.write('BM')
  header.writeUInt32LE(header.length + pixels.length, 2)
  header.writeUInt32LE(header.length, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(width, 18)
  header.writeInt32LE(height, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(24, 28)
  return Buffer.concat([header, pixels])
}

const colorOf = async (picture: Uint8Array) => [...(await sharp(picture).removeAlpha().raw().toBuffer()).subarray(0, 3)]

test('pictures and files are copied both ways, pictures also for programs that know no PNG', async () => {
  const { remote, offers, results, pictures, folders } = await control()
  const { readAs, writeAs } = xClipboard(display.name)
  const readUntil = (type: string, isThere: (content: Buffer) => boolean) =>
    until(async () => {
      const content = await readAs(type).catch(() => Buffer.alloc(0))
      return isThere(content) ? content : undefined
    })

  const background = { r: 10, g: 160, b: 220 }
  const png = await sharp({ create: { width: 32, height: 24, channels: 3, background } })
    .png()
    .toBuffer()
  await sendPicture(1, png, (part) => remote.send('ClipboardPicture', part))
  await until(() => results.length > 0)
  expect(results).toEqual([{ contentId: 1, reason: null }])
  await readUntil('image/png', (content) => content.equals(png))
  const bmp = await readAs('image/bmp')
  const first = bmp.readUInt32LE(10)
  expect([bmp.readInt32LE(18), bmp.readInt32LE(22), ...bmp.subarray(first, first + 3)]).toEqual([32, 24, 220, 160, 10])

  writeAs('image/bmp', bitmap(40, 20, [200, 40, 90]))
  const { offerId } = await until(() => offers.find(({ width, height }) => width === 40 && height === 20))
  await remote.send('RequestClipboardPicture', { offerId })
  await until(() => pictures.length > 0)
  expect(await colorOf(pictures[0]!)).toEqual([200, 40, 90])

  await remote.send('RequestFolder', { purpose: folderPurpose.Clipboard })
  const { path: pasteFolder } = await until(() => folders[0])
  writeFileSync(path.join(windowsDrive, ...pasteFolder.split('\\').slice(1), 'report 1.txt'), 'figures')
  await remote.send('ClipboardFiles', { contentId: 2, names: ['report 1.txt'] })
  await until(() => results.length > 1)
  expect(results[1]).toEqual({ contentId: 2, reason: null })
  const list = String(await readUntil('text/uri-list', (content) => content.length > 0)).trim()
  // Wine also encodes slashes, and characters outside of ASCII in its own way.
  expect(readFileSync(decodeURIComponent(list).replace('file://', ''), 'utf8')).toBe('figures')

  writeAs('text/uri-list', `file://${onDisk('typed.txt')}\r\n`)
  const { files } = await until(() => offers.find((offer) => offer.files.length > 0))
  expect(files).toEqual([{ path: expect.stringMatching(/typed\.txt$/), size: expect.any(Number), isFolder: false }])
}, 60_000)

test('the person at the device sees who is connected, and ends the session there', async () => {
  const { remote, canvas, ended } = await control()
  const middle = primary.width / 2
  await until(() => near(canvas.at(middle, 3), noticeColor))
  // The label is at the right end of the notice, which stands in the middle.
  let right = middle
  while (canvas.at(right, 3)[0] !== 0 && right < primary.width - 1) {
    right++
  }
  const position = { normalizedX: (right - 30) / primary.width, normalizedY: 18 / primary.height }
  await remote.send('MouseClick', { button: mouseButton.Left, isDoubleClick: false, ...position })
  await ended
  await until(() => device.output().includes('reason="The person at the device ended the session."'))
})

test('input that Windows does not block is reported with the reason, as is the version that cannot blank screens', async () => {
  const { remote, obstacles, switched } = await control()
  await until(() => obstacles.length > 0)
  expect(obstacles).toEqual([
    {
      blockInputObstacle: null,
      privacyScreenObstacle: expect.stringContaining('since version 2004'),
      isSecureDesktop: false,
      spansDisplays: true,
    },
  ])
  await remote.send('ToggleBlockInput', { isEnabled: true })
  await until(() => switched.length > 0)
  expect(switched).toEqual([
    {
      isSuccess: false,
      finalState: false,
      reason: 'Windows does not block input: this Windows cannot do that (120).',
    },
  ])
})

test('desktops are previewed with all displays', async () => {
  const { processId } = await desktop()
  const response = await owner.fetch(`/api/v1/desktop-preview/${device.id}/${processId}?tenantId=${owner.tenantId}`)
  const { width, height } = await turbo.decompress(await bytesOf(response), { format: turbo.FORMAT_RGB })
  expect([width, height]).toEqual([second.width + primary.width, primary.height])
})

test('Ctrl+Alt+Del is pressed by the Windows service alone, and another agent rejects it with the reason', async () => {
  const { processId } = await desktop()
  expect(
    await viewer.InvokeCtrlAltDel2({ deviceId: device.id, targetDesktopProcessId: processId, desktopSessionType: 0 }),
  ).toMatchObject({
    isSuccess: false,
    reason: 'Windows lets only its services press Ctrl+Alt+Del, and this agent does not run as one.',
  })
})
