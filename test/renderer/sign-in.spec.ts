import type { Page } from '@playwright/test'
import { systemClock } from '../../server/ground/clock.ts'
import { linkIn, startMailServer } from '../support/mail.ts'
import { addMember } from '../support/people.ts'
import { account, type TestServer } from '../support/server.ts'
import { appCode, enableTwoFactor } from '../support/totp.ts'
import { expect, expectAccessible, test as base } from './support/fixtures.ts'

const next = 'Newer-Horse-8'

/** Server whose accounts may have a second factor, with its mail server. */
const test = base.extend<{ mail: Awaited<ReturnType<typeof startMailServer>> }>({
  // oxlint-disable-next-line no-empty-pattern
  mail: async ({}, use) => {
    const mail = await startMailServer()
    await use(mail)
    await mail.close()
  },
  serverOptions: ({ mail }, use) =>
    use({ settings: { ...mail.settings, AppOptions__EnableInteractiveBearerLogin: 'true' } }),
})

async function fillPassword(page: Page, server: TestServer, email: string, password: string) {
  await page.goto(`${server.url}/sign-in?returnUrl=/deploy`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('an account with a second factor is asked for its code', async ({ page, server }) => {
  const { sharedKey } = await enableTwoFactor(await server.owner(), systemClock)
  await fillPassword(page, server, account.email, account.password)
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
  await expect(page.getByLabel('Code')).toBeFocused()
  await expectAccessible(page)
  await page.getByLabel('Code').fill('000 000')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('This code is wrong or was used before.')).toBeVisible()
  // The current code was used to turn the second factor on.
  await page.getByLabel('Code').fill(appCode(sharedKey, systemClock, 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(`${server.url}/deploy`)
})

test('a recovery code takes the place of the code of the app', { tag: '@night' }, async ({ page, server }) => {
  const { recoveryCodes } = await enableTwoFactor(await server.owner(), systemClock)
  await fillPassword(page, server, account.email, account.password)
  await page.getByLabel('Code').fill(recoveryCodes[0]!.toLowerCase())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(`${server.url}/deploy`)
})

test(
  'a sign-in while the sign-out still runs begins a session that stays',
  { tag: '@night' },
  async ({ page, server }) => {
    await server.owner()
    await fillPassword(page, server, account.email, account.password)
    await expect(page).toHaveURL(`${server.url}/deploy`)
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/api/auth/logout', async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: /Account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    const loggedOut = page.waitForResponse('**/api/auth/logout')
    const signedIn = page.waitForResponse('**/api/appliance/v1/session')
    await page.getByRole('button', { name: 'Sign in' }).click()
    release()
    await Promise.all([loggedOut, signedIn])
    await expect(page).toHaveURL(`${server.url}/home`)
    await page.reload()
    await expect(page.getByRole('button', { name: /Account menu/ })).toBeVisible()
  },
)

test('a password set by an administrator must be changed at sign-in', { tag: '@night' }, async ({ page, server }) => {
  const owner = await server.owner()
  const { user } = await addMember(server, owner.tenantId, [])
  const reset = await owner.users.resetPassword({ tenantId: owner.tenantId, params: { userId: user.id } })
  await fillPassword(page, server, user.email, reset.temporaryPassword)
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
  await expectAccessible(page)
  const change = page.getByRole('button', { name: 'Change password' })
  await page.getByLabel('New password', { exact: true }).fill(reset.temporaryPassword)
  await expect(page.getByText('Choose another password than the current one.')).toBeVisible()
  await expect(change).toBeDisabled()
  await page.getByLabel('New password', { exact: true }).fill(next)
  await change.click()
  await expect(page).toHaveURL(`${server.url}/deploy`)
  await server.signIn({ email: user.email, password: next })
})

test(
  'with a second factor, both the password change and the next sign-in ask for it',
  { tag: '@night' },
  async ({ page, server }) => {
    const owner = await server.owner()
    const member = await addMember(server, owner.tenantId, [])
    const { recoveryCodes } = await enableTwoFactor(member, systemClock)
    const { id, email } = member.user
    const reset = await owner.users.resetPassword({ tenantId: owner.tenantId, params: { userId: id } })
    await fillPassword(page, server, email, reset.temporaryPassword)
    await page.getByLabel('New password', { exact: true }).fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByLabel('Code')).toBeFocused()
    await expectAccessible(page)
    await page.getByLabel('Code').fill(recoveryCodes[0]!)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
    await page.getByLabel('Code').fill(recoveryCodes[1]!)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(`${server.url}/deploy`)
  },
)

test('a forgotten password is reset by a mailed link that works once', async ({ page, server, mail }) => {
  await server.owner()
  await page.request.get(linkIn(await mail.next(account.email)).href)
  await page.goto(`${server.url}/sign-in`)
  await page.getByRole('link', { name: 'Trouble signing in?' }).click()
  await expect(page).toHaveURL(`${server.url}/sign-in/help`)
  await page.getByLabel('Email').fill(account.email)
  await page.getByRole('button', { name: 'Send a link for a new password' }).click()
  await expect(page.getByRole('status')).toContainText('Look into your mailbox')
  await expectAccessible(page)

  const { href } = linkIn(await mail.next(account.email))
  const submit = page.getByRole('button', { name: 'Set the password' })
  const fill = async () => {
    await page.goto(href)
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('New password', { exact: true }).fill(next)
    await submit.click()
  }
  await fill()
  await expect(page.getByText('Your password is changed. Sign in with it now.')).toBeVisible()
  await expect(page).toHaveURL(/\/sign-in$/)
  await server.signIn({ password: next })
  await fill()
  await expect(page.getByRole('alert')).toContainText('This link is not valid')
  await expectAccessible(page)
})

test(
  'visitors see the theme of the server, and a person that of the system again',
  { tag: '@night' },
  async ({ page, server }) => {
    await server.owner()
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(server.url)
    const html = page.locator('html')
    await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await page.reload()
    await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('navigation').first()).toBeVisible()
    await expect(html).toHaveAttribute('data-mantine-color-scheme', 'light')
  },
)
