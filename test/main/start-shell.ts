import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { vi } from 'vitest'

/** Creates an isolated environment for a test: an empty user folder, and an unloaded shell. */
export async function newMachine({ settings = { port: 0 } as object } = {}) {
  vi.resetModules()
  const electron = await import('./fake-electron.ts')
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-shell-'))
  mkdirSync(path.join(folder, 'userData'))
  writeFileSync(path.join(folder, 'userData', 'settings.json'), JSON.stringify(settings))
  electron.machine.folder = folder
  return { electron, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Starts the shell with a real server; `stop` quits it like a user. */
export async function startShell({
  hasTray = true,
  serviceFolder,
  ...options
}: NonNullable<Parameters<typeof newMachine>[0]> & { hasTray?: boolean; serviceFolder?: string } = {}) {
  const machine = await newMachine(options)
  const { electron } = machine
  // Keeps tests out of the user's keychain.
  vi.doMock(import('../../server/app.ts'), async (original) => {
    const real = await original()
    return {
      ...real,
      createApp: (config, ports) => real.createApp(config, { ...ports, secretStore: 'file' }),
      // A service of the whole computer, or none whatever this computer has.
      systemService: () =>
        serviceFolder === undefined
          ? undefined
          : { isInstalled: () => true, windowFolder: serviceFolder, describe: 'test service' },
    }
  })
  vi.doMock(import('../../main/tray-support.ts'), () => ({ hasTray: () => Promise.resolve(hasTray) }))
  await import('../../main/index.ts')
  const window = await vi.waitUntil(() => electron.BrowserWindow.all[0])
  const top = (url: string) => ({ url, parent: null })
  const lastPage = () => window.loaded.at(-1) ?? ''
  return {
    ...machine,
    window,
    top,
    tray: await vi.waitUntil(() => electron.Tray.all[0]),
    lastPage,
    /** Resolves with the server's address once the window shows its pages. */
    running: () => vi.waitUntil(() => (lastPage().startsWith('http://') ? lastPage() : undefined), { timeout: 50_000 }),
    /** Resolves with the problem once the window reports a failed start. */
    async failed() {
      const page = await vi.waitUntil(() => (lastPage().startsWith('file:') ? lastPage() : undefined), {
        timeout: 50_000,
      })
      return vi.waitUntil(
        async () => {
          const state = (await electron.invoke('getServerState', window.webContents, top(page))) as Record<
            string,
            string
          >
          return state['problem']
        },
        { timeout: 50_000 },
      )
    },
    async stop() {
      electron.app.quit()
      await vi.waitUntil(() => electron.app.quits === 1, { timeout: 50_000 })
      machine[Symbol.dispose]()
    },
  }
}
