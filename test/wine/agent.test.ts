/** Windows agent in Wine. Unsupported parts are skipped with the reason. */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleAgent } from '../../tools/agents/bundle.ts'
import { startXvfb, type XDisplay } from '../../tools/simulate/display.ts'
import { agentVersion } from '../../agent/base/version.ts'
import { agentFolder, startWindows, stopWine, windowsDrive, windowsPath, wineFolder } from '../../tools/wine/wine.ts'
import { bytesOf, detailOf, filesOf, someBytes, type DeviceFiles } from '../agent/capabilities/file-scene.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { startWindowsDevice, type WindowsDevice } from './windows-device.ts'

const folder = 'C:\\farhand-files'
const onDisk = (...names: string[]) => path.join(windowsDrive, 'farhand-files', ...names)
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

let display: XDisplay
let server: TestServer
let owner: Member
let device: WindowsDevice
let files: DeviceFiles
let viewer: Viewer

beforeAll(async () => {
  display = await startXvfb('900x700x24')
  server = await startTestServer({ settings: { AppOptions__MaxFileTransferSize: '0' } })
  owner = await server.owner()
  device = await startWindowsDevice(owner, display.name)
  files = filesOf(owner, device.id)
  viewer = await connectViewer(owner, { isShared: true })
  rmSync(onDisk(), { recursive: true, force: true })
  mkdirSync(onDisk())
}, 120_000)
afterAll(async () => {
  await viewer?.connection.stop()
  await device?.stop()
  await server?.stop()
  await display?.stop()
  // Programs that are left have no display, and would deny one to those of other files.
  stopWine()
})

const tenant = () => ({ tenantId: owner.tenantId })
describe('what a device with Windows reports', () => {
  test('is a system, a processor, memory, a drive and who is signed in', async () => {
    const reported = await owner.devices.get({ params: { deviceId: device.id } })
    expect(reported).toMatchObject({ platform: 1, isOnline: true })
    expect(reported.osDescription).toContain('Windows')
    expect(reported.drives).toContainEqual(expect.objectContaining({ name: expect.stringMatching(/^C:/) }))
    expect(reported.totalMemory).toBeGreaterThan(0)
    expect(reported.currentUsers).toEqual([expect.stringMatching(/./)])
  })
})

describe('files of a device with Windows', () => {
  test('have drives for roots, and segments from there', async () => {
    const { drives } = await owner.deviceFileSystem.rootDrives({ ...tenant(), body: { deviceId: device.id } })
    expect(drives.map(({ fullPath }) => fullPath)).toContain('C:\\')
    const { pathSegments } = await owner.deviceFileSystem.pathSegments({
      ...tenant(),
      body: { deviceId: device.id, targetPath: 'C:\\windows\\system32' },
    })
    expect(pathSegments).toEqual(['C:\\', 'windows', 'system32'])
  })

  test('are listed, created, checked and deleted', async () => {
    const params = { deviceId: device.id }
    await owner.deviceFileSystem.createDirectory({
      ...tenant(),
      params,
      body: { parentPath: folder, directoryName: 'new one' },
    })
    expect(existsSync(onDisk('new one'))).toBe(true)
    writeFileSync(onDisk('new one', 'grüße.txt'), 'hello')
    const { entries } = await files.contents(`${folder}\\new one`)
    expect(entries).toEqual([
      expect.objectContaining({
        name: 'grüße.txt',
        fullPath: `${folder}\\new one\\grüße.txt`,
        size: 5,
        isDirectory: false,
      }),
    ])
    const validated = (fileName: string) =>
      owner.deviceFileSystem.validatePath({
        ...tenant(),
        params,
        body: { directoryPath: `${folder}\\new one`, fileName },
      })
    expect([(await validated('free.txt')).isValid, (await validated('grüße.txt')).isValid]).toEqual([true, false])
    const { subdirectories } = await owner.deviceFileSystem.subdirectories({
      ...tenant(),
      body: { deviceId: device.id, directoryPath: folder },
    })
    expect(subdirectories.map(({ name }) => name)).toContain('new one')
    await owner.deviceFileSystem.deletePath({ ...tenant(), params, body: { filePath: `${folder}\\new one` } })
    expect(existsSync(onDisk('new one'))).toBe(false)
  })

  test('are uploaded and downloaded unchanged', async () => {
    const content = someBytes(3 * 1024 * 1024 + 7)
    expect((await files.upload(folder, content, { name: 'up.bin' })).status).toBe(200)
    expect(hash(readFileSync(onDisk('up.bin')))).toBe(hash(content))
    expect((await files.upload(folder, content, { name: 'up.bin' })).ok).toBe(false)
    const response = await files.download(`${folder}\\up.bin`)
    expect(response.headers.get('content-disposition')).toContain('up.bin')
    expect(hash(await bytesOf(response))).toBe(hash(content))
  })

  test('are downloaded together as one archive', async () => {
    mkdirSync(onDisk('tree', 'inner'), { recursive: true })
    writeFileSync(onDisk('tree', 'inner', 'a.txt'), 'in the tree')
    const response = await files.archive([`${folder}\\tree`])
    const zip = await bytesOf(response)
    expect(zip.subarray(0, 2).toString()).toBe('PK')
    expect(zip.includes('tree/inner/a.txt')).toBe(true)
  })

  test.each(['CON', 'nul.txt', 'a:b', 'trailing.', 'what?.txt'])(
    'are not written under %s, a name that Windows rejects',
    async (name) => {
      const response = await files.upload(folder, someBytes(10), { name })
      expect(response.ok, await response.clone().text()).toBe(false)
      expect(await detailOf(response)).toMatch(/name/i)
    },
  )
})

test('the settings of the device are in its folder, with its key', () => {
  const file = path.join(windowsDrive, device.dataFolder.slice('C:\\'.length), 'appsettings.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    AppOptions: {
      DeviceId: device.id,
      PrivateKey: expect.stringMatching(/^[\w+/]{43}=$/),
      ServerUri: owner.url,
      TenantId: owner.tenantId,
    },
  })
})

test('the logs of the agent are listed and read', async () => {
  const { logFileGroups } = await owner.deviceFileSystem.logs({ ...tenant(), params: { deviceId: device.id } })
  const group = logFileGroups.find(({ groupName }) => groupName === 'Agent Logs')
  expect(group?.logFiles.map(({ fileName }) => fileName)).toEqual(['LogFile.log'])
  const query = new URLSearchParams({ tenantId: owner.tenantId, filePath: group!.logFiles[0]!.fullPath })
  const answer = await owner.fetch(`/api/v1/device-file-system/logs/${device.id}/contents?${query}`)
  expect(await answer.text()).toContain(device.id)
})

/** Builds a program beside this file, runs it with the Windows packages, and returns its JSON output. */
async function runOurs(name: string, ...args: string[]): Promise<unknown> {
  await bundleAgent(agentFolder, path.join(import.meta.dirname, `${name}.ts`))
  const { status, text } = await runNode(`${name}.log`, windowsPath(path.join(agentFolder, `${name}.js`)), ...args)
  expect(status, text).toBe(0)
  return JSON.parse(text.split('\n').find((line) => line.startsWith('{')) ?? '{}')
}

/** Runs Node for Windows until it exits. */
async function runNode(logName: string, ...args: string[]) {
  const log = path.join(wineFolder, logName)
  const program = startWindows([path.join(agentFolder, 'node.exe'), ...args], log, display.name)
  const [status] = (await once(program, 'exit')) as [number | null]
  return { status, text: readFileSync(log, 'utf8') }
}

test('an agent is listed under "Apps" with what removes it, and has a source in the Event Log', async () => {
  const node = `${windowsPath(agentFolder)}\\node.exe`
  const main = 'C:\\farhand-apps\\program\\main.js'
  const quiet = `"${node}" "${main}" "uninstall" "--instance-id" "lab"`
  expect(await runOurs('entries-program', 'C:\\farhand-apps')).toEqual({
    listed: [
      ['DisplayName', 'REG_SZ', 'Farhand agent (lab)'],
      ['DisplayVersion', 'REG_SZ', agentVersion],
      ['EstimatedSize', 'REG_DWORD', expect.stringMatching(/^0x[\da-f]{5}$/)],
      ['InstallDate', 'REG_SZ', expect.stringMatching(/^20\d{6}$/)],
      ['InstallLocation', 'REG_SZ', windowsPath(agentFolder)],
      ['NoModify', 'REG_DWORD', '0x1'],
      ['NoRepair', 'REG_DWORD', '0x1'],
      ['Publisher', 'REG_SZ', 'Farhand'],
      ['QuietUninstallString', 'REG_SZ', quiet],
      ['UninstallString', 'REG_SZ', expect.stringContaining(`Start-Process -Verb RunAs -FilePath '${node}'`)],
    ],
    source: [
      [
        'EventMessageFile',
        'REG_EXPAND_SZ',
        '%SystemRoot%\\Microsoft.NET\\Framework64\\v4.0.30319\\EventLogMessages.dll',
      ],
      ['TypesSupported', 'REG_DWORD', '0x7'],
    ],
    left: [],
  })
})

test('commands without a device fail with the reason, and none uses a folder of somebody else', async () => {
  const main = windowsPath(path.join(agentFolder, 'main.js'))
  const run = (...args: string[]) => runNode('command.log', main, ...args)
  expect(await run('--version')).toEqual({ status: 0, text: `${agentVersion}\n` })
  expect(await run('status', '--data-dir', 'C:\\not-there')).toMatchObject({
    status: 1,
    text: expect.stringContaining('Error: This device is not registered.'),
  })
  expect(await run('uninstall', '--data-dir', 'C:\\not-there')).toEqual({
    status: 0,
    text: 'No agent was installed or running here.\n',
  })
  for (const command of ['run', 'status', 'uninstall']) {
    expect(await run(command, '--data-dir', folder)).toMatchObject({
      status: 1,
      text: expect.stringMatching(/^Error: C:\\farhand-files belongs to the user S-1-5-21-[\d-]+, so others could/),
    })
  }
})

test('a folder is made for the agent alone, and one that others own or may write to is refused', async () => {
  mkdirSync(onDisk('open'))
  chmodSync(onDisk('open'), 0o777)
  expect(await runOurs('folder-program', `${folder}\\closed\\inner`, `${folder}\\open`)).toEqual({
    made: ['usable', 'usable'],
    madeByUs: 'usable',
    open: `the user or group S-1-1-0 may change ${folder}\\open`,
    ofOther: `${folder}\\open belongs to the user US`,
  })
})

test('a folder that a desktop named is kept in its place, unless it is outside of the profile of its person', async () => {
  for (const name of ['anna/Desktop', 'anna-2', 'elsewhere']) {
    mkdirSync(onDisk(name), { recursive: true })
  }
  symlinkSync(onDisk('elsewhere'), onDisk('anna', 'link'))
  const profile = `${folder}\\anna`
  const refusal =
    'Farhand sends files from a session only into folders of the person there. Send them on the Files tab.'
  expect(await runOurs('pin-program', profile, `${folder}\\elsewhere`)).toEqual({
    inside: [`${profile}\\Desktop`, 1, 0],
    itself: [expect.stringMatching(/anna$/i), 3, 2],
    outside: refusal,
    sibling: refusal,
    linked: refusal,
    missing: 'Windows does not let the agent write into this folder: the error of Windows is (3).',
    left: [],
  })
})

test('a process is started with a token, connects to its pipe, is supervised and ended; no other may connect', async () => {
  expect(await runOurs('session-program')).toEqual({
    sid: expect.stringMatching(/^S-1-5-21-/),
    said: [['with "quotes" and blanks\\'], 'string'],
    ended: 'status 7',
    killed: 'status 1',
    refusal: 'Another program came to the pipe of its process.',
    missing: 'Windows did not start a program in this session: it was not found (2).',
    // Passing through folders alone.
    privilegesLeft: 'status 1',
  })
}, 60_000)

test('an installer outlives the agent that started it, has a console, and how it ended is known', async () => {
  const output = onDisk('outliving.log')
  expect(await runOurs('outliving-program', `${folder}\\outliving.log`)).toEqual({
    how: 'status 7',
    missing: 'Windows did not start C:\\there is none.exe: it was not found (2).',
  })
  const written = await until(() => /[^]*console\n/.exec(readFileSync(output, 'utf8'))?.[0])
  expect(written).toBe('started with "quotes" and blanks\\\ngoes on with a console\n')
}, 60_000)

test('screens are locked, people signed out and the machine put to sleep by calls, of which Wine has two', async () => {
  const change = (wanted: 'lock' | 'log-off' | 'sleep') =>
    owner.applianceDevices.changePower({ params: { deviceId: device.id }, body: { change: wanted } })
  await change('lock')
  await change('sleep')
  await expect(change('log-off')).rejects.toThrow('Windows did not end session 1: this Windows cannot do that (120)')
})

test('a terminal whose shell exits at once reports that', async () => {
  const terminalSessionId = randomUUID()
  const answer = await viewer.CreateTerminalSession2({ deviceId: device.id, terminalSessionId })
  expect(answer.shells).toContainEqual(expect.stringMatching(/cmd\.exe$/))
  await until(() => viewer.outputs.some((output) => output.terminalId === terminalSessionId && output.isExit))
})

test('a terminal has a console: text in UTF-8, a resize, Ctrl+C and the end of the shell', async () => {
  expect(await runOurs('terminal-program', `${folder}\\shell.cmd`)).toEqual({
    isUtf8: true,
    goesOnResized: true,
    isOver: true,
    isRunning: true,
    isInterrupted: true,
    completions: [],
  })
}, 60_000)

// Features that Wine 8 lacks; docs/platforms.md says where they are tested.
test.for([
  'a shell as a terminal opens it: Wine hands it the streams of the agent in the place of its console',
  'folders of the agent that are there when it starts: Wine knows one owner, who is no administrator',
  'the installer, updates, and removing what was installed: PowerShell does nothing',
  'the text of entries in the Event Log: Wine keeps none',
  'a process in the session of somebody else: there is one session and no SYSTEM',
  'Ctrl+Alt+Del: SendSAS is missing',
  'blocked input, locked screens and the secure desktop: Wine has none',
])('not testable in Wine: %s', (_, { skip }) => skip())

test('the agent comes back to a server that was restarted', async () => {
  await server.restart()
  await until(
    async () => (await owner.devices.get({ params: { deviceId: device.id } }).catch(() => undefined))?.isOnline,
  )
}, 60_000)
