import { describe, expect, onTestFinished, test } from 'vitest'
import { commandArguments } from '../../main/device-links.ts'
import { createTestLog } from '../support/log.ts'
import { newMachine } from './start-shell.ts'

async function guardedWindow() {
  const machine = await newMachine()
  onTestFinished(() => machine[Symbol.dispose]())
  const { electron } = machine
  const { createMainWindow } = await import('../../main/window.ts')
  const { openSettings } = await import('../../main/settings.ts')
  createMainWindow({
    settings: openSettings(),
    log: createTestLog(),
    serverUrl: () => 'http://127.0.0.1:5120',
    isOwnCertificate: () => Promise.resolve(false),
    hasTray: true,
    onFirstHidden: () => {},
    quit: () => {},
  })
  const window = electron.BrowserWindow.all[0]
  if (!window) {
    throw new Error('no window')
  }
  const { webContents } = window
  /** Whether the page may navigate to an address. */
  const mayGo = (event: string, url: string, isMainFrame = true) => {
    let isAllowed = true
    webContents.emit(event, { url, isMainFrame, preventDefault: () => (isAllowed = false) })
    return isAllowed
  }
  return { electron, webContents, mayGo }
}

describe('navigation', () => {
  test('stays on the pages of the server', async () => {
    const { mayGo, electron } = await guardedWindow()
    expect(mayGo('will-navigate', 'http://127.0.0.1:5120/devices/1')).toBe(true)
    expect(mayGo('will-redirect', 'http://127.0.0.1:5120/')).toBe(true)
    expect(electron.opened.links).toEqual([])
  })

  test.each(['https://example.org/', 'http://127.0.0.1:5121/', 'http://127.0.0.1.example.org:5120/'])(
    'rejects %s, which opens in the browser',
    async (url) => {
      const { mayGo, electron } = await guardedWindow()
      expect(mayGo('will-navigate', url)).toBe(false)
      expect(electron.opened.links).toEqual([new URL(url).href])
    },
  )

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'ms-msdt:/id',
    'vbscript:x',
    'not an address',
  ])('rejects %s, which opens nowhere', async (url) => {
    const { mayGo, electron } = await guardedWindow()
    expect(mayGo('will-navigate', url)).toBe(false)
    expect(electron.opened.links).toEqual([])
  })

  test('rejects foreign frames, redirects and web views', async () => {
    const { mayGo } = await guardedWindow()
    expect(mayGo('will-frame-navigate', 'https://example.org/', false)).toBe(false)
    expect(mayGo('will-redirect', 'https://example.org/')).toBe(false)
    expect(mayGo('will-attach-webview', 'http://127.0.0.1:5120/')).toBe(false)
  })

  test('opens our pages in windows of their own, guarded alike and without a preload script', async () => {
    const { webContents, electron } = await guardedWindow()
    const address = 'http://127.0.0.1:5120/devices/1?window=own'
    expect(webContents.open({ url: address })).toEqual({ action: 'deny' })
    const own = electron.BrowserWindow.all[1]
    expect(own?.loaded).toEqual([address])
    expect(own?.options.webPreferences).toEqual({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
    })
    let isAllowed = true
    const event = { url: 'https://example.org/', isMainFrame: true, preventDefault: () => (isAllowed = false) }
    own?.webContents.emit('will-navigate', event)
    expect(isAllowed).toBe(false)
    expect(own?.webContents.open({ url: 'file:///bin/sh' })).toEqual({ action: 'deny' })
    expect(own?.webContents.open({ url: 'https://example.org/help' })).toEqual({ action: 'deny' })
    expect(electron.opened.links).toEqual(['https://example.org/', 'https://example.org/help'])
    expect(electron.BrowserWindow.all).toHaveLength(2)
  })

  test('opens no more than twenty of them', async () => {
    const { webContents, electron } = await guardedWindow()
    for (let number = 0; number < 30; number++) {
      webContents.open({ url: `http://127.0.0.1:5120/devices/${number}` })
    }
    expect(electron.BrowserWindow.all).toHaveLength(21)
    electron.BrowserWindow.all[1]?.emit('closed')
    webContents.open({ url: 'http://127.0.0.1:5120/devices/31' })
    expect(electron.BrowserWindow.all).toHaveLength(22)
  })

  test('opens no window for other addresses', async () => {
    const { webContents, electron } = await guardedWindow()
    expect(webContents.open({ url: 'https://example.org/help' })).toEqual({ action: 'deny' })
    expect(webContents.open({ url: 'file:///bin/sh' })).toEqual({ action: 'deny' })
    expect(electron.opened.links).toEqual(['https://example.org/help'])
  })
})

describe('permissions', () => {
  const ours = 'http://127.0.0.1:5120/'
  const ask = async (permission: string, url: string, isMainFrame = true) => {
    const { webContents } = await guardedWindow()
    const { session } = webContents
    const details = { requestingUrl: url, isMainFrame }
    const requested = await new Promise((resolve) =>
      session.answerPermission?.(webContents, permission, resolve, details),
    )
    expect(session.checkPermission?.(webContents, permission, url, details), 'request and check agree').toBe(requested)
    return requested
  }

  test.each(['clipboard-read', 'clipboard-sanitized-write', 'fullscreen', 'notifications'])(
    '%s is for our page only',
    async (permission) => {
      expect(await ask(permission, ours)).toBe(true)
      expect(await ask(permission, 'https://example.org/')).toBe(false)
      expect(await ask(permission, ours, false)).toBe(false)
    },
  )

  test.each(['media', 'geolocation', 'midi', 'openExternal', 'display-capture', 'hid', 'serial', 'unknown'])(
    '%s is denied',
    async (permission) => expect(await ask(permission, ours)).toBe(false),
  )
})

test('a start by a link runs no command, whatever else the link was split into', () => {
  const command = ['farhand', 'service', 'uninstall']
  expect(commandArguments(command)).toEqual(command)
  for (const link of ['farhand://device/1', 'FARHAND:x']) {
    expect(commandArguments(['farhand', link, 'service', 'uninstall', '--place-program'])).toEqual([])
    expect(commandArguments(['farhand', 'service', 'uninstall', link])).toEqual([])
  }
})
