import type { Page } from '@playwright/test'
import { manualClock } from '../support/clock.ts'
import { account } from '../support/server.ts'
import { appCode, enableTwoFactor } from '../support/totp.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const next = 'Newer-Horse-8'
const clock = manualClock()

test.use({ serverOptions: { clock, settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } } })

const passTenMinutes = () => clock.advance(10 * 60_000 + 1)

/** Starts an action that needs recent authentication. */
async function changePassword(page: Page) {
  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill(account.password)
  await page.getByLabel('New password', { exact: true }).fill(next)
  await page.getByRole('button', { name: 'Change password' }).click()
}

const question = (page: Page) => page.getByRole('dialog', { name: 'Confirm your identity' })

test('an action that needs a recent proof continues after the password', async ({ page, server, owner }) => {
  await page.goto(`${server.url}/deploy`)
  passTenMinutes()
  await changePassword(page)
  const password = question(page).getByLabel(`Password of ${owner.user.email}`)
  await expect(password).toBeFocused()
  await expectAccessible(page)
  const confirm = question(page).getByRole('button', { name: 'Confirm' })
  await password.fill('Wrong-Horse-7')
  await confirm.click()
  await expect(question(page).getByText('The password is wrong.')).toBeVisible()
  await password.fill(account.password)
  await confirm.click()
  await expect(page.getByText('Your password is changed. Other sessions have ended.')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await server.signIn({ password: next })
})

test('canceling the confirmation keeps the typed text', { tag: '@night' }, async ({ page, server, owner: _ }) => {
  await page.goto(`${server.url}/devices`)
  passTenMinutes()
  await changePassword(page)
  await expect(question(page).getByLabel(/Password of/)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(question(page)).toBeHidden()
  await expect(page.getByRole('alert')).toContainText('Nothing was changed')
  await expect(page.getByLabel('Current password')).toHaveValue(account.password)
  await expect(page.getByLabel('New password', { exact: true })).toHaveValue(next)
  await page.getByRole('button', { name: 'Change password' }).click()
  await question(page)
    .getByLabel(/Password of/)
    .fill(account.password)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Your password is changed. Other sessions have ended.')).toBeVisible()
})

test('with a second factor, a code confirms too', { tag: '@night' }, async ({ page, server, owner }) => {
  const { sharedKey } = await enableTwoFactor(owner, clock)
  await page.goto(`${server.url}/devices`)
  passTenMinutes()
  await changePassword(page)
  await question(page).getByRole('button', { name: 'Use a code instead' }).click()
  await expect(question(page).getByLabel('Code')).toBeFocused()
  await expectAccessible(page)
  await question(page).getByLabel('Code').fill(appCode(sharedKey, clock))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Your password is changed. Other sessions have ended.')).toBeVisible()
})
