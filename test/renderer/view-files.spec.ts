import { appendFileSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, row, test } from './support/files.ts'
import { expect, expectAccessible } from './support/fixtures.ts'

/** A PNG of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** Picture whose header says 60,000 by 60,000 pixels. */
const bomb = Buffer.from(picture)
bomb.writeUInt32BE(60_000, 16)
bomb.writeUInt32BE(60_000, 20)

test('a text is edited with a check for changes, and permissions change by click', async ({
  page,
  server,
  device,
  folder,
}) => {
  const file = join(folder, 'site.conf')
  writeFileSync(file, 'port 80\r\nhost <b>x</b>\r\n', { mode: 0o644 })
  symlinkSync('site.conf', join(folder, 'link.conf'))
  await page.goto(addressOf(server.url, device, folder))
  await row(page, 'site.conf').click()
  await page.keyboard.press('F3')
  const dialog = page.getByRole('dialog', { name: 'site.conf' })
  const text = dialog.getByRole('textbox', { name: 'Text of the file' })
  await expect(text).toHaveValue('port 80\nhost <b>x</b>\n')
  await expectAccessible(page)
  await text.fill('port 81\n')
  await page.keyboard.press('Control+s')
  await expect(dialog).toContainText('Saved')
  expect(readFileSync(file, 'utf8')).toBe('port 81\r\n')

  writeFileSync(file, 'by somebody else')
  await text.fill('port 82\n')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Changed on the device since you opened it')
  expect(readFileSync(file, 'utf8')).toBe('by somebody else')
  await page.keyboard.press('Escape')
  await expect(dialog).toContainText('Your changes are not saved.')
  await dialog.getByRole('button', { name: 'Load it again' }).click()
  await expect(text).toHaveValue('by somebody else')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)

  await row(page, 'link.conf').click()
  await page.keyboard.press('F3')
  const linked = page.getByRole('dialog', { name: 'link.conf' })
  await linked.getByRole('textbox', { name: 'Text of the file' }).fill('through the link')
  await page.keyboard.press('Control+s')
  await expect(linked).toContainText('Saved')
  expect([readFileSync(file, 'utf8'), readlinkSync(join(folder, 'link.conf'))]).toEqual([
    'through the link',
    'site.conf',
  ])
  await page.keyboard.press('Escape')
  await expect(linked).toHaveCount(0)

  await row(page, 'site.conf').click()
  await page.keyboard.press('Alt+Enter')
  const properties = page.getByRole('dialog', { name: 'Properties of “site.conf”' })
  await expect(properties).toContainText('Permissions (644)')
  await properties.getByRole('button', { name: 'Compute' }).click()
  await expect(properties.locator('code')).toHaveText(/^[0-9a-f]{64}$/)
  await expectAccessible(page)
  await properties.getByRole('group', { name: 'Others' }).getByLabel('Read').uncheck()
  await properties.getByRole('button', { name: 'Change permissions' }).click()
  await expect.poll(() => statSync(file).mode & 0o777).toBe(0o640)
})

test(
  'the end of a log is followed with a filter, on and off',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const log = join(folder, 'app.log')
    writeFileSync(log, Array.from({ length: 300 }, (_, index) => `line ${index} <b>\n`).join(''))
    await page.goto(addressOf(server.url, device, folder))
    await row(page, 'app.log').click()
    await page.keyboard.press('Shift+F3')
    const dialog = page.getByRole('dialog', { name: 'app.log' })
    const lines = dialog.getByRole('log', { name: 'Last lines of the file' })
    await expect(lines).toContainText('line 299 <b>')
    await expect(lines).not.toContainText('line 99 <b>')
    await expectAccessible(page)
    appendFileSync(log, 'error: disk\n')
    await expect(lines).toContainText('error: disk')
    await dialog.getByRole('textbox', { name: 'Only lines that contain' }).fill('ERROR')
    await expect(lines).toHaveText('error: disk')
    const follow = dialog.getByRole('switch', { name: 'Follow' })
    await follow.uncheck()
    appendFileSync(log, 'error: net\n')
    await follow.check()
    await expect(lines).toHaveText('error: disk\nerror: net')
  },
)

/** PDF of two pages with a script that runs when it is opened, and a link. */
function twoPages() {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>',
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 5 0 R/Annots[6 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>',
    '<</Length 25>>stream\n1 0 0 rg 0 0 100 100 re f\nendstream',
    '<</Type/Annot/Subtype/Link/Rect[0 0 200 100]/A<</S/URI/URI(https://example.org)>>>>',
  ]
  return `%PDF-1.4\n${objects.map((text, index) => `${index + 1} 0 obj${text}endobj\n`).join('')}trailer<</Root 1 0 R>>`
}

test('a PDF is shown page by page as pictures, without its scripts and links (T18)', async ({
  page,
  server,
  device,
  folder,
}) => {
  writeFileSync(join(folder, 'offer.pdf'), twoPages())
  writeFileSync(join(folder, 'broken.pdf'), '%PDF-1.4 nothing')
  await page.goto(addressOf(server.url, device, folder))
  await row(page, 'offer.pdf').click()
  await page.keyboard.press('F3')
  const dialog = page.getByRole('dialog', { name: 'offer.pdf' })
  const canvas = dialog.getByRole('img', { name: 'Page 1' })
  await expect(canvas).toHaveAttribute('aria-busy', 'false')
  await expect(dialog.getByRole('region', { name: 'Page 1 of 2' })).toBeFocused()
  const colorAt = (x: number) =>
    canvas.evaluate(
      (element: HTMLCanvasElement, part) =>
        [...element.getContext('2d')!.getImageData(element.width * part, element.height / 2, 1, 1).data].join(),
      x,
    )
  expect([await colorAt(0.25), await colorAt(0.75)]).toEqual(['255,0,0,255', '255,255,255,255'])
  await expect(dialog.getByRole('link')).toHaveCount(0)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Next page' }).click()
  await expect(dialog.getByRole('status')).toHaveText('Page 2 of 2')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await row(page, 'broken.pdf').click()
  await page.keyboard.press('F3')
  const broken = page.getByRole('dialog', { name: 'broken.pdf' })
  await expect(broken).toContainText('This PDF is damaged')
  await expect(broken.getByRole('button', { name: 'Download' })).toBeVisible()
})

// T18, T35: the device is untrusted.
test('pictures are shown by their bytes, and anything else of a device is not', async ({
  page,
  server,
  device,
  folder,
}) => {
  writeFileSync(join(folder, 'real.txt'), picture)
  writeFileSync(join(folder, 'bomb.png'), bomb)
  writeFileSync(join(folder, 'page.png'), '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>\0')
  await page.goto(addressOf(server.url, device, folder))
  const view = async (name: string) => {
    await row(page, name).click()
    await page.keyboard.press('F3')
    return page.getByRole('dialog', { name })
  }
  const shown = await view('real.txt')
  await expect(shown.getByRole('img', { name: 'real.txt' })).toBeVisible()
  await expect(shown).toContainText('1 × 1 pixel')
  await page.keyboard.press('Escape')
  for (const name of ['bomb.png', 'page.png']) {
    const refused = await view(name)
    await expect(refused).toContainText('Download the file to see it.')
    await expect(refused.locator('img')).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(refused).toHaveCount(0)
  }
})
