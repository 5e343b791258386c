import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { dock, row, test } from './support/files.ts'
import { expect } from './support/fixtures.ts'

/** Opens the folder as a person does: device list, device, tab, path. */
async function openByClick(page: Page, url: string, folder: string) {
  await page.goto(url)
  await page.locator('[role=row][data-index]').first().dblclick()
  await page.getByRole('tab', { name: 'Files' }).click()
  await expect(page.getByRole('toolbar', { name: 'File toolbar' })).toBeVisible()
  await page.keyboard.press('Control+l')
  await page.getByRole('combobox', { name: 'Path' }).fill(folder)
  await page.keyboard.press('Enter')
}

test('a folder is chosen and uploaded on the first visit, without a reload of the page', async ({
  page,
  server,
  device,
  folder,
}) => {
  const source = device.path('source')
  mkdirSync(source)
  writeFileSync(join(source, 'one.txt'), 'one')
  await openByClick(page, server.url, folder)
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: 'Folder…' }).click()
  await (await choosing).setFiles(source)
  await expect(row(page, 'source')).toBeVisible()
  await expect(dock(page)).toContainText('all done')
  expect(readFileSync(join(folder, 'source', 'one.txt'), 'utf8')).toBe('one')
})
