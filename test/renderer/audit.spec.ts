import { readFile } from 'node:fs/promises'
import { expect, expectAccessible, expectFew, test } from './support/fixtures.ts'
import type { Page } from '@playwright/test'
import { account } from '../support/server.ts'

const hostile = '=cmd|calc <img src=x onerror=alert(1)>\u202Egpj.exe'

async function exported(page: Page, name: string) {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name }).click()
  const download = await downloading
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

test('the audit log is opened from the sidebar, filtered, read by keyboard, checked and exported', async ({
  page,
  server,
  owner,
}) => {
  const { tenantId } = owner
  await owner.personalAccessTokens.create({ tenantId, body: { name: hostile } })
  for (let index = 0; index < 120; index++) {
    await owner.personalAccessTokens.create({ tenantId, body: { name: `token ${index}` } })
  }
  await server
    .visitor()
    .applianceSession.signIn({ body: { email: account.email, password: 'wrong', staySignedIn: false } })

  await page.goto(server.url)
  await page.getByRole('link', { name: 'Audit log' }).click()
  const list = page.getByRole('grid', { name: 'Entries' })
  const rows = list.locator('[data-index]')
  await expect(rows.first()).toContainText('could not sign in with a password')
  await expect(rows.first()).toContainText('Failed')
  await expectFew(rows, 100)
  await expectAccessible(page)

  await expect(list).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.press('End')
  await expect(page.getByText(/^1\d\d entries$/)).toBeVisible()
  await page.keyboard.press('End')
  await expect(rows.filter({ hasText: 'The server started' })).toBeVisible()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const details = page.getByRole('complementary', { name: /^Entry \d+$/ })
  await expect(details).toContainText('Tokens and keys')
  await expect(details.getByRole('heading', { name: 'created the access token token 119' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(details.getByRole('heading', { name: 'created the access token token 118' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(details).toBeHidden()
  await expect(list).toBeFocused()

  await page.getByRole('combobox', { name: 'Kind' }).selectOption('Sign-ins: all')
  await page.getByRole('button', { name: 'Failures only' }).click()
  await expect(rows).toHaveCount(1)
  await expect(page).toHaveURL(/kind=sign-in&failures=1$/)
  const lines = await exported(page, 'JSON lines')
  expect(lines.name).toMatch(/^audit-log-.*\.jsonl$/)
  expect(lines.text.trim().split('\n')).toHaveLength(1)

  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('searchbox', { name: 'Person' }).fill('=cmd|calc')
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('<img src=x onerror=alert(1)>⟨U+202E⟩gpj.exe')
  const table = await exported(page, 'CSV')
  expect(table.name).toMatch(/^audit-log-.*\.csv$/)
  expect(table.text.trim().split('\r\n')).toHaveLength(2)
  expect(table.text).toContain(`"'${hostile}"`)
  await page.getByRole('searchbox', { name: 'Person' }).fill('nobody at all')
  await expect(page.getByRole('heading', { name: 'No entry matches' })).toBeVisible()

  const chain = page.getByRole('region', { name: 'State of the log' })
  await chain.getByRole('button', { name: 'Check now' }).click()
  await expect(chain.getByText(/^Unbroken: 1\d\d entries since .*, checked (now|\d+s ago)$/)).toBeVisible()
})
