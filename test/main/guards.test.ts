import { describe, expect, test } from 'vitest'
import { newMachine } from './start-shell.ts'

async function guardedWindow() {
  const { electron } = await newMachine()
  const { createMainWindow } = await import('../../main/window.ts')
  const settings = {
    read: () => ({ port: 0, bounds: { width: 800, height: 600 }, isMaximized: false }),
    write: () => {},
  }
  createMainWindow(settings, () => 'http://127.0.0.1:5120')
  const window = electron.BrowserWindow.all[0]
  if (!window) {
    throw new Error('no window')
  }
  const { webContents } = window
  /** Whether the page may go there. */
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
    'refuses %s, which opens in the browser',
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
  ])('refuses %s, which opens nowhere', async (url) => {
    const { mayGo, electron } = await guardedWindow()
    expect(mayGo('will-navigate', url)).toBe(false)
    expect(electron.opened.links).toEqual([])
  })

  test('refuses foreign frames, redirects and web views', async () => {
    const { mayGo } = await guardedWindow()
    expect(mayGo('will-frame-navigate', 'https://example.org/', false)).toBe(false)
    expect(mayGo('will-redirect', 'https://example.org/')).toBe(false)
    expect(mayGo('will-attach-webview', 'http://127.0.0.1:5120/')).toBe(false)
  })

  test('opens no second window', async () => {
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

  test.each(['clipboard-read', 'clipboard-sanitized-write', 'fullscreen'])(
    '%s is for our page only',
    async (permission) => {
      expect(await ask(permission, ours)).toBe(true)
      expect(await ask(permission, 'https://example.org/')).toBe(false)
      expect(await ask(permission, ours, false)).toBe(false)
    },
  )

  test.each([
    'media',
    'geolocation',
    'notifications',
    'midi',
    'openExternal',
    'display-capture',
    'hid',
    'serial',
    'unknown',
  ])('%s is refused', async (permission) => expect(await ask(permission, ours)).toBe(false))
})
