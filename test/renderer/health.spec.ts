import { readFileSync } from 'node:fs'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test(
  'the Health page says what is right and wrong, and saves the diagnostics',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Health', exact: true }).click()
    const checks = page.getByRole('list', { name: 'Checks' })
    await expect(checks.getByRole('listitem').filter({ hasText: /^Disk/ })).toContainText('free')
    await expect(checks.getByRole('listitem').filter({ hasText: 'Database' })).toContainText(
      'checked when the server started',
    )
    await expectAccessible(page)
    // A finding leads to the page that mends it.
    await checks.getByRole('link', { name: 'Open Backup' }).click()
    await expect(page.getByRole('heading', { name: 'Backup', exact: true })).toBeVisible()
    await page.goBack()

    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download diagnostics' }).click()
    const file = await saved
    expect(file.suggestedFilename()).toMatch(/^farhand-diagnostics-\d{4}-\d\d-\d\d\.json$/)
    expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toMatchObject({ rows: { users: 1 } })

    // No disk of a test has so much room: every page says that uploads are refused, and the report begins with it.
    const changes = [{ key: 'AppOptions__MinFreeDiskSpace', value: String(100 * 1024 ** 3) }]
    await owner.applianceServer.changeSettings({ body: { changes } })
    await page.getByRole('button', { name: 'Check again' }).click()
    const first = checks.getByRole('listitem').first()
    await expect(first).toContainText('uploads are refused')
    await expect(first.getByRole('img', { name: 'Problem' })).toBeVisible()
    await page.reload()
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await expect(page.getByRole('status', { name: 'Storage of the server' })).toContainText('almost full')
    await expectAccessible(page)
  },
)
