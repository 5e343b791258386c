import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { addressOf, list, test as filesTest } from './support/files.ts'
import { expect, expectFew, test } from './support/fixtures.ts'

const count = 60
/** Ends of the names of devices. */
const deviceNames = Array.from({ length: count }, (_, index) => `-${String(index).padStart(4, '0')}`)

/** Text of a page that is printed, without its spaces. */
async function textOnPaper(page: Page): Promise<string> {
  const task = getDocument({ data: new Uint8Array(await page.pdf()) })
  const paper = await task.promise
  const sheets = Array.from({ length: paper.numPages }, async (_, index) => {
    const { items } = await (await paper.getPage(index + 1)).getTextContent()
    return items.map((item) => ('str' in item ? item.str : '')).join('')
  })
  const text = (await Promise.all(sheets)).join('').replaceAll(/\s/g, '')
  await task.destroy()
  return text
}

/** Prints the page, and expects that all rows with these texts are on paper. */
async function expectAllOnPaper(page: Page, rows: Locator, texts: readonly string[]) {
  await expectFew(rows, texts.length)
  const text = await textOnPaper(page)
  expect(texts.filter((each) => !text.includes(each))).toEqual([])
  await expectFew(rows, texts.length)
}

test('on paper a bulk job has all of its devices', { tag: '@night' }, async ({ page, server, owner, enroll }) => {
  const deviceIds = (await enroll(count)).map(({ id }) => id)
  const { id } = await owner.applianceBatches.start({ body: { kind: 'run-command', deviceIds, command: 'true' } })
  await page.goto(`${server.url}/batches/${id}`)
  await expectAllOnPaper(page, page.getByRole('list', { name: 'Devices' }).getByRole('listitem'), deviceNames)
})

filesTest('on paper a folder has all of its entries', { tag: '@night' }, async ({ page, server, device, folder }) => {
  const names = Array.from({ length: count }, (_, index) => `entry-${index}.txt`)
  names.forEach((name) => writeFileSync(join(folder, name), ''))
  await page.goto(addressOf(server.url, device, folder))
  await expectAllOnPaper(page, list(page).locator('[data-index]'), names)
})

test(
  'on paper a list has all loaded rows, in light colors and without the navigation',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
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
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await expectAllOnPaper(page, rows, deviceNames)
    await expect(scheme).toHaveAttribute('data-mantine-color-scheme', 'dark')
  },
)

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
