import { _electron, expect, test } from '@playwright/test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findElectron, whyHeadless } from '../../tools/electron-binary.mjs'

const executablePath = findElectron()
const reason = whyHeadless(process.env, process.platform, executablePath)
if (reason) {
  console.log(`The desktop test is skipped: ${reason}.`)
}

test('the desktop appliance opens its own server in a window without Node', async () => {
  // A release is not published without this test.
  test.skip(reason !== undefined && process.env['FARHAND_DESKTOP'] !== 'required', reason)
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-desktop-'))
  const noSandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const app = await _electron.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [...noSandbox, `--user-data-dir=${folder}`, '.'],
    env: { ...process.env, Service_Urls: 'http://127.0.0.1:0', Service_DataDirectory: path.join(folder, 'data') },
  })
  try {
    const page = await app.firstWindow()
    await page.waitForURL('http://127.0.0.1:*/**')
    await expect(page.getByRole('heading').first()).toBeVisible()
    expect(
      await page.evaluate(() => [typeof Reflect.get(globalThis, 'process'), typeof Reflect.get(globalThis, 'require')]),
    ).toEqual(['undefined', 'undefined'])
    const state: unknown = await page.evaluate(() => Reflect.get(globalThis, 'desktop').getServerState())
    expect(state).toMatchObject({ state: 'running', problem: null })
    const before = page.url()
    // Listens after the window's guard, which blocks the navigation.
    const navigation = app.evaluate(({ BrowserWindow }) => {
      const { promise, resolve } = Promise.withResolvers<[string, boolean]>()
      BrowserWindow.getAllWindows()[0]?.webContents.once('will-navigate', (event) =>
        resolve([event.url, event.defaultPrevented]),
      )
      return promise
    })
    await page.evaluate(() => void (location.href = 'file:///etc/passwd'))
    expect(await navigation).toEqual(['file:///etc/passwd', true])
    expect(page.url()).toBe(before)
  } finally {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
