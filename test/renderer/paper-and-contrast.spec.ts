import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { addressOf, list, test as filesTest } from './support/files.ts'
import { expect, expectFew, test } from './support/fixtures.ts'

const count = 60

/** Shows the page as on paper, and expects that all rows follow each other there. */
async function expectAllOnPaper(page: Page, rows: Locator) {
  await expectFew(rows, count)
  await page.emulateMedia({ media: 'print' })
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await expect(rows).toHaveCount(count)
  const last = await rows.last().boundingBox()
  expect(last!.y).toBeGreaterThan(page.viewportSize()!.height)
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await expectFew(rows, count)
}

test('on paper a bulk job has all of its devices', async ({ page, server, owner, enroll }) => {
  const deviceIds = (await enroll(count)).map(({ id }) => id)
  const { id } = await owner.applianceBatches.start({ body: { kind: 'run-command', deviceIds, command: 'true' } })
  await page.goto(`${server.url}/batches/${id}`)
  await expectAllOnPaper(page, page.getByRole('list', { name: 'Devices' }).getByRole('listitem'))
})

filesTest('on paper a folder has all of its entries', async ({ page, server, device, folder }) => {
  for (let index = 0; index < count; index++) {
    writeFileSync(join(folder, `${index}.txt`), '')
  }
  await page.goto(addressOf(server.url, device, folder))
  await expectAllOnPaper(page, list(page).locator('[data-index]'))
})

test('on paper a list has all loaded rows, in light colors and without the navigation', async ({
  page,
  server,
  enroll,
}) => {
  await enroll(count)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(`${server.url}/devices`)
  const rows = page.locator('[role=row][data-index]')
  await expectFew(rows, count)
  const scheme = page.locator('html')
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await expect(rows).toHaveCount(count)
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'light')
  await expect(page.getByRole('navigation')).toBeHidden()
  const last = await rows.last().boundingBox()
  expect(last!.y).toBeGreaterThan(page.viewportSize()!.height)
  await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await expectFew(rows, count)
  await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'dark')
})

test('in high contrast of the system the row with the cursor and the current page have an outline', async ({
  page,
  server,
  enroll,
}) => {
  await enroll(2)
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(`${server.url}/devices`)
  await expect(page.getByRole('grid')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('[data-index="1"]')).toHaveCSS('outline-width', '3px')
  await expect(page.locator('[data-index="0"]')).toHaveCSS('outline-style', 'none')
  await expect(page.getByRole('link', { name: 'Devices', exact: true })).toHaveCSS('outline-style', 'solid')
  await expect(page.getByRole('checkbox').last()).toHaveCSS('appearance', 'auto')
  await page.emulateMedia({ forcedColors: 'none' })
})
