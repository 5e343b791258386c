import { appendFile, glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { isNight } from '../support/night.ts'
import type { RealDevice } from '../support/real-device.ts'
import { expect, expectAccessible } from './support/fixtures.ts'
import { test } from './support/room.ts'

/** Folder of the agent's own log. */
async function logFolderOf(device: RealDevice) {
  for await (const file of glob('**/LogFile.log', { cwd: device.folder })) {
    return dirname(join(device.folder, file))
  }
  throw new Error('The agent has no log.')
}

const text = (page: Page) => page.getByRole('group', { name: /^Text of/ })
const row = (page: Page, content: string) => text(page).locator('[data-index]').filter({ hasText: content })
const search = (page: Page) => page.getByRole('textbox', { name: 'Search in the file' })
const outcome = (page: Page) => page.getByRole('toolbar', { name: 'Log tools' }).getByRole('status')

test(
  'a log of the agent is shown as plain text, searched, followed and downloaded',
  { tag: '@night' },
  async ({ page, server, device }) => {
    const file = join(await logFolderOf(device), 'Big.log')
    const line = (index: number) => `2026-01-02T03:04:05Z ${index % 1000 === 7 ? 'ERROR' : 'INFO'} step number=${index}`
    const lines = Array.from({ length: 100_000 }, (_, index) => line(index))
    await writeFile(file, `\x1b[31mred\x1b[0m bell \x07 title \x1b]0;x\x07 turned \u202e\n${lines.join('\n')}\n`)
    await page.goto(`${server.url}/devices/${device.id}/logs`)
    await page.getByRole('button', { name: /Big\.log/ }).click()
    await expect(page.getByText('100,001 lines')).toBeVisible()
    await expect(row(page, 'number=99999')).toBeVisible()
    await expectAccessible(page)

    await text(page).press('Home')
    await expect(row(page, 'red bell ␇ title ␛]0;x␇ turned ‹202E›')).toBeVisible()
    await search(page).fill('error step')
    await expect(outcome(page)).toHaveText('1 of 100')
    await search(page).press('Enter')
    await expect(outcome(page)).toHaveText('2 of 100')
    await expect(row(page, 'number=1007')).toBeVisible()
    await search(page).press('Shift+Enter')
    await search(page).press('Shift+Enter')
    await expect(outcome(page)).toHaveText('100 of 100')
    await expect(row(page, 'number=99007')).toBeVisible()
    await page.getByRole('button', { name: 'Match case' }).click()
    await expect(outcome(page)).toHaveText('Nothing found')
    await page.getByRole('button', { name: 'Regular expression' }).click()
    await search(page).fill('number=5+$')
    await expect(outcome(page)).toHaveText('1 of 5')
    await search(page).fill('number=(')
    await expect(outcome(page)).toHaveText('Invalid regular expression')
    // A catastrophic pattern, which keeps a processor busy for seconds. By day: `features/logs/log-search`.
    if (isNight) {
      await search(page).fill('(\\w+\\s?)+\\s*!!')
      await expect(outcome(page)).toHaveText('This pattern takes too long. Try a simpler one.')
    }
    await search(page).fill('number=99999')
    await expect(outcome(page)).toHaveText('1 of 1')

    await page.getByRole('button', { name: 'Follow' }).click()
    await appendFile(file, '2026-01-02T03:04:06Z WARN something new\n')
    await expect(row(page, 'something new')).toBeVisible({ timeout: 20_000 })
    await expect(row(page, 'something new').locator('[data-new]')).toHaveCount(1)
    await expect(row(page, 'number=99999').locator('[data-new]')).toHaveCount(0)
    await page.getByRole('button', { name: 'Wrap lines' }).click()
    await expect(row(page, 'something new')).toBeVisible()

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Big.log')
    expect(await readFile(await download.path(), 'utf8')).toBe(await readFile(file, 'utf8'))
  },
)
