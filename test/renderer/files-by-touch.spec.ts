import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, list, row, testAlone as test } from './support/files.ts'
import { expect } from './support/fixtures.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

test(
  'a tap opens a folder, and selects a file or what its check box belongs to',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    mkdirSync(join(folder, 'alpha', 'beta'), { recursive: true })
    writeFileSync(join(folder, 'alpha', 'inside.txt'), 'inside')
    await page.goto(addressOf(server.url, device, folder))
    await row(page, 'alpha').getByRole('checkbox').tap()
    await expect(row(page, 'alpha')).toHaveAttribute('aria-selected', 'true')
    await row(page, 'alpha').tap()
    await row(page, 'inside.txt').tap()
    await expect(row(page, 'inside.txt')).toHaveAttribute('aria-selected', 'true')
    await expect(list(page).getByRole('row', { name: 'beta' })).toBeVisible()
  },
)
