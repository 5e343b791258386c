import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { startRealDevice, type RealDevice } from '../support/real-device.ts'
import { expect, expectAccessible, test as base } from './support/fixtures.ts'

/** The real agent, and a folder of this machine that the test fills. */
const test = base.extend<{ device: RealDevice; folder: string }>({
  device: async ({ owner }, use) => {
    const device = await startRealDevice(owner)
    await use(device)
    await device.stop()
  },
  folder: async ({ device }, use) => {
    const folder = device.path('work')
    mkdirSync(folder)
    await use(folder)
  },
})

const list = (page: Page) => page.getByRole('grid', { name: /^Files and folders/ })
const row = (page: Page, name: string | RegExp) => list(page).getByRole('row').filter({ hasText: name })
const dock = (page: Page) => page.getByRole('region', { name: 'Transfers' })
const rowNames = (page: Page) =>
  list(page)
    .locator('[data-index]')
    .evaluateAll((rows) =>
      rows
        .toSorted((one, other) => Number(one.getAttribute('data-index')) - Number(other.getAttribute('data-index')))
        .map((each) => each.querySelector('bdi')?.textContent),
    )
const addressOf = (url: string, { id }: RealDevice, folder: string) =>
  `${url}/devices/${id}/files?${new URLSearchParams({ path: folder }).toString()}`

/** Bytes that are the same each time and nowhere alike. */
const bytesOf = (size: number) => {
  const bytes = Buffer.alloc(size)
  for (let at = 0, seed = 7; at < size; at += 4) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    bytes.writeUInt32LE(seed, Math.min(at, Math.max(0, size - 4)))
  }
  return bytes
}

test('folders are browsed by keyboard alone, and the address names each', async ({ page, server, device, folder }) => {
  for (const name of ['alpha', 'beta', '.hidden']) {
    mkdirSync(join(folder, name))
  }
  writeFileSync(join(folder, 'alpha', 'inside.txt'), 'inside')
  writeFileSync(join(folder, 'file 10.txt'), 'ten')
  writeFileSync(join(folder, 'file 9.txt'), 'nine, which is longer')
  await page.goto(addressOf(server.url, device, folder))
  await expect(list(page)).toBeFocused()
  await expect(page.getByText('4 items')).toBeVisible()
  expect(await rowNames(page)).toEqual(['alpha', 'beta', 'file 9.txt', 'file 10.txt'])
  await expect(page.getByText('1 item hidden')).toBeVisible()
  await expectAccessible(page)

  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect(row(page, 'inside.txt')).toBeVisible()
  await expect(page).toHaveURL(addressOf(server.url, device, join(folder, 'alpha')).replaceAll('%20', '+'))
  await page.keyboard.press('Backspace')
  await expect(row(page, 'alpha')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(row(page, 'inside.txt')).toBeVisible()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(row(page, 'beta')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Back', exact: true })).toHaveAttribute('aria-disabled', 'true')

  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+End')
  await expect(page.getByText('4 selected, 24 B')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.type('file 1')
  await expect(row(page, 'file 10.txt')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('/')
  await page.keyboard.type('FILE')
  await expect(page.getByText('2 filtered out')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(list(page)).toBeFocused()

  await page.keyboard.press('Control+l')
  await page.getByRole('textbox', { name: 'Path' }).fill(join(folder, 'be'))
  await expect(page.getByRole('option', { name: join(folder, 'beta') })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
  await expectAccessible(page)
})

test('ten thousand files are listed, sorted and scrolled, of which few are in the page', async ({
  page,
  server,
  device,
  folder,
}) => {
  for (let index = 0; index < 10_000; index++) {
    writeFileSync(join(folder, `entry-${index}.log`), 'x'.repeat(index % 50))
  }
  await page.goto(addressOf(server.url, device, folder))
  await expect(page.getByText('10,000 items', { exact: true })).toBeVisible({ timeout: 30_000 })
  expect(await list(page).locator('[data-index]').count()).toBeLessThan(60)
  await page.keyboard.press('End')
  await expect(row(page, 'entry-9999.log')).toBeVisible()
  await page.getByRole('button', { name: 'Size' }).click()
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-sort', 'descending')
  await list(page).focus()
  await page.keyboard.press('Home')
  await expect(list(page).locator('[data-index="0"]')).toContainText('49 B')
  await page.keyboard.press('Control+a')
  await expect(page.getByText('10,000 selected')).toBeVisible()
})

test('files and folders are uploaded, and those that are there already are asked about', async ({
  page,
  server,
  device,
  folder,
}) => {
  const source = device.path('source')
  mkdirSync(join(source, 'tree', 'deep'), { recursive: true })
  const big = bytesOf(3_000_000)
  writeFileSync(join(source, 'tree', 'deep', 'big.bin'), big)
  writeFileSync(join(source, 'tree', 'one.txt'), 'one')
  for (const name of ['a.txt', 'b.txt', 'c.txt']) {
    writeFileSync(join(folder, name), 'old')
    writeFileSync(join(source, name), `new ${name}`)
  }
  await page.goto(addressOf(server.url, device, folder))
  await expect(row(page, 'a.txt')).toBeVisible()
  const upload = async (entry: string, paths: string | string[]) => {
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
    await (await choosing).setFiles(paths)
  }
  await upload('Folder…', join(source, 'tree'))
  await expect(dock(page)).toContainText('2 of 2 files')
  expect(readFileSync(join(folder, 'tree', 'deep', 'big.bin')).equals(big)).toBe(true)
  expect(readFileSync(join(folder, 'tree', 'one.txt'), 'utf8')).toBe('one')
  await expect(row(page, 'tree')).toBeVisible()

  await upload(
    'Files…',
    ['a.txt', 'b.txt', 'c.txt'].map((name) => join(source, name)),
  )
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('“a.txt” is there already')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Keep both' }).click()
  await expect(dialog).toContainText('“b.txt” is there already')
  await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Replace' }).click()
  await expect(row(page, 'a (2).txt')).toBeVisible()
  await expect.poll(() => readFileSync(join(folder, 'c.txt'), 'utf8')).toBe('new c.txt')
  await expect.poll(() => readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('new b.txt')
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('old')
  expect(readFileSync(join(folder, 'a (2).txt'), 'utf8')).toBe('new a.txt')
  await expect(list(page)).toBeFocused()
  await expectAccessible(page)
})
