import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { addServerAccount } from '../support/people.ts'
import { account, integrator, signInTo } from '../support/server.ts'
import { expect, expectAccessible, follow, test } from './support/fixtures.ts'

const codeOf = (sharedKey: string) => TOTP.generate({ secret: Secret.fromBase32(sharedKey) })

async function openAccount(page: Page, url: string) {
  await page.goto(`${url}/devices`)
  await page.getByRole('button', { name: /Account menu/ }).press('Enter')
  await page.getByRole('menuitem', { name: 'Your account' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your account')
}

test('a person who is asked for a second factor turns it on, saves the recovery codes and signs in with the app', async ({
  page,
  server,
  owner,
}) => {
  const program = await addServerAccount(owner)
  const { tenantId } = owner
  const require = (at: number) =>
    program.applianceOrganization.setSecondFactor({ tenantId, body: { requiredFrom: new Date(at).toISOString() } })
  await require(Date.now() + 86_400_000)
  await page.goto(`${server.url}/devices`)
  const line = page.getByRole('region', { name: 'Set up a second factor' })
  await expect(line).toContainText('Your organization requires a second factor from')
  await expectAccessible(page)
  await require(Date.now())
  await line.getByRole('link', { name: 'Set up' }).click()
  // The requests of the account page are rejected now.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Set up a second factor')
  await expect(page.getByRole('button', { name: 'Continue' })).toBeDisabled()
  await expectAccessible(page)
  const section = page.getByRole('region', { name: 'Two-factor authentication' })
  await section.getByRole('button', { name: 'Turn on' }).click()
  const setup = page.getByRole('dialog', { name: 'Turn on two-factor authentication' })
  await expect(setup.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const key = (await setup.locator('code').innerText()).replaceAll(' ', '')
  await expect(setup.getByLabel('Code from the app')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await expect(setup.getByText('This code is wrong.')).toBeVisible()
  await setup.getByLabel('Code from the app').fill(codeOf(key))
  await page.keyboard.press('Enter')

  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  await expectAccessible(page)
  await codes.getByRole('button', { name: 'Done' }).click()
  await expect(codes.getByRole('alert')).toContainText('Not copied, printed or downloaded yet')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    codes.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('recovery-codes.txt')
  const first = await codes.getByRole('listitem').first().innerText()
  await codes.getByRole('button', { name: 'Done' }).press('Enter')
  await expect(codes).toBeHidden()
  await expect(section).toContainText('10 recovery codes left.')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your account')
  await follow(page, '/settings')
  await expect(page.getByRole('radio', { name: 'Required', exact: true })).toBeChecked()
  await expect(page.getByText('Everybody who signs in with a password has one.')).toBeVisible()
  await page.getByRole('radio', { name: 'Each person decides' }).click()
  await page.getByRole('region', { name: 'Sign-in' }).getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => program.applianceOrganization.secondFactor({ tenantId }))
    .toMatchObject({ requiredFrom: null })

  const body = { email: account.email, password: account.password }
  expect(await server.visitor().applianceSession.signIn({ body })).toMatchObject({ requiresTwoFactor: true })
  const withCode = { ...body, twoFactorRecoveryCode: first }
  expect((await server.visitor().applianceSession.signIn({ body: withCode })).user).not.toBeNull()
})

test(
  'a forgotten session is ended from the list of sign-ins; an access token is created with chosen rights, shown once, renamed and revoked',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const forgotten = await signInTo(server.url)
    await openAccount(page, server.url)
    const list = page.getByRole('list', { name: 'Where you are signed in' })
    // The session that registered, this one, and the forgotten one.
    await expect(list.getByRole('listitem')).toHaveCount(3)
    await expect(list.getByRole('listitem').first()).toContainText('This session')
    await expectAccessible(page)
    await list.getByRole('button', { name: 'End node' }).first().press('Enter')
    await expect(list.getByRole('listitem')).toHaveCount(2)
    await page.getByRole('button', { name: 'End all others' }).click()
    await expect(list.getByRole('listitem')).toHaveCount(1)
    await expect(forgotten.auth.me({})).rejects.toMatchObject({ status: 401 })

    const section = page.getByRole('region', { name: 'Access tokens' })
    await section.getByRole('button', { name: 'New access token' }).click()
    const form = page.getByRole('dialog', { name: 'New access token' })
    const longName = `Nightly export ${'of everything '.repeat(12)}`.trim()
    await form.getByLabel('Name', { exact: true }).fill(longName)
    await form.getByLabel('See people', { exact: true }).focus()
    await page.keyboard.press('Space')
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Create token' }).click()

    const made = page.getByRole('dialog', { name: 'Your new access token' })
    const token = await made.getByLabel('Access token').innerText()
    await expect(made.getByLabel('Command with the token')).toHaveText(
      `curl -H 'x-personal-token: ${token}' ${server.url}/api/auth/me`,
    )
    await made.getByRole('button', { name: 'Copy token' }).click()
    await made.getByRole('button', { name: 'Done' }).click()
    const program = integrator(server.url, { 'x-personal-token': token })
    await program.users.list({ tenantId: owner.tenantId })
    await expect(
      program.tags.list({ tenantId: owner.tenantId, query: { includeLinkedIds: false } }),
    ).resolves.toBeDefined()

    const row = section.getByRole('listitem')
    await expect(row).toContainText('1 right')
    await row.getByRole('button', { name: `Rename ${longName}` }).click()
    const renaming = page.getByRole('dialog')
    await expect(renaming.getByLabel('Name')).toBeFocused()
    await expectAccessible(page)
    await renaming.getByLabel('Name').fill('Weekly export')
    await page.keyboard.press('Enter')
    await expect(row.getByText('Weekly export', { exact: true })).toBeVisible()
    await expect(row).not.toContainText(longName)
    await row.getByRole('button', { name: 'Revoke Weekly export' }).press('Enter')
    const question = page.getByRole('dialog', { name: 'Revoke this access token?' })
    await question.getByRole('button', { name: 'Revoke' }).click()
    await expect(row).toHaveCount(0)
    await expect(program.users.list({ tenantId: owner.tenantId })).rejects.toMatchObject({ status: 401 })
  },
)

test(
  'theme and language of dates follow the person to another browser',
  { tag: '@night' },
  async ({ page, server, owner, browser }) => {
    await openAccount(page, server.url)
    await page.getByRole('region', { name: 'Preferences' }).getByText('Dark', { exact: true }).click()
    await page.getByLabel('Language of dates').selectOption('de-DE')
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await expect(page.getByRole('list', { name: 'Where you are signed in' })).toContainText('jetzt')
    const stored = (name: string) => owner.userPreferences.get({ tenantId: owner.tenantId, params: { name } })
    await expect.poll(async () => (await stored('theme-mode'))?.value).toBe('Dark')

    const elsewhere = await browser.newPage({ colorScheme: 'light' })
    await elsewhere.goto(`${server.url}/sign-in`)
    await elsewhere.getByLabel('Email').fill(account.email)
    await elsewhere.getByLabel('Password', { exact: true }).fill(account.password)
    await elsewhere.keyboard.press('Enter')
    await expect(elsewhere.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await elsewhere.close()
  },
)
