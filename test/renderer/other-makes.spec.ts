import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, expectAccessible, test as base } from './support/fixtures.ts'
import { VisitedAgent } from './support/visited-agent.ts'

/** Server whose agent release is newer than any agent here. */
const test = base.extend({
  // oxlint-disable-next-line no-empty-pattern
  serverOptions: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'farhand-makes-'))
    writeFileSync(join(folder, 'Version.txt'), '9.9.9.9')
    await use({ settings: { DownloadsDirectory: folder } })
    rmSync(folder, { recursive: true, force: true })
  },
})

test(
  'an agent of another make is never offered an update; a batch reports why it skipped the agent',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const [own] = await enroll(1)
    await own!.connect(server.url)
    const other = await VisitedAgent.register(owner, { name: 'other-desk' }, 'Other')
    await other.connect(server.url)
    await page.goto(`${server.url}/devices`)
    const rows = page.locator('[role=row][data-index]')
    const otherRow = rows.filter({ hasText: 'other-desk' })
    const mark = page.getByRole('img', { name: 'update' })
    await expect(rows).toHaveCount(2)
    await expect(rows.filter({ has: mark })).toHaveCount(1)
    await expect(otherRow.filter({ has: mark })).toHaveCount(0)

    await otherRow.click()
    const pane = page.getByRole('complementary', { name: /other-desk/ })
    await expect(pane).toContainText('by another make: Other')
    await expectAccessible(page)

    await page.getByRole('checkbox', { name: 'Select all loaded devices' }).click()
    await page
      .getByRole('toolbar', { name: /selected$/ })
      .getByRole('button', { name: 'Update agent' })
      .click()
    await expect(page.getByRole('dialog')).toContainText('Agents of other makes are skipped.')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Update the agent of 2/ })
      .click()
    await page.getByRole('link', { name: 'Show each device' }).click()
    await expect(page.getByText('The agent is of another make, so this server cannot update it.')).toBeVisible()

    await page.goto(`${server.url}/devices/${other.id}`)
    await expect(page.getByText('by another make: Other')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Update', exact: true })).toHaveCount(0)
    await page.getByRole('button', { name: 'More' }).click()
    await expect(page.getByRole('menuitem', { name: 'Update agent' })).toBeDisabled()
    expect(other.asked).toEqual([])

    await page.goto(`${server.url}/devices/${own!.id}`)
    await expect(page.getByRole('button', { name: 'Update', exact: true })).toBeEnabled()
  },
)
