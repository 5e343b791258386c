import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { addMember } from '../support/people.ts'
import { addressOf, list, row, rowNames, test, testAlone } from './support/files.ts'
import { expect, expectAccessible, expectFew, follow, usePage } from './support/fixtures.ts'

test('folders are browsed by keyboard alone, each with its own URL', async ({ page, server, device, folder }) => {
  for (const name of ['alpha', 'beta', '.hidden']) {
    mkdirSync(join(folder, name))
  }
  writeFileSync(join(folder, 'alpha', 'inside.txt'), 'inside')
  writeFileSync(join(folder, 'file 10.txt'), 'ten')
  writeFileSync(join(folder, 'file 9.txt'), 'nine, which is longer')
  await page.goto(addressOf(server.url, device, folder))
  await expect(list(page)).toBeFocused()
  await expect(page.getByText('4 items')).toBeVisible()
  await expect.poll(() => rowNames(page)).toEqual(['alpha', 'beta', 'file 9.txt', 'file 10.txt'])
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
  // Two folders up, even if the second key follows immediately.
  await list(page).evaluate(async (grid) => {
    const up = () => new KeyboardEvent('keydown', { key: 'Backspace', bubbles: true, cancelable: true })
    grid.dispatchEvent(up())
    await Promise.resolve()
    document.activeElement?.dispatchEvent(up())
  })
  await expect(row(page, basename(folder))).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Alt+ArrowLeft')
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
  await page.getByRole('combobox', { name: 'Path' }).fill(join(folder, 'be'))
  await expect(page.getByRole('option', { name: join(folder, 'beta') })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
  await expectAccessible(page)

  // On a phone the tree covers the list until a folder is opened.
  await expect(page.getByRole('tree')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByRole('tree')).toHaveCount(0)
  await page.getByRole('button', { name: 'Show or hide the folder tree' }).click()
  await expect(page.getByRole('tree')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(row(page, 'inside.txt')).toBeVisible()
  await expect(page.getByRole('tree')).toHaveCount(0)
  await expect(list(page)).toBeFocused()
})

test(
  'ten thousand files are listed, sorted and scrolled with few rows in the DOM',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    for (let index = 0; index < 10_000; index++) {
      writeFileSync(join(folder, `entry-${index}.log`), 'x'.repeat(index % 50))
    }
    await page.goto(addressOf(server.url, device, folder))
    await expect(page.getByText('10,000 items', { exact: true })).toBeVisible({ timeout: 30_000 })
    await expectFew(list(page).locator('[data-index]'), 60)
    await page.keyboard.press('End')
    await expect(row(page, 'entry-9999.log')).toBeVisible()
    await page.getByRole('button', { name: 'Size' }).click()
    await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-sort', 'descending')
    await list(page).focus()
    await page.keyboard.press('Home')
    await expect(list(page).locator('[data-index="0"]')).toContainText('49 B')
    await page.keyboard.press('Control+a')
    await expect(page.getByText('10,000 selected')).toBeVisible()
  },
)

// T03, T18: the device is untrusted.
test(
  'hostile file names are shown escaped and saved under safe names',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const names = [
      '\u202Egnp.exe',
      'new\nline\u0007.txt',
      '<img src=x onerror=alert(1)>',
      `${'long'.repeat(60)}.txt`,
      ' edge ',
    ]
    names.forEach((name) => writeFileSync(join(folder, name), 'x'))
    await page.goto(addressOf(server.url, device, folder))
    await expect(page.getByText('5 items')).toBeVisible()
    await expect
      .poll(async () => new Set(await rowNames(page)))
      .toEqual(new Set(['⟨U+202E⟩gnp.exe', 'new⟨U+000A⟩line⟨U+0007⟩.txt', names[2], names[3], '⟨U+0020⟩edge⟨U+0020⟩']))
    for (const [shown, saved] of [
      ['gnp.exe', '%E2%80%AEgnp.exe'],
      ['new', 'new_line_.txt'],
      ['<img', '_img src=x onerror=alert(1)_'],
    ] as const) {
      await row(page, shown).click()
      const downloading = page.waitForEvent('download')
      await page.keyboard.press('Enter')
      expect((await downloading).suggestedFilename()).toBe(saved)
    }
    await row(page, 'long').click()
    await page.keyboard.press('Delete')
    await expect(page.getByRole('dialog')).toContainText('Delete “longlong')
    await expectAccessible(page)
  },
)

testAlone(
  'a reader is offered reading alone; a denied or missing folder reports its reason',
  { tag: '@night' },
  async ({ page, context, server, owner, device, folder }) => {
    writeFileSync(join(folder, 'only.txt'), 'read')
    const reader = await addMember(server, owner.tenantId, ['device.read', 'device.file-system.read'])
    await usePage(context, reader)
    await page.goto(addressOf(server.url, device, folder))
    await row(page, 'only.txt').click()
    await expect(page.getByText('1 selected')).toBeVisible()
    for (const name of ['Download', 'Delete', 'Upload', 'New folder']) {
      await expect(page.getByRole('button', { name })).toHaveCount(0)
    }
    await page.keyboard.press('Delete')
    await page.keyboard.press('F7')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await follow(page, addressOf(server.url, device, join(folder, 'nowhere')))
    await expect(page.getByRole('heading', { name: 'Folder not found' })).toBeVisible()
    await page.getByRole('button', { name: 'Go to the folder above' }).click()
    await expect(row(page, 'only.txt')).toBeVisible()
    await device.kill()
    await expect(page.getByText('The device is offline. This list is from')).toBeVisible({ timeout: 30_000 })
    await expectAccessible(page)
  },
)
