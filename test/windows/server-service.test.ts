/** The server as a service of Windows, in Wine 10: its own program, with the packages that call Windows. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { serverHome, serverVersion } from '../../tools/windows/server.ts'
import { drive, resetWindows, runWindows, switchOff } from '../../tools/windows/windows.ts'
import { until } from '../support/until.ts'

const timeout = 200_000
const data = path.join(drive, 'ProgramData', 'Farhand')
const forWindows = path.join(drive, 'Program Files', 'Farhand Service')
let url: string

beforeAll(async () => {
  resetWindows()
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  listener.close()
  await once(listener, 'close')
  writeFileSync(path.join(drive, 'bed', 'settings.json'), JSON.stringify({ Urls: url }))
}, timeout)
afterAll(switchOff)
afterEach(() => rmSync(data, { recursive: true, force: true }))

const inServer = (name: string) => `Z:${path.join(serverHome, 'versions', serverVersion, name).replaceAll('/', '\\')}`

/** Runs a command of the server as administrator. */
const service = (...args: string[]) =>
  runWindows([
    inServer('node.exe'),
    inServer('dist/server/main.js'),
    '--config',
    'C:\\bed\\settings.json',
    'service',
    ...args,
  ])

const health = () =>
  fetch(`${url}/health`).then(
    ({ status }) => status,
    () => 'none',
  )

const hasService = async () =>
  (await runWindows(['reg.exe', 'query', 'HKLM\\System\\CurrentControlSet\\Services\\Farhand'])).status === 0

test('no service is installed on a data folder that others may have prepared', { timeout }, async () => {
  mkdirSync(data)
  chmodSync(data, 0o777)
  const { status, output } = await service('install')
  expect(output).toContain(
    'The service was not installed: the user or group S-1-1-0 may change C:\\ProgramData\\Farhand.',
  )
  expect([status, await hasService(), existsSync(forWindows)]).toEqual([1, false, false])
})

test('no service is installed on a data folder with a link to another folder', { timeout }, async () => {
  mkdirSync(data, { mode: 0o700 })
  symlinkSync(path.join(drive, 'windows'), path.join(data, 'logs'))
  const { status, output } = await service('install')
  expect(output).toContain('The service was not installed: C:\\ProgramData\\Farhand\\logs is a link.')
  expect([status, await hasService(), existsSync(forWindows)]).toEqual([1, false, false])
})

/** Makes the program an installation whose versions a keeper runs, or a program by itself. */
function keepVersions(isKept: boolean) {
  const current = path.join(serverHome, 'current')
  if (isKept) {
    writeFileSync(current, `${serverVersion}\n`)
  } else {
    rmSync(current, { force: true })
  }
}

test.for([
  ['the server', false, 'SIGTERM'],
  ['the keeper of a server package', true, 'The keeper of this process has ended.'],
] as const)(
  '%s is the service itself: installed it serves, stops in order, starts again, and is removed',
  { timeout },
  async ([, isKept, signal]) => {
    keepVersions(isKept)
    const installed = await service('install')
    expect(installed.output).toContain('The Windows service Farhand runs on C:\\ProgramData\\Farhand')
    expect(installed.output).toContain(`Open it in the window of Farhand, or at ${url}.`)
    expect(installed.status).toBe(0)
    expect(await health()).toBe(200)
    // The address for windows of all users.
    await until(() => existsSync(path.join(forWindows, 'service.json')))
    expect(await service('status')).toMatchObject({ status: 0, output: expect.stringMatching(/STATE .*RUNNING/) })

    expect((await runWindows(['net.exe', 'stop', 'Farhand'])).status).toBe(0)
    await until(async () => (await runWindows(['sc.exe', 'query', 'Farhand'])).output.includes('STOPPED'))
    // The address is removed by a server that ends in order.
    expect([await health(), existsSync(path.join(forWindows, 'service.json'))]).toEqual(['none', false])
    expect(readFileSync(path.join(data, 'logs', 'farhand.log'), 'utf8')).toContain(`"signal":"${signal}"`)

    expect((await runWindows(['net.exe', 'start', 'Farhand'])).status).toBe(0)
    await until(async () => (await health()) === 200)

    const removed = await service('uninstall')
    expect(removed.output).toContain('Its data is still in C:\\ProgramData\\Farhand.')
    expect(removed.status).toBe(0)
    expect([await health(), await hasService(), existsSync(forWindows)]).toEqual(['none', false, false])
    expect(existsSync(path.join(data, 'logs'))).toBe(true)
  },
)
