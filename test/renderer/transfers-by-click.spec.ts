import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { bytesOf, dock, row, testAlone as test } from './support/files.ts'
import { expect, expectAccessible } from './support/fixtures.ts'

/** Opens the folder by clicks: device list, device, tab, path. */
async function openByClick(page: Page, url: string, folder: string) {
  await page.goto(`${url}/devices`)
  await page.locator('[role=row][data-index]').filter({ hasText: hostname() }).dblclick()
  await page.getByRole('tab', { name: 'Files' }).click()
  await expect(page.getByRole('toolbar', { name: 'File toolbar' })).toBeVisible()
  await page.keyboard.press('Control+l')
  await page.getByRole('combobox', { name: 'Path' }).fill(folder)
  await page.keyboard.press('Enter')
}

async function upload(page: Page, entry: 'Files…' | 'Folder…', paths: string | string[]) {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: entry }).click()
  await (await choosing).setFiles(paths)
}

test(
  'a folder is chosen and uploaded on the first visit, without a reload of the page',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const source = device.path('source')
    mkdirSync(source)
    writeFileSync(join(source, 'one.txt'), 'one')
    await openByClick(page, server.url, folder)
    await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
    await upload(page, 'Folder…', source)
    await expect(row(page, 'source')).toBeVisible()
    await expect(dock(page)).toContainText('all done')
    expect(readFileSync(join(folder, 'source', 'one.txt'), 'utf8')).toBe('one')
  },
)

test(
  'transfers are listed on the page of their own device, and beside a session',
  { tag: '@night' },
  async ({ page, server, device, folder, enroll }) => {
    const [other] = await enroll(1)
    await other!.connect(server.url)
    writeFileSync(device.path('one.bin'), bytesOf(1_000_000))
    await page.goto(`${server.url}/devices/${device.id}/files?${new URLSearchParams({ path: folder }).toString()}`)
    await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
    await upload(page, 'Files…', device.path('one.bin'))
    await expect(dock(page)).toContainText('all done')
    // The download has its own entry.
    const downloading = page.waitForEvent('download')
    await row(page, 'one.bin').dblclick()
    expect(readFileSync(await (await downloading).path()).equals(bytesOf(1_000_000))).toBe(true)
    await expect(dock(page).getByRole('listitem').filter({ hasText: 'from' })).toContainText('Done')

    await page.getByRole('tab', { name: 'Terminal' }).click()
    await expect(dock(page)).toHaveCount(0)
    const pill = page.getByRole('link', { name: /^Transfers/ })
    await expect(pill).toBeVisible()
    await page.getByRole('link', { name: 'Devices' }).first().click()
    await expect(dock(page)).toBeVisible()
    await page.locator('[role=row][data-index]').filter({ hasText: '0000' }).dblclick()
    await expect(page.getByRole('tab', { name: 'Overview' })).toBeVisible()
    await expect(dock(page)).toHaveCount(0)
  },
)

test(
  'the size limit is shown before anything is sent; a file above it has no Retry',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const large = device.path('large.bin')
    for (const path of [large, join(folder, 'there.bin')]) {
      writeFileSync(path, '')
      truncateSync(path, 120 * 1024 * 1024)
    }
    writeFileSync(device.path('small.bin'), 'small')
    const late = device.path('late.bin')
    writeFileSync(late, 'late')
    await openByClick(page, server.url, folder)
    await expect(row(page, 'there.bin')).toBeVisible()
    await page.getByRole('button', { name: 'Upload' }).click()
    await expect(page.getByText('Up to 100 MiB per file')).toBeVisible()
    await page.keyboard.press('Escape')
    await upload(page, 'Files…', [large, device.path('small.bin')])
    const notice = page.getByRole('alert').filter({ hasText: 'Not everything was uploaded' })
    await expect(notice).toContainText('“large.bin” has 120 MiB. This server transfers up to 100 MiB per file.')
    await expect(notice).toContainText('Service_AppOptions__MaxFileTransferSize')
    await expect(row(page, 'small.bin')).toBeVisible()
    await expectAccessible(page)
    await row(page, 'there.bin').dblclick()
    await expect(page.getByRole('alert').filter({ hasText: 'Nothing was downloaded' })).toContainText('“there.bin”')

    // Simulates a limit lowered after the page had queried it.
    await page.route(/\/uploads\/[^/]+\?/, (route) => route.fulfill({ status: 413, json: { title: 'Too large' } }))
    await upload(page, 'Files…', late)
    const line = dock(page).getByRole('listitem').filter({ hasText: 'late.bin' })
    await expect(line).toContainText('larger than this server transfers')
    await expect(line.getByRole('button')).toHaveCount(0)
  },
)

test(
  'a file chosen while the device is offline fails with a reason',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const source = device.path('chosen.txt')
    writeFileSync(source, 'chosen')
    await openByClick(page, server.url, folder)
    await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('menuitem', { name: 'Files…' }).click()
    const chooser = await choosing
    await device.kill()
    await expect(page.getByRole('button', { name: 'Upload' })).toBeDisabled()
    await chooser.setFiles(source)
    await expect(page.getByRole('alert')).toContainText('The device is offline. Choose the files again')
    await device.restart()
    await upload(page, 'Files…', source)
    await expect.poll(() => existsSync(join(folder, 'chosen.txt'))).toBe(true)
    await expect(page.getByRole('alert')).toHaveCount(0)
  },
)

test(
  'an upload continues when the page is left during its listing, and fails visibly when a question is open',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const source = device.path('chosen.txt')
    writeFileSync(source, 'chosen')
    await openByClick(page, server.url, folder)
    await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
    const left = Promise.withResolvers<void>()
    await page.route('**/contents*', async (route) => {
      await left.promise
      await route.continue()
    })
    await upload(page, 'Files…', source)
    await expect(page.getByText('Reading the files to upload')).toBeVisible()
    await page.getByRole('link', { name: 'Devices' }).first().click()
    await expect(page.getByRole('toolbar', { name: 'File toolbar' })).toHaveCount(0)
    left.resolve()
    await expect(dock(page)).toContainText('all done')
    expect(readFileSync(join(folder, 'chosen.txt'), 'utf8')).toBe('chosen')

    await openByClick(page, server.url, folder)
    await upload(page, 'Files…', source)
    await expect(page.getByRole('dialog')).toContainText('already exists')
    await expect(async () => {
      await page.goBack()
      await expect(page.getByRole('dialog')).toHaveCount(0, { timeout: 1_000 })
    }).toPass()
    await expect(dock(page)).toContainText('you left the page before choosing what to do')
  },
)

test(
  'requests for a folder of small files do not grow with their number',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const requests: string[] = []
    page.on('request', (request) => {
      const [, kind] = /\/(small-uploads|uploads|create-directory|contents|download)\b/.exec(request.url()) ?? []
      requests.push(...(kind === undefined ? [] : [kind]))
    })
    await openByClick(page, server.url, folder)
    await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
    for (const count of [2, 60]) {
      const source = device.path(`${count} files`)
      mkdirSync(source)
      Array.from({ length: count }, (_, index) => writeFileSync(join(source, `${index}.txt`), `${index}`))
      requests.length = 0
      await upload(page, 'Folder…', source)
      await expect(dock(page)).toContainText(`Done · ${count} of ${count} files`)
      expect(readdirSync(join(folder, `${count} files`))).toHaveLength(count)
      expect(requests.filter((kind) => kind !== 'contents')).toEqual(['create-directory', 'small-uploads'])
      // The list is read before, and again after each request that wrote.
      expect(requests.length).toBeLessThan(8)
      requests.length = 0
      const downloading = page.waitForEvent('download')
      await row(page, `${count} files`).click()
      await page.getByRole('button', { name: 'Download' }).first().click()
      await (await downloading).path()
      expect(requests.filter((kind) => kind !== 'contents')).toEqual(['download'])
    }
  },
)
