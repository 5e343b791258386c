import type { Page } from '@playwright/test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addUser } from '../support/people.ts'
import { account } from '../support/server.ts'
import { addressOf, bytesOf, dock, row, testAlone as test } from './support/files.ts'
import { expect, expectAccessible } from './support/fixtures.ts'

test(
  'an upload and a download resume after agent and server were offline, on any page',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    test.setTimeout(180_000)
    // Larger than the server's spool, so readers of the rest notice that the device is offline.
    const content = bytesOf(90_000_000)
    const source = device.path('large.bin')
    writeFileSync(source, content)
    const offsets: string[] = []
    page.on('request', (request) => {
      const offset = new URL(request.url()).searchParams.get('offset')
      if (request.method() === 'PUT' && offset !== null) {
        offsets.push(offset)
      }
    })
    await page.addInitScript(() => {
      Object.assign(window, {
        showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
          (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }),
      })
    })
    const browser = await page.context().newCDPSession(page)
    const slow = (isSlow: boolean) =>
      browser.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: isSlow ? 2_500_000 : -1,
        uploadThroughput: isSlow ? 2_500_000 : -1,
      })
    await browser.send('Network.enable')
    await page.goto(addressOf(server.url, device, folder))
    await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
    await slow(true)
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('menuitem', { name: 'Files…' }).click()
    await (await choosing).setFiles(source)
    // The pointer is on the list, so it stays open.
    await dock(page).hover()
    const line = dock(page).getByRole('listitem').filter({ hasText: 'large.bin' }).first()
    await expect(line).toContainText(/(?:[3-9]\.\d|\d\d) MiB of 86 MiB/, { timeout: 30_000 })
    await device.kill()
    await expect(line).toContainText('Interrupted: the device cannot be reached.', { timeout: 30_000 })
    await page.getByRole('tab', { name: 'Overview' }).click()
    await device.restart()
    await slow(false)
    await expect(line).toContainText('Done', { timeout: 60_000 })
    expect(readFileSync(join(folder, 'large.bin')).equals(content)).toBe(true)
    expect(Number(offsets.at(-1))).toBeGreaterThan(0)

    await page.getByRole('tab', { name: 'Files' }).click()
    await expect(row(page, 'large.bin')).toBeVisible()
    await slow(true)
    await row(page, 'large.bin').dblclick()
    const down = dock(page).getByRole('listitem').filter({ hasText: 'from' })
    await expect(down).toContainText(/(?:[3-9]\.\d|\d\d) MiB of 86 MiB/, { timeout: 30_000 })
    const rest = page.waitForRequest((request) => request.headers().range !== undefined, { timeout: 60_000 })
    await device.kill()
    await expect(down).toContainText('Interrupted', { timeout: 30_000 })
    await server.restart()
    await slow(false)
    await device.restart()
    await rest
    await expect(down).toContainText('Done', { timeout: 60_000 })
    const saved = await page.evaluate(async () => {
      const file = await (await (await navigator.storage.getDirectory()).getFileHandle('large.bin')).getFile()
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
      return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    })
    expect(saved).toBe(createHash('sha256').update(content).digest('hex'))

    await slow(true)
    await row(page, 'large.bin').dblclick()
    const third = dock(page).getByRole('listitem').first()
    await expect(third).toContainText('MiB of 86 MiB')
    await third.getByRole('button', { name: 'Cancel large.bin' }).click()
    await expect(third).toContainText('Canceled')
    await page.getByRole('button', { name: 'Clear finished' }).click()
    await expect(dock(page)).toHaveCount(0)
  },
)

/**
 * Uploads a file until part of it is at the device, then reloads the page. Resolves after the reload, with a function
 * that ends the slowness of the network.
 */
async function cutUploadOff(page: Page, address: string, source: string): Promise<() => Promise<void>> {
  const browser = await page.context().newCDPSession(page)
  const slow = (uploadThroughput: number) =>
    browser.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await browser.send('Network.enable')
  await page.goto(address)
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
  await slow(2_500_000)
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: 'Files…' }).click()
  await (await choosing).setFiles(source)
  await expect(dock(page)).toContainText(/(?:[3-9]\.\d|\d\d) MiB of 29 MiB/, { timeout: 30_000 })
  const asked = page.waitForEvent('dialog').then((dialog) => {
    expect(dialog.type()).toBe('beforeunload')
    return dialog.accept()
  })
  await Promise.all([page.reload(), asked])
  return () => slow(-1).then(() => {})
}

/** Resolves with the state lines of the running upload when the upload has ended. */
const runningLines = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const lines = new Set<string>()
        new MutationObserver(() => {
          const text = document.querySelector('[data-state="running"]')?.textContent ?? ''
          lines.add(text)
          if (lines.size > 1 && text === '') {
            resolve([...lines])
          }
        }).observe(document.body, { subtree: true, childList: true, characterData: true })
      }),
  )

test(
  'an upload cut off by a reload resumes with the same file only, is sent, then verified; then the list collapses',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const content = bytesOf(30_000_000)
    const source = device.path('large.bin')
    const other = device.path('other')
    mkdirSync(other)
    writeFileSync(source, content)
    writeFileSync(join(other, 'large.bin'), 'something else')
    writeFileSync(device.path('refused.bin'), content)
    const offsets: number[] = []
    page.on('request', (request) => {
      const offset = new URL(request.url()).searchParams.get('offset')
      if (request.method() === 'PUT' && offset !== null) {
        offsets.push(Number(offset))
      }
    })
    const hurry = await cutUploadOff(page, addressOf(server.url, device, folder), source)
    await expect(dock(page)).toContainText('1 interrupted')
    await expect(dock(page)).toContainText('Interrupted when the page was left.')
    await expectAccessible(page)
    const choose = async (path: string) => {
      const again = page.waitForEvent('filechooser')
      await dock(page).getByRole('button', { name: 'Choose file… large.bin' }).click()
      await (await again).setFiles(path)
    }
    await choose(join(other, 'large.bin'))
    await expect(dock(page)).toContainText('“large.bin” has another size now.')
    const said = runningLines(page)
    await choose(source)
    await expect(dock(page)).toContainText(/MiB of 29 MiB · .+\/s/)
    await hurry()
    const lines = await said
    expect(lines.filter((line) => line.includes('Verifying') && line.includes(' of 29 MiB'))).toEqual([])
    await expect.poll(() => existsSync(join(folder, 'large.bin')), { timeout: 60_000 }).toBe(true)
    expect(readFileSync(join(folder, 'large.bin')).equals(content)).toBe(true)
    expect(offsets[0]).toBe(0)
    expect(offsets.at(-1)).toBeGreaterThan(0)

    const toggle = dock(page).getByRole('button', { name: 'Transfers' })
    await page.mouse.move(5, 5)
    await expect(toggle).toHaveAttribute('aria-expanded', 'false')
    await expect(dock(page)).toContainText('all done')
    await toggle.click()
    await expect(dock(page).getByRole('listitem')).toContainText('Done')

    // A failed upload is not listed after a reload.
    await page.route('**/uploads/*/state*', (route) =>
      route.fulfill({ json: { canResume: true, receivedBytes: 0, isDone: false, problem: 'The disk is full.' } }),
    )
    const refused = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('menuitem', { name: 'Files…' }).click()
    await (await refused).setFiles(device.path('refused.bin'))
    await expect(dock(page)).toContainText('The disk is full.')
    await page.reload()
    await expect(row(page, 'large.bin')).toBeVisible()
    await expect(dock(page)).toHaveCount(0)
  },
)

test(
  'an upload works where the hashing worker cannot be loaded',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const content = bytesOf(30_000_000)
    const source = device.path('large.bin')
    writeFileSync(source, content)
    await page.context().route(/hash-worker/, (route) => route.abort())
    const hurry = await cutUploadOff(page, addressOf(server.url, device, folder), source)
    await hurry()
    const again = page.waitForEvent('filechooser')
    await dock(page).getByRole('button', { name: 'Choose file… large.bin' }).click()
    await (await again).setFiles(source)
    await expect(dock(page)).toContainText('Done', { timeout: 60_000 })
    expect(readFileSync(join(folder, 'large.bin')).equals(content)).toBe(true)
  },
)

test(
  'a page with an upload asks nothing when it starts afresh for another person',
  { tag: '@night' },
  async ({ page, context, server, owner, device, folder }) => {
    const other = await addUser(server, owner)
    const source = device.path('held.txt')
    writeFileSync(source, 'held')
    const held = page.waitForRequest((request) => request.method() === 'PUT')
    await page.route('**/*', (route) => (route.request().method() === 'PUT' ? undefined : route.fallback()))
    await page.goto(addressOf(server.url, device, folder))
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('menuitem', { name: 'Files…' }).click()
    await (await choosing).setFiles(source)
    await held
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      return dialog.dismiss()
    })
    const tab = await context.newPage()
    await tab.goto(`${server.url}/sign-in`)
    await tab.getByLabel('Email').fill(other.user.email)
    await tab.getByLabel('Password', { exact: true }).fill(account.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => asked.length > 0 || page.url() === `${server.url}/home`).toBe(true)
    expect(asked).toEqual([])
    await expect(page.getByRole('button', { name: `Account menu of ${other.user.email}` })).toBeVisible()
  },
)
