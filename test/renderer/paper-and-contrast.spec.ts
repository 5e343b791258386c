import { expect, expectFew, test } from './support/fixtures.ts'

const count = 60

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

test(
  'in high contrast of the system the row with the cursor and the current page have an outline',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
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
  },
)
