import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../tools/simulate/free-port.ts'
import { isNight } from '../../support/night.ts'
import { serverForFile, type Visitor } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { runAgent, startAgent } from '../agent-process.ts'
import { scriptedHub, temporaryFolder } from '../support.ts'

let owner: Visitor & { tenantId: string }

const server = serverForFile()
beforeAll(async () => {
  owner = await server.owner()
})

async function keyOptions() {
  const body = { tenantId: owner.tenantId, keyType: 'Persistent', friendlyName: 'test' } as const
  const { id, keySecret } = await owner.installerKeys.create({ body })
  return ['-s', server.url, '-t', owner.tenantId, '-ki', id, '-ks', keySecret]
}

const deviceIdIn = (folder: string): string =>
  JSON.parse(readFileSync(join(folder, 'appsettings.json'), 'utf8')).AppOptions.DeviceId

const deviceIn = (folder: string) => owner.devices.get({ params: { deviceId: deviceIdIn(folder) } })

const online = (folder: string) =>
  until(
    async () =>
      existsSync(join(folder, 'appsettings.json')) && (await deviceIn(folder).catch(() => undefined))?.isOnline,
  )

/** Awaited: afterwards the folder is removed, and with it the id of the process to end. */
const uninstallFinally = (folder: string) =>
  onTestFinished(async () => {
    await runAgent('uninstall', '--data-dir', folder)
  })

describe('agent run', () => {
  test('registers with a key, serves until SIGTERM, and needs no key the next time', async () => {
    const folder = temporaryFolder()
    const first = startAgent('run', '--data-dir', folder, ...(await keyOptions()))
    await online(folder)
    const id = deviceIdIn(folder)
    first.child.kill('SIGTERM')
    const { status, stdout, stderr } = await first.ended
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('Farhand agent started')
    expect(stdout).not.toContain(
      JSON.parse(readFileSync(join(folder, 'appsettings.json'), 'utf8')).AppOptions.PrivateKey,
    )
    await until(async () => !(await deviceIn(folder)).isOnline)

    const second = startAgent('run', '--data-dir', folder)
    await online(folder)
    expect(deviceIdIn(folder)).toBe(id)
    second.child.kill('SIGTERM')
    expect((await second.ended).status).toBe(0)
  })

  test.runIf(isNight)('reconnects within seconds of a restart of the server', async () => {
    const folder = temporaryFolder()
    const agent = startAgent('run', '--data-dir', folder, ...(await keyOptions()))
    await online(folder)
    await server.restart()
    await online(folder)
    agent.child.kill('SIGTERM')
    await agent.ended
  })

  test.runIf(isNight)('is rejected while another agent runs with the same folder', async () => {
    const folder = temporaryFolder()
    const agent = startAgent('run', '--data-dir', folder, ...(await keyOptions()))
    await online(folder)
    const { status, stderr } = await runAgent('run', '--data-dir', folder)
    expect(status).toBe(1)
    expect(stderr).toContain(`Another agent (process ${agent.child.pid}) already serves ${folder}.`)
    agent.child.kill('SIGTERM')
    await agent.ended
  })

  test('without settings fails, and asks for a registration', async () => {
    const { status, stderr } = await runAgent('run', '--data-dir', temporaryFolder())
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'Error: This device is not registered yet. Give the server address and tenant (-s, -t), see --help.\n',
    })
  })

  test.runIf(isNight)('leaves damaged settings unchanged', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'appsettings.json'), '{"AppOptions": {')
    const { status, stderr } = await runAgent('run', '--data-dir', folder, ...(await keyOptions()))
    expect(status).toBe(1)
    expect(stderr).toContain('is damaged: it is not JSON. The file holds the identity of this device')
    expect(readFileSync(join(folder, 'appsettings.json'), 'utf8')).toBe('{"AppOptions": {')
  })
})

describe('a failed registration', () => {
  const options = (url: string) => ['-s', url, '-t', owner.tenantId, '-ki', owner.tenantId, '-ks', 'wrong']

  test('names a rejected key as the reason', async () => {
    const folder = temporaryFolder()
    const { status, stderr } = await runAgent('run', '--data-dir', folder, ...options(server.url))
    expect(status).toBe(1)
    expect(stderr).toContain(`${server.url} refused the registration with status 400.`)
    expect(stderr).toContain('The installer key may be unknown, spent, expired, or of another tenant.')
    expect(stderr).not.toContain('    at ')
  })

  test.runIf(isNight)('without an answer uses the same device id at the next try', async () => {
    const folder = temporaryFolder()
    await runAgent('run', '--data-dir', folder, ...options(`http://127.0.0.1:${await freePort()}`))
    const id = deviceIdIn(folder)
    const agent = startAgent('run', '--data-dir', folder, ...(await keyOptions()))
    await online(folder)
    expect(deviceIdIn(folder)).toBe(id)
    agent.child.kill('SIGTERM')
    await agent.ended
  })

  test.runIf(isNight)('reports a refused connection and an unknown name', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    for (const [url, reason] of [
      [nobody, 'the connection was refused'],
      ['http://no-such-host.invalid', 'name'],
    ] as const) {
      const { status, stderr } = await runAgent('run', '--data-dir', temporaryFolder(), ...options(url))
      expect(status).toBe(1)
      expect(stderr).toContain(`Error: Cannot reach ${url}: `)
      expect(stderr).toContain(reason)
    }
  })

  test.runIf(isNight)('distinguishes https on an http port from a server that is not Farhand', async () => {
    const other = createServer((_, response) => response.writeHead(404).end('nothing here')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    onTestFinished(() => void other.close())
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const tls = await runAgent('run', '--data-dir', temporaryFolder(), ...options(`https://${address}`))
    expect(tls.stderr).toContain('the port does not use TLS')
    const plain = await runAgent('run', '--data-dir', temporaryFolder(), ...options(`http://${address}`))
    expect(plain.stderr).toContain('refused the registration with status 404. Is this the address of a Farhand server?')
  })
})

describe.runIf(isNight)('agent install, status and uninstall', () => {
  test('keep the agent running in the background where there is no service manager', async () => {
    const folder = temporaryFolder()
    uninstallFinally(folder)
    const key = await keyOptions()
    const installed = await runAgent('install', '--data-dir', folder, ...key)
    expect(installed).toMatchObject({ status: 0, stderr: '' })
    expect(installed.stdout).toMatch(/Started as (process \d+|systemd |launchd |Windows service )/)
    expect(installed.stdout).toMatch(/Device \S+ is online\.\n$/)
    const id = deviceIdIn(folder)
    expect((await deviceIn(folder)).isOnline).toBe(true)

    const status = await runAgent('status', '--data-dir', folder)
    expect(status.status).toBe(0)
    expect(status.stdout).toContain(`Server ${server.url}, device id ${id}`)
    expect(status.stdout).toMatch(/Online as \S+ since 20/)

    expect((await runAgent('install', '--data-dir', folder, ...key)).status).toBe(0)
    expect(deviceIdIn(folder)).toBe(id)

    // With a service manager the output contains no advice.
    const advice = /^ {2}(nohup .*)$/m.exec(installed.stdout)?.[1]
    if (advice) {
      process.kill(Number(readFileSync(join(folder, 'agent.pid'), 'utf8')), 'SIGKILL')
      await until(async () => !(await deviceIn(folder)).isOnline)
      spawnSync('sh', ['-c', advice], { stdio: 'ignore' })
      await online(folder)
    }

    const uninstalled = await runAgent('uninstall', '--data-dir', folder, '--keep-data')
    expect(uninstalled).toMatchObject({ status: 0, stderr: '' })
    expect(uninstalled.stdout).toContain(
      `Kept its settings and the key of this device in ${folder}, and its log in ${folder}/Logs. Installed again, it is the same device.`,
    )
    expect(deviceIdIn(folder)).toBe(id)
    await until(async () => !(await deviceIn(folder)).isOnline)
    const stopped = await runAgent('status', '--data-dir', folder)
    expect(stopped).toMatchObject({ status: 1 })
    expect(stopped.stderr).toContain('The agent is not running.')
  }, 60_000)

  test('report a device that the server rejects, and an installer key repairs it', async () => {
    const folder = temporaryFolder()
    uninstallFinally(folder)
    const key = await keyOptions()
    await runAgent('install', '--data-dir', folder, ...key)
    await owner.devices.delete({ params: { deviceId: deviceIdIn(folder) } })
    const again = await runAgent('install', '--data-dir', folder, ...key.slice(0, 4))
    expect(again.status).toBe(1)
    expect(again.stderr).toContain(
      'rejects this device: Unknown device. The server does not accept the key of this device',
    )
    expect((await runAgent('install', '--data-dir', folder, ...key)).status).toBe(0)
  }, 60_000)
})

describe('UninstallAgent', () => {
  test('ends the agent and its service, and removes its identity and log', async () => {
    const folder = temporaryFolder()
    const hub = await scriptedHub(({ target, invocationId }) =>
      target === 'UpdateDeviceSigned'
        ? { type: 3, invocationId, result: { isSuccess: true, value: null, reason: null, errorCode: null } }
        : undefined,
    )
    const installed = await runAgent('install', '--data-dir', folder, '-s', hub.url, '-t', owner.tenantId)
    expect(installed).toMatchObject({ status: 0, stderr: '' })
    hub.send({ type: 1, target: 'UninstallAgent', arguments: ['Server has been decommissioned.'] })
    await until(() => !existsSync(folder))
    expect((await runAgent('status', '--data-dir', folder)).stderr).toContain('This device is not registered.')
  }, 30_000)
})

describe('the command line', () => {
  test('answers --help, --version and unknown commands', async () => {
    expect((await runAgent('--help')).stdout).toContain('--installer-key-secret')
    expect((await runAgent('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\.\d+\n$/)
    expect(await runAgent('install', '-s', 'x')).toMatchObject({ status: 2, stdout: '' })
  })
})
