/** The agent as a Windows service, under the service control manager of Wine. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundleAgent } from '../../tools/agents/bundle.ts'
import { agentFolder, startWindows, stopWine, windowsDrive, windowsPath, wineFolder } from '../../tools/wine/wine.ts'
import { installerKey } from '../support/agent.ts'
import { startTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const node = path.join(agentFolder, 'node.exe')
const program = path.join(agentFolder, 'service-program.js')

beforeAll(async () => {
  await bundleAgent(agentFolder, path.join(import.meta.dirname, 'service-program.ts'))
}, 60_000)

// Programs that this file has left have no display, and would deny one to those of other files.
afterAll(stopWine)

/** Starts the program of the test; `file` is on drive C. */
function start(file: string, ...args: string[]) {
  const log = path.join(wineFolder, 'service.log')
  rmSync(path.join(windowsDrive, file), { force: true })
  const child = startWindows([node, windowsPath(program), `C:\\${file}`, ...args], log)
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: () => readFileSync(log, 'utf8') }
}

test('a service of Node runs, stops when asked to, and ends where it fails', async () => {
  const { child, output } = start('service.txt')
  const [status] = (await once(child, 'exit')) as [number | null]
  expect(status, output()).toBe(0)
  const line = (role: string) => `"${windowsPath(node)}" "${windowsPath(program)}" "C:\\service.txt" "${role}"`
  expect(JSON.parse(output())).toEqual({
    isService: false,
    first: line('ends'),
    hasEnded: true,
    second: line('serves'),
    isLeft: false,
    missing: 'There is no service Farhand.Agent (wine test).',
    written: ['runs PID', 'runs PID', 'stops: Stopped'],
  })
}, 60_000)

test('the agent is online as a service, and tells the server that the service is stopped', async () => {
  const server = await startTestServer()
  onTestFinished(() => server.stop())
  const owner = await server.owner()
  const key = await installerKey(owner)
  const deviceId = randomUUID()
  const options = ['-s', owner.url, '-t', owner.tenantId, '-ki', key.id, '-ks', key.keySecret, '--device-id', deviceId]
  const forWine = pathToFileURL(path.join(import.meta.dirname, '../../tools/wine/without-keep-alive.mjs'))
  const { child, output } = start(
    'stop.txt',
    `--import=${forWine.href.replace('file:///', 'file:///Z:/')}`,
    windowsPath(path.join(agentFolder, 'main.js')),
    'run',
    '--as-service',
    '--data-dir',
    `C:\\farhand-${deviceId.slice(0, 8)}`,
    ...options,
  )
  const device = () => owner.devices.get({ params: { deviceId } }).catch(() => undefined)
  await until(async () => {
    expect(child.exitCode, output()).toBeNull()
    return (await device())?.isOnline
  })
  writeFileSync(path.join(windowsDrive, 'stop.txt'), '')
  const [status] = (await once(child, 'exit')) as [number | null]
  expect(status, output()).toBe(0)
  await until(async () => (await device())?.isOnline === false)
  expect(await owner.applianceDevices.absence({ params: { deviceId } })).toMatchObject({ cause: 'stopped' })
}, 60_000)
