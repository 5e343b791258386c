import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { makeAuthority, makeLeaf } from '../../server/engines/tls/certificates.ts'
import { newKey } from '../../server/engines/tls/keys.ts'
import { isNight } from '../support/night.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'
import { startShell } from './start-shell.ts'

beforeAll(async () => void (await import('../../server/app.ts')), 60_000)

type Shell = Awaited<ReturnType<typeof startShell>>
let shell: Shell | undefined
afterEach(async () => {
  await shell?.stop()
  shell = undefined
})

/** A service with its own data, which announces itself in `folder`. */
async function startService() {
  const root = await temporaryFolder()
  const folder = join(root, 'run')
  await mkdir(folder, { mode: 0o755 })
  const start = () => startServerProcess(join(root, 'data'), {}, {}, undefined, { args: ['--announce', folder] })
  const service = await start()
  const announced = async () => JSON.parse(await readFile(join(folder, 'service.json'), 'utf8')) as { url: string }
  await vi.waitFor(announced, { timeout: 50_000 })
  return { folder, service, start, announced }
}

const stateOf = ({ electron, window, top, lastPage }: Shell) =>
  electron.invoke('getServerState', window.webContents, top(lastPage())) as Promise<{
    state: string
    isService: boolean
    url: string | null
    problem: string | null
  }>
const retry = ({ electron, window, top, lastPage }: Shell) =>
  electron.invoke('retryStart', window.webContents, top(lastPage())) as Promise<{ state: string; problem: string }>

async function certificateAt(url: string): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const pem = socket.getPeerX509Certificate()!.toString()
  socket.destroy()
  return pem
}

const verdictOn = ({ window }: Shell, data: string) =>
  new Promise<number>((resolve) => {
    window.webContents.session.verifyCertificate!({ hostname: '127.0.0.1', certificate: { data } }, resolve)
  })

/** Key and certificate of another local user, for the address of the service. */
async function stranger() {
  const key = await newKey()
  const leaf = await makeLeaf(await makeAuthority(await newKey(), Date.now()), key, ['127.0.0.1'], Date.now())
  return { key: key.export({ type: 'pkcs8', format: 'pem' }), cert: leaf.toString() }
}

test.runIf(isNight)(
  'a window finds the service of the computer in its own account, trusts its key alone, and waits for it',
  async () => {
    const { folder, service, start, announced } = await startService()
    const { url } = await announced()
    shell = await startShell({ serviceFolder: folder })
    await vi.waitUntil(() => shell!.lastPage().startsWith(url), { timeout: 50_000 })
    expect(await stateOf(shell)).toMatchObject({ state: 'running', isService: true, url, setupCode: null })
    await shell.electron.invoke('openDataFolder', shell.window.webContents, shell.top(shell.lastPage()))
    expect(shell.electron.dialog.messages.at(-1)?.message).toContain('belongs to the service')
    expect(shell.electron.opened.folders).toEqual([])
    const other = await stranger()
    expect(await verdictOn(shell, await certificateAt(url))).toBe(0)
    expect(await verdictOn(shell, other.cert)).toBe(-2)

    // The service is down, and another user listens on its port, also with the announcement of a service that was killed.
    const left = await readFile(join(folder, 'service.json'))
    await service.stop()
    const fake = createServer(other, (_request, response) => response.end('Healthy'))
    const asked = vi.fn()
    fake.on('request', asked)
    fake.listen(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void fake.close())
    await once(fake, 'listening')
    await writeFile(join(folder, 'service.json'), left)
    await vi.waitUntil(async () => (await stateOf(shell!)).state === 'failed', { timeout: 50_000 })
    expect((await retry(shell)).problem).toContain('service of this computer (test service)')
    expect(shell.lastPage()).toMatch(/resources\/status\/index\.html$/)
    expect(shell.tray.tip).toBe('The Farhand service does not answer')
    expect(shell.electron.Notification.all).toEqual([])
    expect(asked).not.toHaveBeenCalled()

    fake.close()
    fake.closeAllConnections()
    await start()
    await vi.waitUntil(async () => (await retry(shell!)).state === 'running', { timeout: 50_000 })
  },
  120_000,
)

test('an announcement that other users can write is none', async () => {
  const { folder } = await startService()
  await chmod(join(folder, 'service.json'), 0o666)
  shell = await startShell({ serviceFolder: folder })
  expect(await shell.failed()).toContain('does not answer')
  await chmod(join(folder, 'service.json'), 0o644)
  await chmod(folder, 0o777)
  expect((await retry(shell)).state).toBe('failed')
  await chmod(folder, 0o755)
  expect((await retry(shell)).state).toBe('running')
}, 120_000)

test.runIf(isNight)(
  'a window with data of its own serves that data',
  async () => {
    shell = await startShell()
    await shell.running()
    const { folder: own } = shell
    shell.electron.app.quit()
    await vi.waitUntil(() => shell!.electron.app.quits === 1, { timeout: 50_000 })
    const { folder } = await startService()
    vi.stubEnv('Service_DataDirectory', join(own, 'userData', 'data'))
    onTestFinished(() => void vi.unstubAllEnvs())
    const first = shell
    shell = await startShell({ serviceFolder: folder })
    onTestFinished(() => first[Symbol.dispose]())
    await shell.running()
    expect(await stateOf(shell)).toMatchObject({ isService: false })
  },
  120_000,
)
