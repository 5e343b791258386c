import type { Page } from '@playwright/test'
import { providerSettings, startIdentityProvider } from '../support/identity-provider.ts'
import { namedUrl } from '../support/passkeys.ts'
import { account, type TestServer } from '../support/server.ts'
import { expect, expectAccessible, freshPageTest as base } from './support/fixtures.ts'
import { chooseByKeys, pressOn, tabTo } from './support/keys.ts'

/** A server with a real identity provider in a process of its own. */
const test = base.extend<{ provider: Awaited<ReturnType<typeof startIdentityProvider>> }>({
  // oxlint-disable-next-line no-empty-pattern
  provider: async ({}, use) => {
    const provider = await startIdentityProvider()
    await use(provider)
    await provider.stop()
  },
  serverOptions: ({ provider }, use) => use({ settings: providerSettings('A', provider.issuer, { Label: 'Example' }) }),
})

/** An authenticator of the browser that answers by itself. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  })
  return {
    /** Whether the authenticator answers the menu of the address field by itself. */
    answer: (enabled: boolean) => session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  }
}

async function signInByPassword(page: Page, server: TestServer) {
  await page.goto(`${namedUrl(server)}/sign-in`)
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(account.email)
  await tabTo(page, page.getByLabel('Password', { exact: true }))
  await page.keyboard.type(account.password)
  await pressOn(page, page.getByRole('button', { name: 'Sign in', exact: true }))
  await expect(page).toHaveURL(/\/home$/)
}

async function openAccount(page: Page) {
  await chooseByKeys(page, page.getByRole('button', { name: /Account menu/ }), 'Your account')
  await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible()
}

async function signOut(page: Page) {
  await chooseByKeys(page, page.getByRole('button', { name: /Account menu/ }), 'Sign out')
  await expect(page).toHaveURL(/\/sign-in/)
}

base(
  'by keyboard alone, a passkey is added on the account page, signs in by its button and by the address field, and is removed',
  async ({ page, server }) => {
    await server.owner()
    const authenticator = await addAuthenticator(page)
    await signInByPassword(page, server)
    await openAccount(page)
    const section = page.getByRole('region', { name: 'Passkeys' })
    await pressOn(page, section.getByRole('button', { name: 'Add a passkey' }))
    await expect(page.getByRole('dialog').getByLabel('Name')).toBeFocused()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('Work laptop')
    await page.keyboard.press('Enter')
    await expect(section.getByText('Work laptop')).toBeVisible()
    await expect(section.getByText('Never used')).toBeVisible()
    await expectAccessible(page)

    await authenticator.answer(false)
    await signOut(page)
    await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeVisible()
    await expectAccessible(page)
    await tabTo(page, page.getByRole('button', { name: 'Sign in with a passkey' }))
    // Any earlier, it would answer the menu of the address field first.
    await authenticator.answer(true)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/home$/)

    // The menu of the address field: chosen by the authenticator without any click.
    const answered = page.waitForResponse('**/api/appliance/v1/sign-in/passkey')
    await chooseByKeys(page, page.getByRole('button', { name: /Account menu/ }), 'Sign out')
    await answered
    await expect(page).toHaveURL(/\/home$/)

    await openAccount(page)
    await expect(section.getByText('Last used')).toBeVisible()
    await pressOn(page, section.getByRole('button', { name: 'Remove Work laptop' }))
    await pressOn(page, page.getByRole('button', { name: 'Remove passkey' }))
    await expect(section.getByText('You have no passkey yet.')).toBeVisible()
  },
)

test(
  'at an IP address, the account page says where passkeys work',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    await page.goto(`${server.url}/devices`)
    await openAccount(page)
    const section = page.getByRole('region', { name: 'Passkeys' })
    await expect(section.getByText(`Open ${namedUrl(server)} in a browser to add one.`)).toBeVisible()
    await expect(section.getByRole('button', { name: 'Add a passkey' })).toHaveCount(0)
    // The page of visitors asks for the ways in while the sign-out is under way, for the first time in this visit.
    await signOut(page)
    await expect(page.getByRole('button', { name: 'Sign in with Example' })).toBeVisible()
  },
)

async function answerAtProvider(page: Page, name: string) {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test(
  'by keyboard alone, an account at a provider is linked; it signs in from then on, and not before',
  { tag: '@night' },
  async ({ page, server }) => {
    await server.owner()
    const offered = page.waitForResponse('**/api/appliance/v1/sign-in/passkey/options')
    await page.goto(`${namedUrl(server)}/sign-in?returnUrl=/deploy`)
    await offered
    // This browser has no authenticator: the menu that nobody opened reports nothing.
    await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeVisible()
    await expectAccessible(page)
    await expect(page.getByRole('alert')).toHaveCount(0)
    await pressOn(page, page.getByRole('button', { name: 'Sign in with Example' }))
    await answerAtProvider(page, 'ada')
    await expect(page.getByRole('heading', { name: 'This account is not linked' })).toBeVisible()
    await expect(page.getByText('Nobody here has linked ada@example.org.')).toBeVisible()
    await expectAccessible(page)
    await pressOn(page, page.getByRole('link', { name: 'Back to sign in' }))

    await signInByPassword(page, server)
    await openAccount(page)
    await pressOn(page, page.getByRole('button', { name: 'Link Example' }))
    await page.getByRole('button', { name: 'Continue' }).click()
    const section = page.getByRole('region', { name: 'Linked accounts' })
    await expect(section.getByText('ada@example.org')).toBeVisible()
    await expectAccessible(page)

    await signOut(page)
    await page.goto(`${namedUrl(server)}/sign-in?returnUrl=/deploy`)
    await pressOn(page, page.getByRole('button', { name: 'Sign in with Example' }))
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page).toHaveURL(/\/deploy$/)
  },
)

test(
  'a provider that is down is named with what to do, and the password still signs in',
  { tag: '@night' },
  async ({ page, server, provider }) => {
    await server.owner()
    await provider.stop()
    await page.goto(`${namedUrl(server)}/sign-in`)
    await pressOn(page, page.getByRole('button', { name: 'Sign in with Example' }))
    await expect(page.getByRole('alert')).toContainText('Example cannot be reached from this server.')
    await expectAccessible(page)
    await signInByPassword(page, server)
  },
)
