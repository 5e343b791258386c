import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from './support/files.ts'
import { expect, expectAccessible } from './support/fixtures.ts'

test(
  'a file goes to the selected devices, and those that failed are retried from the result',
  { tag: '@night' },
  async ({ page, server, device: _, folder }) => {
    const target = join(folder, 'inbox')
    await page.goto(`${server.url}/devices`)
    await page.locator('[role=row][data-index]').getByRole('checkbox').click()
    await page
      .getByRole('toolbar', { name: /selected$/ })
      .getByRole('button', { name: 'Send files' })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Send files to 1 device' })
    const send = dialog.getByRole('button', { name: 'Send files to 1 device' })
    await expect(send).toBeDisabled()
    const file = join(folder, '..', 'price list.txt')
    writeFileSync(file, 'bread 2')
    await dialog.locator('input[type=file]').setInputFiles(file)
    await expect(dialog).toContainText('7 B: price list.txt')
    await dialog.getByRole('radio', { name: 'A folder on each device' }).check()
    await dialog.getByRole('textbox', { name: 'Folder' }).fill(target)
    await expectAccessible(page)
    await send.click()
    await page.getByRole('link', { name: 'Show each device' }).click()
    await expect(page.getByRole('heading', { name: 'Files to 1 device' })).toBeVisible()
    const results = page.getByRole('list', { name: 'Devices' })
    await expect(results).toContainText('Directory does not exist')
    await expect(page.getByText(`price list.txt → ${target}`)).toBeVisible()
    mkdirSync(target)
    await page.getByRole('button', { name: 'Retry 1 device' }).click()
    await expect(results).toContainText('Done')
    expect(readFileSync(join(target, 'price list.txt'), 'utf8')).toBe('bread 2')
    await expectAccessible(page)
  },
)
