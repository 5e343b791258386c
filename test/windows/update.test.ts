/** Silent installation and updates of an installed agent, in Wine 10 with PowerShell. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { offerRelease } from '../../tools/windows/release.ts'
import { drive, resetWindows, runWindows, switchOff } from '../../tools/windows/windows.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import type { Member, TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import {
  deployOn,
  installedMarks as installed,
  isOnline,
  onlineDevice,
  programFolder as program,
  startServer,
  textOf,
} from './installed-device.ts'

const timeout = 300_000
const settings = path.join(drive, 'ProgramData', 'Farhand', 'default')
const installerLog = path.join(settings, 'Logs', 'Farhand.Agent', 'Installer', 'Installer.log')

let server: TestServer
let owner: Member
let viewer: Viewer
let deviceId: string

beforeAll(async () => {
  resetWindows()
  await offerRelease('first')
  server = await startServer(true)
  owner = await server.owner()
  viewer = await connectViewer(owner, { isShared: true })
}, timeout)
afterAll(async () => {
  await viewer?.connection.stop()
  switchOff()
  await server?.stop()
}, timeout)

const silently = (command: string | null) => runWindows(['cmd.exe', '/c', command ?? ''])

/** Pin of no server. */
const wrongPin = `sha256//${Buffer.alloc(32, 1).toString('base64')}`

/** The silent command with another pin in its script. */
function withWrongPin(command: string): string {
  const [, script = ''] = /-EncodedCommand (\S+)/.exec(command) ?? []
  const text = Buffer.from(script, 'base64').toString('utf16le')
  const other = text.replaceAll(/sha256\/\/[\w+/]{43}=/g, wrongPin)
  expect(other).not.toBe(text)
  return command.replace(script, Buffer.from(other, 'utf16le').toString('base64'))
}

const update = () => viewer.SendAgentUpdateTrigger2({ deviceId })

test('a silent installation that fails ends with 1, and one whose device is online with 0', { timeout }, async () => {
  const refused = await deployOn(owner)
  await owner.installerKeys.delete({ params: { keyId: refused.key.id }, tenantId: owner.tenantId })
  const failed = await silently(refused.silentCommand)
  expect(failed.output).toContain('rejects the installer key, so nothing was installed.')
  expect([failed.status, existsSync(program)]).toEqual([1, false])

  const { silentCommand } = await deployOn(owner)
  const foreign = await silently(withWrongPin(silentCommand ?? ''))
  expect(foreign.output).toContain(`Nothing was run: expected a server with the key ${wrongPin}, seen sha256//`)
  expect([foreign.status, existsSync(program)]).toEqual([1, false])

  const { status, output } = await silently(silentCommand)
  expect(output).toMatch(/is online\./)
  expect([status, installed()]).toEqual([0, ['first']])
  deviceId = (await onlineDevice(owner)).id
})

test('an update replaces the version of the service', { timeout }, async () => {
  await offerRelease('second')
  expect(await update()).toMatchObject({ isSuccess: true })
  await until(() => installed().join() === 'second')
  await until(() => isOnline(owner, deviceId))
})

test('an update whose agent does not start is rolled back', { timeout }, async () => {
  await offerRelease('broken', `if (process.argv[2] === 'run') process.exit(3)`)
  await update()
  await until(() =>
    textOf(installerLog).includes('The new agent did not come online, so the previous version was restored.'),
  )
  await until(() => installed().join() === 'second')
  await until(() => isOnline(owner, deviceId))
})

test('the server hears of an update that fails while its agent runs', { timeout }, async () => {
  await offerRelease('unusable', `if (process.argv[2] === 'install') process.exit(9)`)
  await update()
  // The agent may still report the update before this one, until the new installer has started.
  await until(async () => {
    const { evidence } = await owner.applianceDevices.absence({ params: { deviceId } })
    const heard = evidence.find(({ kind }) => kind === 'update-refused')
    return heard?.detail?.startsWith('The installer ended with status 9 and replaced nothing')
  })
  expect([installed(), await isOnline(owner, deviceId)]).toEqual([['second'], true])
})

test('an update goes on when its agent ends in the middle', { timeout }, async () => {
  await offerRelease('third')
  const before = textOf(installerLog).length
  await update()
  await until(() => textOf(installerLog).slice(before).includes('Downloading'))
  const { pid } = JSON.parse(textOf(path.join(settings, 'state.json'))) as { pid: number }
  expect((await runWindows(['taskkill.exe', '/f', '/pid', String(pid)])).status).toBe(0)
  await until(() => installed().join() === 'third')
  await until(() => isOnline(owner, deviceId))
})
