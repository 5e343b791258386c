import type { Page } from '@playwright/test'
import { addUser } from '../support/people.ts'
import { account } from '../support/server.ts'
import { expect, expectAccessible, freshPageTest as test } from './support/fixtures.ts'

test('the first visitor creates an account, and registration closes', { tag: '@night' }, async ({ page, server }) => {
  await page.goto(`${server.url}/devices`)
  await expect(page).toHaveURL(/\/welcome$/)
  await expectAccessible(page)
  await expect(page.getByText('Already have an account?')).toHaveCount(0)
  const create = page.getByRole('button', { name: 'Create account' })
  await page.getByLabel('Organization name').fill(account.organizationName)
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await expect(page.getByText('a digit, not met yet')).toBeAttached()
  await expect(create).toBeDisabled()
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await expect(page.getByText('a digit, met')).toBeAttached()
  await create.click()
  await expect(page).toHaveURL(/\/first-steps$/)
  await expect(page).toHaveTitle('First steps · Farhand')

  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/sign-in$/)
  await page.goto(`${server.url}/welcome`)
  await expect(page).toHaveURL(/\/sign-in$/)
})

test(
  'a first visitor from another computer is asked for the setup code',
  { tag: '@night' },
  async ({ page, server }) => {
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.7' })
    await page.goto(`${server.url}/welcome`)
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    const create = page.getByRole('button', { name: 'Create account' })
    await create.click()
    const code = page.getByLabel('Setup code')
    await expect(page.getByText('Enter the setup code of this server')).toBeVisible()
    await expect(create).toBeDisabled()
    await code.fill('AAAAA-AAAAA')
    await create.click()
    await expect(page.getByText('This is not the setup code.')).toBeVisible()
    await expectAccessible(page)
    await code.fill(server.setupCode ?? '')
    await create.click()
    await expect(page).toHaveURL(/\/first-steps$/)
  },
)

async function signIn(page: Page, password = account.password) {
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('signing in opens the page that was asked for, none of another host, and locks the account after wrong passwords', async ({
  page,
  context,
  server,
}) => {
  await server.owner()
  await page.goto(`${server.url}/devices?show=online`)
  await expect(page).toHaveURL(/\/sign-in\?returnUrl=/)
  await expectAccessible(page)
  await signIn(page)
  await expect(page).toHaveURL(/\/devices\?show=online$/)

  await context.clearCookies()
  await page.goto(`${server.url}/sign-in?returnUrl=//evil.example/`)
  await signIn(page)
  await expect(page).toHaveURL(`${server.url}/home`)

  await context.clearCookies()
  await page.goto(`${server.url}/sign-in`)
  await signIn(page, 'Wrong-Horse-7')
  await expect(page.getByText('Email or password is wrong.')).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveValue(account.email)
  await expect(async () => {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByText('This account is locked for a few minutes')).toBeVisible({ timeout: 500 })
  }).toPass()
  await expectAccessible(page)
})

test('a server that does not answer is reported', { tag: '@night' }, async ({ page, server }) => {
  await server.owner()
  await page.goto(`${server.url}/sign-in`)
  await page.route('**/session', (route) => route.abort())
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert')).toContainText('The server is not responding')
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(account.password)

  // As behind a proxy that serves the server below a path: the files of the page are not there.
  await page.route(/\/assets\//, (route) => route.fulfill({ status: 404 }))
  await page.reload()
  await expect(page.getByText('Its page works only at the root of an address')).toBeVisible()
})

/** Signs in again on the page of an expired session. */
async function signInAgain(page: Page, { email, password } = account) {
  const dialog = page.getByRole('dialog', { name: 'Sign in' })
  await expect(dialog.getByText('Your session has ended. Sign in again, and the page is as you left it.')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel('Email').fill(email)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

test('an ended session is reported; signing in restores the page, or retries the request that noticed it', async ({
  page,
  server,
  owner,
}) => {
  const fillPasswords = async (current: string, next: string) => {
    await page.getByRole('button', { name: /Account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Change password' }).click()
    // The form focuses its first field a moment after it is shown.
    await expect(page.getByLabel('Current password')).toBeFocused()
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password', { exact: true }).fill(next)
  }
  const change = page.getByRole('button', { name: 'Change password' })
  const dialog = page.getByRole('dialog', { name: 'Sign in' })
  const password = 'Newer-Horse-8'
  await page.goto(`${server.url}/devices?show=online`)
  await expect(page.getByRole('heading', { name: 'Devices' })).toBeVisible()
  await fillPasswords(account.password, password)
  await owner.auth.logout({})
  await expect(dialog.getByLabel('Email')).toHaveValue(account.email)
  await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await signInAgain(page)
  await expect(page).toHaveURL(`${server.url}/devices?show=online`)
  await expect(dialog).toBeHidden()
  await expect(page.getByLabel('Current password')).toHaveValue(account.password)
  await change.click()
  await expect(page.getByText('Your password is changed. Other sessions have ended.')).toBeVisible()

  // A page without own requests: another request would notice the expired session first.
  await page.goto(`${server.url}/batches`)
  await expect(page.getByRole('heading', { name: 'No bulk jobs yet' })).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await fillPasswords(password, 'Newest-Horse-9')
  await page.route('**/hubs/**', (route) => route.abort())
  await page.context().clearCookies()
  await change.click()
  await signInAgain(page, { ...account, password })
  await expect(page.getByText('Your password is changed. Other sessions have ended.')).toBeVisible()
})

test('another person who signs in there gets a fresh page', { tag: '@night' }, async ({ page, server, owner }) => {
  const other = await addUser(server, owner)
  await page.goto(`${server.url}/deploy`)
  await expect(page.getByRole('heading', { name: 'Run this on the device' })).toBeVisible()
  await owner.auth.logout({})
  await signInAgain(page, { ...account, email: other.user.email })
  await expect(page).toHaveURL(`${server.url}/home`)
  await expect(page.getByRole('button', { name: `Account menu of ${other.user.email}` })).toBeVisible()
})

test('a page starts afresh when another person signs in in another tab', async ({ page, context, server, owner }) => {
  const other = await addUser(server, owner)
  await page.goto(`${server.url}/batches`)
  await expect(page.getByRole('button', { name: `Account menu of ${owner.user.email}` })).toBeVisible()
  const tab = await context.newPage()
  await tab.goto(`${server.url}/sign-in`)
  await tab.getByLabel('Email').fill(other.user.email)
  await tab.getByLabel('Password', { exact: true }).fill(account.password)
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(`${server.url}/home`)
  await expect(page.getByRole('button', { name: `Account menu of ${other.user.email}` })).toBeVisible()
})
