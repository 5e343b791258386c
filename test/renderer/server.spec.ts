import type { Locator, Page } from '@playwright/test'
import { startMailServer } from '../support/mail.ts'
import { addMember } from '../support/people.ts'
import { account } from '../support/server.ts'
import { expect, expectAccessible, test, usePage } from './support/fixtures.ts'

const partsOf = (page: Page) => page.getByRole('navigation', { name: 'Parts of the settings' })
const openPart = (page: Page, name: string) => partsOf(page).getByRole('link', { name, exact: true }).click()

test('an administrator sets up mail, limits and a notice on the Server page', async ({ page, server, owner }) => {
  const mail = await startMailServer()
  await page.goto(server.url)
  await page.getByRole('link', { name: 'Server', exact: true }).click()
  const state = page.getByRole('region', { name: 'State' })
  await expect(state).toContainText(server.directory)
  const loadedFonts = () => page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded').length)
  await expect.poll(loadedFonts).toBe(1)
  await expect(state).toContainText(/write-ahead log/)

  // A wrong value keeps what was typed, and nothing of the form is stored.
  await openPart(page, 'Mail')
  await expect(page).toHaveURL(`${server.url}/server/mail`)
  const mailForm = page.getByRole('region', { name: 'Mail', exact: true })
  await expect(mailForm).toContainText('Default: 587')
  await expect(mailForm).not.toContainText('Default: not set')
  await mailForm.getByLabel('Mail server').fill('mail.example.org:25')
  await mailForm.getByLabel('Sender name').fill('Farhand of Example')
  await mailForm.getByRole('button', { name: 'Save' }).click()
  await expect(mailForm).toContainText('must be a host name or an IP address')
  await expect(mailForm.getByLabel('Sender name')).toHaveValue('Farhand of Example')
  expect((await owner.applianceServer.settings({})).items.filter(({ isStored }) => isStored)).toEqual([])

  await mailForm.getByLabel('Mail server').fill('127.0.0.1')
  await mailForm.getByLabel('Port').fill(mail.settings['AppOptions__SmtpPort']!)
  await mailForm.getByLabel('Sender address').fill('farhand@example.org')
  await mailForm.getByRole('button', { name: 'Save' }).click()
  await expect(mailForm.getByText('Saved', { exact: true })).toBeVisible()
  await mailForm.getByRole('button', { name: 'Send a test mail to me' }).click()
  await expect(mailForm).toContainText(`accepted the test mail to ${account.email}`)
  await mail.next(account.email, 'Test message')

  await openPart(page, 'Limits')
  const limits = page.getByRole('region', { name: 'Limits' })
  await expect(limits.getByRole('textbox')).toHaveCount(7)
  // Fields in a row stand level, however long the texts below them are.
  const tops = await limits
    .getByRole('textbox')
    .evaluateAll((fields) => fields.map((field) => field.getBoundingClientRect().top))
  expect([new Set(tops.slice(0, 3)).size, new Set(tops.slice(3, 6)).size]).toEqual([1, 1])
  await limits.getByLabel('Largest file, in MiB').fill('250')
  await page.keyboard.press('Enter')
  await expect(limits.getByText('Saved', { exact: true })).toBeVisible()
  expect(await owner.userServerSettings.fileUploadMaxSize({})).toEqual({ maxFileSize: 250 * 1024 * 1024 })

  await openPart(page, 'Notice')
  const notice = page.getByRole('region', { name: 'Notice for everybody' })
  await notice.getByLabel('Text').fill('Back at 9 <b>sharp</b>')
  await notice.getByLabel('Looks like').selectOption('Warning')
  await notice.getByRole('checkbox', { name: 'People can dismiss it' }).check()
  await notice.getByRole('switch', { name: 'Show the notice' }).click()
  await notice.getByRole('button', { name: 'Save' }).click()
  const banner = page.getByRole('region', { name: 'Notice of the administrators' })
  await expect(banner).toContainText('Warning: Back at 9 <b>sharp</b>')
  await expectAccessible(page)

  await mail.close()
})

test(
  'settings in force are searched, the dashboard is linked, and the palette leads to parts of the page',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    await page.goto(`${server.url}/server`)
    const limits = page.getByRole('region', { name: 'Limits' })
    await openPart(page, 'Limits')
    await limits.getByLabel('Largest file, in MiB').fill('250')
    await limits.getByRole('button', { name: 'Save' }).click()
    await expect(limits.getByText('Saved', { exact: true })).toBeVisible()
    await openPart(page, 'Environment')
    const table = page.getByRole('region', { name: 'Settings in force' })
    await table.getByLabel('Search settings').fill('MaxFileTransfer')
    await expect(table.getByRole('row').filter({ hasText: 'Service_AppOptions__MaxFileTransferSize' })).toContainText(
      'This page',
    )
    await table.getByLabel('Search settings').fill('DataDirectory')
    await expect(table.getByRole('row').filter({ hasText: 'Service_DataDirectory' })).toContainText('Server restart')
    await openPart(page, 'Limits')
    await limits.getByRole('button', { name: 'Reset Largest file' }).click()
    await limits.getByRole('button', { name: 'Save' }).click()
    await expect(limits.getByLabel('Largest file, in MiB')).toHaveValue('100')

    await openPart(page, 'Telemetry')
    const dashboard = page.getByRole('region', { name: 'Telemetry dashboard', exact: true })
    await expect(page.getByRole('link', { name: 'Open the dashboard' })).toHaveCount(0)
    await dashboard.getByLabel('Address').fill('https://aspire.example.org')
    await dashboard.getByLabel('Browser token').fill('token-of-the-dashboard')
    await dashboard.getByRole('button', { name: 'Save' }).click()
    await expect(dashboard.getByRole('link', { name: 'Open the dashboard' })).toHaveAttribute(
      'href',
      /^https:\/\/aspire\.example\.org\/login\?t=token-of-the-dashboard$/,
    )

    // The palette finds a part of the page, and actions of other pages.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('limits')
    await page.keyboard.press('Enter')
    await expect(limits.getByRole('textbox').first()).toBeFocused()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new service')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'New service account' }).getByLabel('Name')).toBeFocused()
    await page.keyboard.press('Escape')

    // A section that appears late takes no focus from the palette.
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>()
    await page.route('**/api/appliance/v1/server/settings', async (route) => {
      await isOpen
      await route.continue()
    })
    await page.goto(`${server.url}/server#limits`)
    await expect(page).toHaveURL(`${server.url}/server/limits#limits`)
    await expect(partsOf(page)).toBeVisible()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('textbox', { name: /^Find a device/ })
    await expect(palette).toBeFocused()
    open()
    await expect(limits.getByLabel('Largest file, in MiB')).toHaveCount(1)
    await expect(palette).toBeFocused()
  },
)

test(
  'everybody reads the notice on every page and may dismiss it; without rights there is no Server page',
  { tag: '@night' },
  async ({ page, server, owner, context }) => {
    const alert = { message: 'Back at 9', severity: 1, isDismissable: true, isSticky: false, isEnabled: true } as const
    await owner.serverAlert.set({ body: alert })
    const helper = await addMember(server, owner.tenantId, ['device.read'])
    await usePage(context, helper)
    await page.goto(server.url)
    const notice = page.getByRole('region', { name: 'Notice of the administrators' })
    await expect(notice).toContainText('Back at 9')
    await expect(page.getByRole('link', { name: 'Server', exact: true })).toBeHidden()
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await expect(notice).toBeHidden()
    await page.reload()
    await expect(
      page
        .getByRole('grid')
        .or(page.getByRole('heading', { name: 'Devices' }))
        .first(),
    ).toBeVisible()
    await expect(notice).toBeHidden()
  },
)

test(
  'a service account gets a key once, which ends; a second organization is created and deleted',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const { tenantId } = owner
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Service accounts' }).click()
    await expect(page.getByRole('heading', { name: 'No service accounts yet' })).toBeVisible()
    await page.getByRole('button', { name: 'New service account' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Backup <i>job</i>')
    await page.keyboard.press('Enter')
    const pane = page.getByRole('complementary', { name: 'Backup <i>job</i>' })
    await pane.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByLabel('Name of the key').fill('NAS')
    await page.keyboard.press('Enter')
    const shown = page.getByRole('dialog', { name: 'The new key' })
    const key = await shown.getByLabel('Key', { exact: true }).innerText()
    await expect(shown.getByLabel('curl', { exact: true })).toContainText(
      `curl -H 'x-api-key: ${key}' '${server.url}/api/v1/devices`,
    )
    await expect(shown.getByLabel('PowerShell', { exact: true })).toContainText(
      "Invoke-RestMethod -Headers @{ 'x-api-key'",
    )
    const devices = () => fetch(`${server.url}/api/v1/devices?tenantId=${tenantId}`, { headers: { 'x-api-key': key } })
    expect((await devices()).status).toBe(200)
    await shown.getByRole('button', { name: 'Done' }).click()
    await expect(shown.getByRole('alert')).toBeVisible()
    await shown.getByRole('button', { name: /Close/ }).click()
    await expectAccessible(page)

    await pane.getByRole('switch').click()
    await expect(pane.getByRole('button', { name: 'New key' })).toBeDisabled()
    expect((await devices()).status).toBe(401)
    await pane.getByRole('switch').click()
    await expect(pane.getByRole('button', { name: 'New key' })).toBeEnabled()
    await pane.getByRole('button', { name: 'Revoke NAS' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await pane.getByRole('button', { name: 'Delete NAS' }).click()
    await page.getByRole('button', { name: 'Delete key' }).click()
    await expect(pane).toContainText('No keys.')
    expect((await devices()).status).toBe(401)
    await pane.getByRole('button', { name: 'Delete account' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
    await expect(page.getByRole('heading', { name: 'No service accounts yet' })).toBeVisible()

    await page.getByRole('link', { name: 'Server', exact: true }).click()
    await page.getByRole('link', { name: '1 organization' }).click()
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Contoso')
    await page.keyboard.press('Enter')
    const tenant = page.getByRole('complementary', { name: 'Contoso' })
    await tenant.getByRole('button', { name: 'Delete organization' }).click()
    const question = page.getByRole('dialog')
    await expect(question.getByRole('button', { name: 'Delete organization' })).toBeDisabled()
    await question.getByLabel('Type Contoso to confirm').fill('Contoso')
    await page.keyboard.press('Enter')
    await expect(tenant).toBeHidden()
    expect((await owner.tenants.list({})).items).toHaveLength(1)
    await expectAccessible(page)
  },
)

/** Writes the states that React gives a radio into an attribute: frames may miss a short one. */
const watchForFlicker = (radio: Locator) =>
  radio.evaluate((input: HTMLInputElement) => {
    const states: boolean[] = []
    const shown =
      Object.getOwnPropertyDescriptor(input, 'checked') ??
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'checked')!
    Object.defineProperty(input, 'checked', {
      configurable: true,
      get: () => shown.get!.call(input) as boolean,
      set: (isChecked: boolean) => {
        shown.set!.call(input, isChecked)
        if (states.at(-1) !== isChecked) {
          states.push(isChecked)
          input.dataset['states'] = states.join(' ')
        }
      },
    })
  })

test(
  'settings of the organization are saved at once, and undone',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const { tenantId } = owner
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    const told = page.getByLabel('The person is always told')
    await watchForFlicker(told)
    await told.click()
    await expect(told).toBeChecked()
    await expect.poll(() => owner.tenantSettings.getAll({ tenantId })).toMatchObject({ notifyUserOnSessionStart: true })
    const undo = page.getByRole('button', { name: 'Undo' })
    await expect(undo).toBeVisible()
    // A toast stands above what lies below the page, such as the navigation of a phone.
    await page.setViewportSize({ width: 390, height: 844 })
    const navigation = await page.getByRole('navigation', { name: 'Main navigation' }).boundingBox()
    const toast = (await page.getByRole('alert').filter({ has: undo }).boundingBox())!
    expect(toast.y + toast.height).toBeLessThan(navigation!.y)
    await page.setViewportSize({ width: 1280, height: 720 })
    expect(await told.evaluate((radio) => radio.dataset['states'])).toBe('true')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByLabel('Each technician decides')).toBeChecked()
    await page.getByLabel('Instance', { exact: true }).fill('shop-1')
    await page.keyboard.press('Enter')
    await page.getByRole('switch', { name: 'Install commands name the instance' }).click()
    await expect
      .poll(() => owner.tenantSettings.getAll({ tenantId }))
      .toEqual({ appendInstanceId: true, instanceId: 'shop-1', notifyUserOnSessionStart: null })
    await expectAccessible(page)
  },
)
