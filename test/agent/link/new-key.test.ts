/** A device gets a new key on registration; the old key works until the server has accepted the new one. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { serverForFile, type Visitor } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { runAgent, startAgent } from '../agent-process.ts'
import { temporaryFolder } from '../support.ts'
import { isNight } from '../../support/night.ts'

let owner: Visitor & { tenantId: string }

const server = serverForFile()
beforeAll(async () => {
  owner = await server.owner()
})

async function keyOptions(url: string) {
  const { id, keySecret } = await owner.installerKeys.create({
    body: { tenantId: owner.tenantId, keyType: 'Persistent' },
  })
  return ['-s', url, '-t', owner.tenantId, '-ki', id, '-ks', keySecret]
}

const settingsIn = (folder: string): { DeviceId: string; PrivateKey: string } =>
  JSON.parse(readFileSync(join(folder, 'appsettings.json'), 'utf8')).AppOptions

const isPending = (folder: string) => existsSync(join(folder, 'appsettings.pending.json'))

const isOnline = async (folder: string) => {
  const { DeviceId: deviceId } = settingsIn(folder)
  return (await owner.devices.get({ params: { deviceId } })).isOnline
}

/** Creates a device that is registered at `url` and not running. */
async function registeredDevice(url: string) {
  const folder = temporaryFolder()
  const agent = startAgent('run', '--data-dir', folder, ...(await keyOptions(url)))
  await until(() => existsSync(join(folder, 'state.json')) && isOnline(folder))
  agent.child.kill('SIGTERM')
  await agent.ended
  return folder
}

/** Runs the agent without an installer key and waits until the server accepts its updates. */
async function serves(folder: string) {
  const agent = startAgent('run', '--data-dir', folder)
  const stateFile = join(folder, 'state.json')
  await until(() => existsSync(stateFile) && readFileSync(stateFile, 'utf8').includes('"online"'))
  expect(await isOnline(folder)).toBe(true)
  agent.child.kill('SIGTERM')
  await agent.ended
}

/**
 * Starts a proxy between agent and server; `onAnswer` is called when the server answers, before the agent receives the
 * answer.
 */
async function proxyTo(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const proxy = {
    url: '',
    isServerReached: true,
    onAnswer: undefined as (() => void) | undefined,
  }
  const listener = createServer((inner) => {
    if (!proxy.isServerReached) {
      inner.destroy()
      return
    }
    const outer = connect(Number(port), hostname)
    inner.pipe(outer)
    outer.on('data', (bytes) => {
      if (proxy.onAnswer) {
        proxy.onAnswer()
        inner.destroy()
      } else {
        inner.write(bytes)
      }
    })
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy())
    listener.close()
  })
  proxy.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return proxy
}

describe('registering again', { timeout: 60_000 }, () => {
  test('gives the same device a new key', async () => {
    const folder = await registeredDevice(server.url)
    const before = settingsIn(folder)
    onTestFinished(async () => void (await runAgent('uninstall', '--data-dir', folder)))
    const installed = await runAgent('install', '--data-dir', folder, ...(await keyOptions(server.url)))
    expect(installed).toMatchObject({ status: 0, stderr: '' })
    expect(settingsIn(folder).DeviceId).toBe(before.DeviceId)
    expect(settingsIn(folder).PrivateKey).not.toBe(before.PrivateKey)
    expect(isPending(folder)).toBe(false)
  })

  test('that the server rejects changes neither key nor identity', async () => {
    const folder = await registeredDevice(server.url)
    const before = settingsIn(folder)
    const wrong = [...(await keyOptions(server.url)).slice(0, -1), 'wrong']
    expect(await runAgent('install', '--data-dir', folder, ...wrong)).toMatchObject({ status: 1 })
    expect(settingsIn(folder)).toEqual(before)
    await serves(folder)
    expect(settingsIn(folder)).toEqual(before)
    expect(isPending(folder)).toBe(false)
  })

  test.runIf(isNight)('that another server rejects, or none answers, changes neither key nor identity', async () => {
    const folder = await registeredDevice(server.url)
    const before = settingsIn(folder)
    const proxy = await proxyTo(server.url)
    const wrong = [...(await keyOptions(proxy.url)).slice(0, -1), 'wrong']
    expect(await runAgent('install', '--data-dir', folder, ...wrong)).toMatchObject({ status: 1 })
    proxy.isServerReached = false
    expect(await runAgent('install', '--data-dir', folder, ...wrong)).toMatchObject({ status: 1 })
    expect(settingsIn(folder)).toEqual(before)
    await serves(folder)
  })

  test('continues with the new key when the agent was killed before the answer of the server', async () => {
    const proxy = await proxyTo(server.url)
    const folder = await registeredDevice(proxy.url)
    const before = settingsIn(folder)
    const options = await keyOptions(proxy.url)
    const agent = startAgent('install', '--data-dir', folder, ...options)
    proxy.onAnswer = () => void agent.child.kill('SIGKILL')
    await agent.ended
    proxy.onAnswer = undefined
    expect(settingsIn(folder)).toEqual(before)
    expect(isPending(folder)).toBe(true)
    await serves(folder)
    expect(settingsIn(folder).DeviceId).toBe(before.DeviceId)
    expect(settingsIn(folder).PrivateKey).not.toBe(before.PrivateKey)
    expect(isPending(folder)).toBe(false)
  })

  test.runIf(isNight)(
    'offers the same new key again after a kill, and loses neither key when the server rejects it',
    async () => {
      const proxy = await proxyTo(server.url)
      const folder = await registeredDevice(proxy.url)
      const options = await keyOptions(proxy.url)
      const agent = startAgent('install', '--data-dir', folder, ...options)
      proxy.onAnswer = () => void agent.child.kill('SIGKILL')
      await agent.ended
      proxy.onAnswer = undefined
      const refused = await runAgent('install', '--data-dir', folder, ...options.slice(0, -1), 'wrong')
      expect(refused).toMatchObject({ status: 1 })
      await serves(folder)
    },
  )

  test.runIf(isNight)('without an installer key does not change the key of the device', async () => {
    const folder = await registeredDevice(server.url)
    const before = settingsIn(folder)
    onTestFinished(async () => void (await runAgent('uninstall', '--data-dir', folder)))
    const target = ['-s', server.url, '-t', owner.tenantId]
    expect(await runAgent('install', '--data-dir', folder, ...target)).toMatchObject({ status: 0 })
    expect(settingsIn(folder)).toEqual(before)
  })
})
