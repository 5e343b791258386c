import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { pageOfLink } from '../../main/device-links.ts'
import { account, registerOwner } from '../support/server.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'
import { startShell } from './start-shell.ts'

beforeAll(async () => void (await import('../../server/app.ts')), 60_000)

let shell: Awaited<ReturnType<typeof startShell>> | undefined
const start = async (options?: Parameters<typeof startShell>[0]) => (shell = await startShell(options))
afterEach(async () => {
  await shell?.stop()
  shell = undefined
})

describe('a window', () => {
  test('that hides says once that Farhand keeps running, and is only minimized where no tray can show it again', async () => {
    const { window, electron, running, stop } = await start()
    await running()
    window.close()
    window.show()
    window.close()
    expect(window.isVisible()).toBe(false)
    expect(electron.Notification.all.map(({ title }) => title)).toEqual(['Farhand is still running'])
    await stop()
    shell = undefined

    const second = await start({ hasTray: false })
    await second.running()
    second.window.close()
    expect(second.window.isVisible()).toBe(true)
    expect(second.window.isMinimized()).toBe(true)
    // Windows tells a window that the session ends, and waits.
    let isPrevented = false
    second.window.emit('query-session-end', { preventDefault: () => (isPrevented = true) })
    expect(isPrevented).toBe(true)
    await vi.waitUntil(() => second.electron.app.quits === 1, { timeout: 10_000 })
    second[Symbol.dispose]()
    shell = undefined
  })

  test('loads its page again after a crash, and asks before it ends a page that hangs', async () => {
    const { window, electron, running } = await start()
    const url = await running()
    const loads = window.loaded.length
    window.webContents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 5 })
    expect(window.loaded.slice(loads)).toEqual([url])
    electron.dialog.presses.push(1)
    window.emit('unresponsive')
    await vi.waitUntil(() => window.webContents.crashes === 1)
    expect(electron.dialog.messages.at(-1)?.message).toContain('does not answer')
    for (let crash = 0; crash < 10; crash++) {
      window.webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 })
    }
    expect(window.loaded.length - loads).toBe(3)
  })

  test('opens the device of a link, and nothing else that a link could name', async () => {
    const { window, electron, running } = await start()
    const url = await running()
    const id = randomUUID()
    electron.app.emit('second-instance', {}, ['farhand', `farhand://device/${id}`])
    expect(window.loaded.at(-1)).toBe(`${url}/devices/${id}`)
    expect(electron.app.protocol).toBe('farhand')
    for (const link of [
      `farhand://device/${id}/../../server`,
      'farhand://device/..%2f..%2fserver',
      `farhand://user@evil.example/${id}`,
      `https://device/${id}`,
      `farhand://device/${id}?next=//evil.example`,
    ]) {
      expect([link, pageOfLink(link)]).toEqual([link, link.includes('?') ? `/devices/${id}` : undefined])
    }
  })

  test('shows in About the licences of all that is shipped, which the server also gives to anybody', async () => {
    const { electron, running } = await start()
    const url = await running()
    electron.dialog.presses.push(1)
    const help = electron.Menu.items.find(({ role }) => role === 'help')
    help?.submenu?.find(({ label }) => label === 'About Farhand')?.click?.({ checked: false })
    const file = await vi.waitUntil(() => electron.opened.folders.at(-1))
    expect(electron.dialog.messages.at(-1)).toMatchObject({
      message: 'Farhand 0.1.0',
      detail: expect.stringContaining('noVNC (MPL 2.0)') as string,
    })
    const served = await fetch(`${url}/licenses.txt`)
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const text = await served.text()
    expect(text).toBe(readFileSync(file, 'utf8'))
    expect(text).toMatch(/^@novnc\/novnc [\d.]+ \(MPL-2\.0\)$/m)
  })

  test('has a menu for fields and selected text', async () => {
    const { window, electron } = await start()
    const editFlags = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true }
    window.webContents.emit('context-menu', {}, { isEditable: true, selectionText: '', editFlags })
    window.webContents.emit('context-menu', {}, { isEditable: false, selectionText: 'text', editFlags })
    window.webContents.emit('context-menu', {}, { isEditable: false, selectionText: ' ', editFlags })
    const roles = electron.Menu.popups.map((items) => items.flatMap(({ role }) => (role ? [role] : [])))
    expect(roles).toEqual([['cut', 'copy', 'paste', 'selectAll'], ['copy']])
  })
})

describe('the system', () => {
  test('that shuts down gets an orderly stop, and one that woke up a page that loads again', async () => {
    const { window, electron, running } = await start()
    const url = await running()
    window.webContents.emit('did-fail-load')
    electron.powerMonitor.emit('resume')
    expect(window.loaded.at(-1)).toBe(url)
    let isPrevented = false
    electron.powerMonitor.emit('shutdown', { preventDefault: () => (isPrevented = true) })
    expect(isPrevented).toBe(true)
    await vi.waitUntil(() => electron.app.quits === 1, { timeout: 10_000 })
    shell?.[Symbol.dispose]()
    shell = undefined
    expect(await fetch(url).catch((error: unknown) => error)).toBeInstanceOf(Error)
  })

  test('is kept awake while sessions run, unless the person does not want it', async () => {
    const { electron } = await start()
    const { followPower } = await import('../../main/power.ts')
    const { createTestLog } = await import('../support/log.ts')
    let [sessions, isWanted] = [0, true]
    const stop = followPower({
      log: createTestLog(),
      sessions: () => sessions,
      isWanted: () => isWanted,
      resumed: () => {},
      quit: () => {},
    })
    const blockers = () => {
      electron.powerMonitor.emit('resume')
      return electron.powerSaveBlocker.running.size
    }
    expect(blockers()).toBe(0)
    sessions = 1
    expect(blockers()).toBe(1)
    isWanted = false
    expect(blockers()).toBe(0)
    isWanted = true
    expect(blockers()).toBe(1)
    stop()
    expect(electron.powerSaveBlocker.running.size).toBe(0)
  })
})

test('a crash starts the app again, at most three times in ten minutes', async () => {
  const { electron } = await start()
  const { relaunchAfterCrash } = await import('../../main/relaunch.ts')
  const { openSettings } = await import('../../main/settings.ts')
  const settings = openSettings()
  const quits = electron.app.quits
  for (let crash = 0; crash < 5; crash++) {
    relaunchAfterCrash(settings, 1_000_000 + crash)
  }
  expect(electron.app.relaunches).toBe(3)
  relaunchAfterCrash(settings, 1_000_000 + 11 * 60_000)
  expect(electron.app.relaunches).toBe(4)
  electron.app.quits = quits
})

test('a window beside a service on its data folder is its client, and serves itself when the service ends', async () => {
  const folder = await temporaryFolder()
  process.env['Service_DataDirectory'] = folder
  try {
    const service = await startServerProcess(folder)
    const { electron, running, window, top, tray } = await start()
    expect(await running()).toBe(service.url)
    expect(await electron.invoke('getServerState', window.webContents, top(service.url))).toMatchObject({
      state: 'running',
      isService: true,
    })
    expect(tray.tip).toContain('service')
    await registerOwner(service.url)
    electron.app.emit('browser-window-focus')
    const accounts = () =>
      electron.Menu.items.find(({ label }) => label === '&Accounts')?.submenu?.map((each) => each.label)
    await vi.waitUntil(() => accounts()?.length === 1)
    expect(accounts()).toEqual([account.email])
    await service.stop()
    await vi.waitUntil(
      async () => {
        const page = window.loaded.at(-1)!
        const state = await electron.invoke('getServerState', window.webContents, top(page)).catch(() => undefined)
        return (state as { isService?: boolean } | undefined)?.isService === false && page.startsWith('http')
      },
      { timeout: 20_000 },
    )
    expect(await fetch(`${window.loaded.at(-1)}/health`).then(({ ok }) => ok)).toBe(true)
  } finally {
    delete process.env['Service_DataDirectory']
  }
}, 40_000)
