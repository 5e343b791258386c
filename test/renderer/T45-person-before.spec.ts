import type { Page } from '@playwright/test'
import { addUser } from '../support/people.ts'
import { account } from '../support/server.ts'
import { expect, test } from './support/fixtures.ts'

async function signOut(page: Page) {
  await page.getByRole('button', { name: /Account menu/ }).click()
  const signedOut = page.waitForResponse('**/api/auth/logout')
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signedOut
  await expect(page).toHaveURL(/\/sign-in$/)
}

test.beforeEach(async ({ page, server, owner }) => {
  await owner.deviceGroups.create({ tenantId: owner.tenantId, body: { name: 'Pilot' } })
  await page.goto(`${server.url}/organize/groups`)
  await page.getByRole('row').filter({ hasText: 'Pilot' }).click()
  await page.getByRole('button', { name: 'Delete Pilot' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Pilot is deleted.' })).toBeVisible()
})

test(
  'after a sign-out the page of visitors shows no message of the person who left',
  { tag: '@night' },
  async ({ page }) => {
    await signOut(page)
    await expect(page.getByLabel('Email')).toBeVisible()
    await expect(page.getByText('Pilot')).toHaveCount(0, { timeout: 5_000 })
  },
)

test(
  'a deletion that fails at the sign-out is reported on the page of visitors, without a name',
  { tag: '@night' },
  async ({ page }) => {
    await page.route('**/api/v1/device-groups/*', (route) => route.fulfill({ status: 503 }))
    await signOut(page)
    await expect(page.getByRole('alert').filter({ hasText: 'could not be deleted, and is still there.' })).toBeVisible()
    await expect(page.getByText('Pilot')).toHaveCount(0)
  },
)

test('what a person deletes before a sign-out is deleted in the name of that person', async ({
  page,
  server,
  owner,
}) => {
  const [second, reader] = [
    await addUser(server, owner, ['Tenant Administrator']),
    await addUser(server, owner, ['Tenant Administrator']),
  ]
  await signOut(page)
  await page.getByLabel('Email').fill(second.user.email)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/home$/)
  const { tenantId } = owner
  await expect.poll(async () => (await reader.deviceGroups.list({ tenantId })).items).toEqual([])
  const { items } = await reader.applianceAuditLog.list({ tenantId, query: {} })
  const deletion = items.find(({ kind }) => kind === 'change.device-group-deleted')
  expect(deletion?.actorName).toBe(owner.user.email)
})
