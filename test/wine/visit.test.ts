/** Visit of a device with Windows by Chromium, in Wine. */
import { execFileSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleAgent } from '../../tools/agents/bundle.ts'
import { inPath } from '../../tools/chromium.mjs'
import { startXvfb, type XDisplay } from '../../tools/simulate/display.ts'
import {
  agentFolder,
  runWindows,
  startWindows,
  stopWine,
  windowsDrive,
  windowsPath,
  wineFolder,
} from '../../tools/wine/wine.ts'
import { endProcess, openRemoteControl, startWindowManager } from '../agent/desktop/desktop-scene.ts'
import { nextFocus } from '../agent/desktop/next-focus.ts'
import { visit } from '../e2e/visit.ts'
import { xClipboard } from '../e2e/x-clipboard.ts'
import { personAt } from '../e2e/x-person.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { startWindowsDevice, type WindowsDevice } from './windows-device.ts'

const compiler = inPath('x86_64-w64-mingw32-gcc-posix')
const folder = 'C:\\farhand-visit'
const onDisk = (...names: string[]) => path.join(windowsDrive, 'farhand-visit', ...names)
const inWineFolder = (name: string) => path.join(wineFolder, name)
/** In the place of PowerShell 7: Wine hands a shell the streams of the agent, so this one opens its console by name. */
const shellFolder = path.join(windowsDrive, 'Program Files', 'PowerShell')
const shell = `#include <stdlib.h>
int main(void) { return system("cmd.exe <CONIN$ >CONOUT$ 2>CONOUT$"); }
`

/** Desktop of the device, once its process answers. */
const desktop = () =>
  until(async () => {
    const { value } = await viewer.GetActiveDesktopSessions2({ deviceId: device.id })
    return value?.sessions.find((one) => one.areRemoteControlPermissionsGranted)
  })

/** Answers with the keyboard of the display, because Wine types into its own windows only. */
async function personAnswers() {
  const windowIsOpen = await nextFocus(display)
  return async (text: string) => {
    await windowIsOpen()
    const person = await personAt(display.name)
    await person.say(text)
    person.leave()
  }
}

/** In the place of the person's own browser, which Windows opens by the association of pages. */
const browser = `#!/bin/sh
exec ${inPath('chromium') ?? inPath('google-chrome')} --no-sandbox --test-type --no-first-run --disable-gpu \\
  --user-data-dir=${inWineFolder('browser-profile')} --app="$1" >/dev/null 2>&1
`

let display: XDisplay
let manager: ChildProcess
let server: TestServer
let owner: Member
let device: WindowsDevice
let viewer: Viewer
const typedLog = inWineFolder('typed.log')

beforeAll(async () => {
  if (compiler === undefined) {
    return
  }
  mkdirSync(path.join(shellFolder, '7'), { recursive: true })
  writeFileSync(inWineFolder('shell.c'), shell)
  execFileSync(compiler, [inWineFolder('shell.c'), '-o', path.join(shellFolder, '7', 'pwsh.exe')])
  writeFileSync(inWineFolder('browser.sh'), browser, { mode: 0o755 })
  rmSync(onDisk(), { recursive: true, force: true })
  mkdirSync(onDisk())
  await bundleAgent(agentFolder, path.join(import.meta.dirname, 'typed-program.ts'))
  display = await startXvfb('1280x800x24')
  manager = startWindowManager(display)
  const set = (key: string, value: string, name?: string) =>
    runWindows('reg', 'add', key, ...(name === undefined ? ['/ve'] : ['/v', name]), '/d', value, '/f')
  await set('HKCU\\Software\\Wine\\WineBrowser', inWineFolder('browser.sh'), 'Browsers')
  await set('HKCR\\.html', 'PersonsBrowser')
  await set('HKCR\\PersonsBrowser\\shell\\open\\command', 'C:\\windows\\system32\\winebrowser.exe "%1"')
  stopWine()
  // Over the whole display, so that clicks of a viewer leave the keyboard focus there.
  startWindows(['start', '/max', 'notepad'], inWineFolder('notepad.log'), display.name)
  startWindows(
    [path.join(agentFolder, 'node.exe'), windowsPath(path.join(agentFolder, 'typed-program.js'))],
    typedLog,
    display.name,
  )
  server = await startTestServer()
  owner = await server.owner()
  device = await startWindowsDevice(owner, display.name)
  viewer = await connectViewer(owner, { isShared: true })
  // The first process of the desktop starts slowly on a busy machine, and the page does not wait for it.
  await until(async () => {
    const { processId } = await desktop()
    return (await owner.fetch(`/api/v1/desktop-preview/${device.id}/${processId}?tenantId=${owner.tenantId}`)).ok
  })
}, 120_000)
afterAll(async () => {
  await viewer?.connection.stop()
  await device?.stop()
  await server?.stop()
  stopWine()
  await endProcess(manager)
  await display?.stop()
  rmSync(shellFolder, { recursive: true, force: true })
})

test.skipIf(compiler === undefined)(
  'a device with Windows is visited: control, clipboard, a file, a command and a chat',
  { timeout: 240_000 },
  async () => {
    // Left by a failed attempt.
    rmSync(onDisk('inbox'), { recursive: true, force: true })
    await visit(owner, device.id, {
      name: (await desktop()).name,
      text: 'Füße: 5 €',
      receives: (text) => until(() => readFileSync(typedLog, 'utf8').includes(JSON.stringify(text).slice(1, -1))),
      ...xClipboard(display.name),
      folder: `${folder}\\inbox`,
      onDisk: onDisk('inbox'),
      shell: 'pwsh',
      command: ['echo sum: %PROCESSOR_ARCHITECTURE%', 'sum: AMD64'],
      personAnswers,
    })
  },
)

test.skipIf(compiler === undefined)(
  'the person at a device with Windows is asked for consent in their own browser',
  async () => {
    const answer = await personAnswers()
    const opened = openRemoteControl({ owner, device }, viewer, await desktop(), { requireConsent: true })
    // Enter, where the button that declines has the focus.
    await answer('')
    expect((await opened).answer).toMatchObject({ isSuccess: false, reason: 'The person at the device declined.' })
  },
)
