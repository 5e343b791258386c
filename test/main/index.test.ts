import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { connect } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { channels } from '../../shared/ipc.ts'
import { isNight } from '../support/night.ts'
import { until } from '../support/until.ts'
import { newMachine, startShell } from './start-shell.ts'

// Importing the whole server is slow on a busy machine, and not part of the measured start.
beforeAll(async () => void (await import('../../server/app.ts')), 60_000)

/** Shell of one test, stopped after it. */
let own: Awaited<ReturnType<typeof startShell>> | undefined
const start = async (options?: Parameters<typeof startShell>[0]) => (own = await startShell(options))
afterEach(async () => {
  await own?.stop()
  own = undefined
})

const answers = (url: string) =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Setup code of a fresh server. */
const setupCode = expect.stringMatching(/^[A-Z2-9]{5}-[A-Z2-9]{5}$/) as string

describe('a start', () => {
  test('quits when another instance is already running', async () => {
    using machine = await newMachine()
    machine.electron.machine.hasLock = false
    await import('../../main/index.ts')
    expect(machine.electron.app.quits).toBe(1)
    expect(machine.electron.BrowserWindow.all).toEqual([])
  })

  test.runIf(isNight)('writes its log by the levels of the categories', async () => {
    vi.stubEnv('Service_Logging__LogLevel__Default', 'Warning')
    vi.stubEnv('Service_Logging__LogLevel__Requests', 'Information')
    vi.stubEnv('Service_AppOptions__UseHttpLogging', 'true')
    const { running, folder } = await start()
    await fetch(`${await running()}/api/v1/version/server`)
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('farhand.log'))
    const lines = await until(() => {
      const read = readFileSync(path.join(folder, file!), 'utf8').trim().split('\n')
      return read.some((line) => line.includes('/api/v1/version/server')) ? read : undefined
    })
    const found = lines.map((line) => JSON.parse(line) as { level: number; category?: string })
    expect(found.filter(({ level, category }) => level < 40 && category !== 'Requests')).toEqual([])
    vi.unstubAllEnvs()
  })
})

describe('a running shell', () => {
  let shell: Awaited<ReturnType<typeof startShell>>
  let url: string
  beforeAll(async () => {
    shell = await startShell()
    url = await shell.running()
  })
  afterAll(() => shell.stop())

  test('serves from this process, and shows its pages in a window without Node', async () => {
    const { window, electron } = shell
    expect(await answers(url)).toBe(true)
    expect(window.isVisible()).toBe(true)
    expect(window.options.webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
    })
    expect(electron.app.isSandboxed).toBe(true)
  })

  test('stores the data in the folder of this user, closed to other users', async () => {
    const { folder } = shell
    const data = path.join(folder, 'userData', 'data')
    expect(existsSync(data)).toBe(true)
    if (process.platform !== 'win32') {
      expect(statSync(data).mode & 0o777).toBe(0o700)
    }
  })

  test('shows the window again when a second instance starts', async () => {
    const { window, electron } = shell
    window.close()
    expect(window.isVisible()).toBe(false)
    electron.app.emit('second-instance', {}, [])
    expect(window.isVisible()).toBe(true)
  })

  describe('the channels', () => {
    test('are those of shared/ipc.ts, and no other', async () => {
      const { electron } = shell
      expect(electron.channelNames().toSorted()).toEqual(Object.keys(channels).toSorted())
    })

    test('answer the window, and no other sender', async () => {
      const { electron, window, top } = shell
      const ask = (sender: unknown, frame: unknown) => electron.invoke('getServerState', sender, frame)
      const ours = window.webContents
      await expect(ask(ours, top(`${url}/devices`))).resolves.toEqual({
        state: 'running',
        url,
        setupCode,
        problem: null,
        isService: false,
      })
      const refused = /refused/
      await expect(ask(ours, top('https://example.org/')), 'another site').rejects.toThrow(refused)
      await expect(ask(ours, top(url.replace('127.0.0.1', '127.0.0.1.example.org')))).rejects.toThrow(refused)
      await expect(ask(ours, top('file:///etc/passwd')), 'another file').rejects.toThrow(refused)
      await expect(ask(ours, { url, parent: {} }), 'a frame in our page').rejects.toThrow(refused)
      await expect(ask(ours, null), 'a frame that is gone').rejects.toThrow(refused)
      await expect(ask({}, top(url)), 'another window').rejects.toThrow(refused)
    })

    test.runIf(isNight)('open the data folder', async () => {
      const { electron, window, top, folder } = shell
      await electron.invoke('openDataFolder', window.webContents, top(url))
      expect(electron.opened.folders).toEqual([path.join(folder, 'userData', 'data')])
    })

    test('reject a payload of another shape and run nothing', async () => {
      const { electron, window, top } = shell
      const frame = top(url)
      const set = (payload: unknown) => electron.invoke('setStartAtLogin', window.webContents, frame, payload)
      for (const payload of ['yes', 1, null, undefined, {}]) {
        await expect(set(payload)).rejects.toThrow(/payload/)
      }
      const info = () => electron.invoke('getDesktopInfo', window.webContents, frame)
      expect(await info()).toEqual({ version: '0.1.0', platform: process.platform, startAtLogin: false })
      await set(true)
      expect(await info()).toMatchObject({ startAtLogin: true })
      await set(false)
      expect(await info()).toMatchObject({ startAtLogin: false })
    })
  })
})

describe('an end', () => {
  test('stops the server before the process ends', async () => {
    const { electron, running, window } = await start()
    const url = await running()
    electron.app.quit()
    expect(electron.app.quits).toBe(0)
    await until(() => electron.app.quits === 1)
    expect(await answers(url)).toBe(false)
    expect(window.close()).toBe(true)
    own = undefined
  })

  test.runIf(isNight)('is not caused by closing the window, whose bounds are stored', async () => {
    const { window, running, folder } = await start()
    const url = await running()
    window.bounds = { x: 20, y: 30, width: 900, height: 700 }
    expect(window.close()).toBe(false)
    expect(await answers(url)).toBe(true)
    const settings: unknown = JSON.parse(readFileSync(path.join(folder, 'userData', 'settings.json'), 'utf8'))
    expect(settings).toMatchObject({ bounds: { x: 20, y: 30, width: 900, height: 700 } })
  })
})

describe('a start that fails', () => {
  test('shows what to do, and retries on request', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await until(() => other.listening)
    const { port } = other.address() as AddressInfo
    const { failed, running, electron, window, top, lastPage, tray } = await start({ settings: { port } })
    expect(await failed()).toContain(`Port ${port} on 127.0.0.1 is in use`)
    expect(lastPage()).toMatch(/resources\/status\/index\.html$/)
    expect(tray.tip).toBe('Farhand could not start')

    other.close()
    const state = await electron.invoke('retryStart', window.webContents, top(lastPage()))
    expect(state).toEqual({
      state: 'running',
      url: `http://127.0.0.1:${port}`,
      setupCode,
      problem: null,
      isService: false,
    })
    expect(await running()).toBe(`http://127.0.0.1:${port}`)
  })
})

describe('a window on an encrypted address', () => {
  test('trusts the key of the server in this process, at its host, and nothing else', async () => {
    vi.stubEnv('Service_Urls', 'https://localhost:0')
    const { window, electron, top } = await start()
    await until(() => window.loaded.at(-1)?.startsWith('https:'))
    vi.unstubAllEnvs()
    const url = new URL(window.loaded.at(-1)!)
    const verdictOn = (hostname: string, data: string) =>
      new Promise<number>((resolve) => {
        window.webContents.session.verifyCertificate!({ hostname, certificate: { data } }, resolve)
      })
    const shown = await new Promise<string>((resolve, reject) => {
      const socket = connect({ host: 'localhost', port: Number(url.port), rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()!.toString())
        socket.destroy()
      })
      socket.on('error', reject)
    })
    const { makeAuthority, makeLeaf } = await import('../../server/engines/tls/certificates.ts')
    const { newKey } = await import('../../server/engines/tls/keys.ts')
    const key = await newKey()
    const strangers = await makeLeaf(await makeAuthority(key, Date.now()), await newKey(), ['localhost'], Date.now())
    expect(await verdictOn('localhost', shown)).toBe(0)
    expect(await verdictOn('example.org', shown), 'another host').toBe(-2)
    expect(await verdictOn('localhost', strangers.toString()), 'another key').toBe(-2)
    expect(await verdictOn('localhost', 'no certificate'), 'no certificate').toBe(-2)
    const state = await electron.invoke('getServerState', window.webContents, top(url.href))
    expect(state).toMatchObject({ setupCode: expect.stringMatching(/^[A-Z\d]{5}-[A-Z\d]{5}$/) as string })
  })
})

describe('the tray', () => {
  test.runIf(isNight)('shows and copies the address of the server, and restarts it', async () => {
    const { tray, electron, running, window } = await start()
    const url = await running()
    const click = (label: string) => tray.menu.find((item) => item.label === label)?.click?.({ checked: false })
    expect(tray.tip).toBe(`Farhand is running at ${url}`)
    click('Copy Address')
    expect(electron.clipboard.text).toBe(url)
    window.loaded.length = 0
    click('Restart Server')
    const again = await running()
    expect(await answers(again)).toBe(true)
  })
})
