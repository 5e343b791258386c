import type { Page } from '@playwright/test'
import { systemClock } from '../../server/ground/clock.ts'
import { runAccountCommand, temporaryPasswordIn } from '../support/account-command.ts'
import { linkIn, startMailServer } from '../support/mail.ts'
import { account, startTestServer } from '../support/server.ts'
import { enableTwoFactor } from '../support/totp.ts'
import { expect, expectAccessible, test as base } from './support/fixtures.ts'
import { tabTo } from './support/keys.ts'

const next = 'Newer-Horse-8'
const guestEmail = 'grace@example.org'

const bearer = { AppOptions__EnableInteractiveBearerLogin: 'true' }

const test = base.extend<{ mail: Awaited<ReturnType<typeof startMailServer>> }>({
  // oxlint-disable-next-line no-empty-pattern
  mail: async ({}, use) => {
    const mail = await startMailServer()
    await use(mail)
    await mail.close()
  },
})

const withMail = test.extend({
  serverOptions: ({ mail }, use) => use({ settings: mail.settings }),
})

withMail(
  'by keyboard alone, an invitation is accepted from its mail, and says so when it is opened again',
  async ({ page, server, mail }) => {
    const owner = await server.owner()
    await owner.invites.create({ tenantId: owner.tenantId, body: { inviteeEmail: guestEmail } })
    const { href } = linkIn(await mail.next(guestEmail))
    await page.goto(href)
    await expect(page.getByRole('heading', { name: `Join ${account.organizationName}` })).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue(guestEmail)
    await expectAccessible(page)
    await expect(page.getByLabel('Your name')).toBeFocused()
    await page.keyboard.type('Grace Hopper')
    await tabTo(page, page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(next)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${server.url}/home`)
    await expect(page.getByRole('button', { name: 'Account menu of Grace Hopper' })).toBeVisible()

    await page.goto(href)
    await expect(page.getByRole('heading', { name: 'This invitation was accepted already' })).toBeVisible()
    await expectAccessible(page)
    await page.goto(`${server.url}/invite-confirmation/nothing`)
    await expect(page.getByRole('heading', { name: 'This invitation does not work' })).toBeVisible()
  },
)

withMail(
  'somebody whose confirmation mail was lost gets another one',
  { tag: '@night' },
  async ({ page, server, mail }) => {
    await server.owner()
    await mail.next(account.email)
    await page.goto(`${server.url}/sign-in`)
    await page.getByLabel('Email').fill(account.email)
    await page.getByRole('link', { name: 'Trouble signing in?' }).click()
    await expect(page.getByLabel('Email')).toHaveValue(account.email)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'My address is not confirmed' }).click()
    await page.getByRole('button', { name: 'Send the confirmation again' }).click()
    await expect(page.getByRole('status')).toContainText('Look into your mailbox')
    expect(linkIn(await mail.next(account.email)).pathname).toBe('/api/appliance/v1/email-confirmation')
  },
)

test('without mail, the page names the helpers and the command, and the command lets the only administrator back in', async ({
  page,
  place,
}) => {
  const server = await startTestServer({ listenOn: place.address, settings: bearer })
  await enableTwoFactor(await server.owner(), systemClock)
  await page.goto(`${server.url}/sign-in`)
  await page.getByLabel('Email').fill(account.email)
  await page.getByRole('link', { name: 'Trouble signing in?' }).click()
  await expect(page.getByText('This server sends no mail, so nobody gets a link.')).toBeVisible()
  await expect(page.getByLabel('Command').first()).toHaveText(
    `node dist/server/main.js account reset-password ${account.email}`,
  )
  await expect(page.getByRole('button', { name: /Send/ })).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'My codes are not accepted' }).click()
  await expect(page.getByText(/The clock of the server says \d/)).toBeVisible()

  const reset = await runAccountCommand(server.directory, 'reset-password', account.email)
  await runAccountCommand(server.directory, 'disable-two-factor', account.email)
  await page.getByRole('link', { name: 'Back to sign in' }).click()
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(temporaryPasswordIn(reset.stdout))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
  await page.getByLabel('New password', { exact: true }).fill(next)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${server.url}/home`)
  await expect(page.getByRole('region', { name: 'Changes to your account' })).toContainText(
    `Somebody at the computer of this server reset the password of ${account.email}.`,
  )
  await server.stop()
})

async function signOut(page: Page) {
  await page.getByRole('button', { name: /Account menu/ }).click()
  const signedOut = page.waitForResponse('**/api/auth/logout')
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signedOut
}

test(
  'the first steps follow the first account and resume at the last open step',
  { tag: '@night' },
  async ({ page, server }) => {
    await page.goto(server.url)
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page).toHaveURL(`${server.url}/first-steps`)
    await expect(page.getByRole('region', { name: 'Protect your account' })).toContainText('Step 1 of 5')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Skip', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Serve your network' })).toBeVisible()
    await signOut(page)

    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: 'First steps' })).toContainText('step 2 of 5')
    await page.getByRole('link', { name: 'Continue setup' }).click()
    await expect(page.getByRole('region', { name: 'Serve your network' })).toBeVisible()
    await page.getByRole('link', { name: 'Open the network page' }).click()
    await expect(page).toHaveURL(`${server.url}/network`)
    await page.getByRole('link', { name: 'Continue setup' }).click()
    // Opening the page of a step does not finish the step.
    await expect(page.getByRole('region', { name: 'Serve your network' })).toBeVisible()
    await page.getByRole('button', { name: 'Skip', exact: true }).click()
    await page.getByRole('button', { name: 'Use no limit' }).click()
    await page
      .getByRole('region', { name: 'Allow files of any size' })
      .getByRole('button', { name: 'Continue' })
      .click()
    await expect(page.getByRole('region', { name: 'Set up backups' })).toBeVisible()
    // A step that is done is not asked for again.
    await page.getByRole('button', { name: 'Serve your network' }).click()
    await page.getByRole('button', { name: 'Skip', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Set up backups' })).toBeVisible()
    await page.getByRole('button', { name: 'Skip', exact: true }).click()
    await page.getByRole('link', { name: 'Open Deploy' }).click()
    await expect(page.getByRole('heading', { name: 'Deploy', exact: true })).toBeVisible()
    await expect(page.getByRole('region', { name: 'First steps' })).toHaveCount(0)
    await page.goto(`${server.url}/first-steps`)
    await page.getByRole('button', { name: 'Add the first device' }).click()
    await page.getByRole('button', { name: 'Finish' }).click()
    await expect(page).toHaveURL(`${server.url}/home`)
    await expect(page.getByRole('region', { name: 'First steps' })).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('button', { name: /Account menu/ })).toBeVisible()
    await expect(page.getByRole('region', { name: 'First steps' })).toHaveCount(0)
  },
)

test(
  'a guest of a link reads their name, the rights of the link and its end',
  { tag: '@night' },
  async ({ page, owner, enroll }) => {
    const [device] = await enroll(1)
    const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
      body: {
        tenantId: owner.tenantId,
        deviceId: device!.id,
        userCorrelationId: 'crm-9',
        userDisplayName: 'Maria from support',
        expirationMinutes: 30,
      },
    })
    await page.context().clearCookies()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(deviceAccessUrl)
    const line = page.getByRole('region', { name: 'Your visit' })
    await expect(page.getByRole('button', { name: 'Account menu of Maria from support' })).toBeVisible()
    await expect(line).toContainText('You are here as Maria from support, through a link to one device.')
    await expect(line).toContainText(/Ends at .*, in (29|30) minutes\./)
    await expect(line).toContainText(/Allowed: /)
    await expectAccessible(page)
    expect(asked).toContain('/api/appliance/v1/session/guest')
    expect(asked).not.toContain('/api/appliance/v1/notices')
    expect(asked.filter((path) => path.includes('/user-preferences'))).toEqual([])
  },
)
