import type { Locator, Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const pane = (page: Page) => page.getByRole('complementary')
const dialog = (page: Page) => page.getByRole('dialog')
const rows = (page: Page) => page.getByRole('grid').locator('[data-index]')
const openPage = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name, exact: true }).click()

/** Chooses an option of a field that searches, by the keys of a person. */
async function choose(page: Page, field: Locator, text: string) {
  await field.click()
  await page.keyboard.type(text)
  await page.getByRole('option', { name: text }).first().click()
}

/** Creates an account on the page of people. Returns the temporary password. */
async function createPerson(page: Page, email: string) {
  await openPage(page, 'People')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(dialog(page).getByLabel('Email')).toBeFocused()
  await page.keyboard.type(email)
  await page.keyboard.press('Enter')
  const password = (await dialog(page).getByLabel('Temporary password').textContent()) ?? ''
  await dialog(page).getByRole('button', { name: 'Copy password' }).click()
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await expect(pane(page).getByRole('heading', { name: email })).toBeVisible()
  return password
}

async function signInFirst(page: Page, email: string, password: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByLabel('New password', { exact: true }).fill('Night-Owls-Fly-9')
  await page.keyboard.press('Enter')
}

// The whole week is one test: 100 s on a busy machine.
test.setTimeout(300_000)

test(
  'the first week of a shop: technician of one customer, helpdesk, denial, integration, tags, guest',
  { tag: '@night' },
  async ({ page, server, owner, enroll, browser }) => {
    const { tenantId } = owner
    const agents = await enroll(4)
    const names = await Promise.all(
      agents.map(async ({ id }) => (await owner.devices.get({ params: { deviceId: id } })).name),
    )
    // Left by an import: two tags for one thing.
    for (const [index, name] of ['printer', 'printers'].entries()) {
      const tag = await owner.tags.create({ tenantId, body: { name } })
      await owner.deviceTags.add({ tenantId, body: { deviceId: agents[index]!.id, tagId: tag.id } })
    }
    const [grace, heidi] = ['grace@example.org', 'heidi@example.org']

    // Monday: a customer with two of the devices.
    await page.goto(server.url)
    await openPage(page, 'Organize')
    await page.getByLabel('Create customer: Name').fill('Contoso')
    await page.keyboard.press('Enter')
    await expect(pane(page).getByRole('heading', { name: 'Contoso' })).toBeVisible()
    await openPage(page, 'Devices')
    for (const name of names.slice(0, 2)) {
      await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    }
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Customer and groups' }).click()
    await choose(page, dialog(page).getByRole('combobox', { name: 'Move to customer' }), 'Contoso')
    await dialog(page).getByRole('button', { name: 'Change 2 devices' }).click()
    await expect(page.getByText('2 devices moved to Contoso.')).toBeVisible()

    // The second technician sees the devices of that customer, and no other.
    const password = await createPerson(page, grace)
    await expect(pane(page)).toContainText('Self service')
    await pane(page).getByRole('link', { name: 'Give rights' }).click()
    await expect(dialog(page)).toContainText(grace)
    await choose(page, dialog(page).getByRole('combobox', { name: 'Customer', exact: true }), 'Contoso')
    await expect(dialog(page).getByText(/^2 devices that you can see/)).toBeVisible()
    await dialog(page).getByRole('button', { name: 'Give rights' }).click()
    await expect(rows(page).filter({ hasText: 'Technician' })).toContainText('Contoso')
    const technician = await (await browser.newContext()).newPage()
    await technician.goto(`${server.url}/devices`)
    await signInFirst(technician, grace, password)
    await expect(technician.getByText('2 devices', { exact: true })).toBeVisible()
    await expect(rows(technician)).toHaveText([new RegExp(names[0]!), new RegExp(names[1]!)])

    // Tuesday: a helpdesk whose people help everywhere.
    await createPerson(page, heidi)
    await openPage(page, 'Groups of people')
    await page.getByRole('button', { name: 'New group' }).first().click()
    await page.keyboard.type('Helpdesk')
    await page.keyboard.press('Enter')
    await pane(page).getByRole('searchbox', { name: 'Add people' }).fill('heidi')
    await pane(page)
      .getByRole('button', { name: `Add ${heidi}` })
      .click()
    await pane(page).getByRole('link', { name: 'Give rights' }).click()
    await dialog(page).getByRole('combobox', { name: 'Where' }).click()
    await page.getByRole('option', { name: 'Whole organization' }).click()
    await dialog(page).getByRole('radio', { name: 'Helper' }).check()
    await expectAccessible(page)
    await dialog(page).getByRole('button', { name: 'Give rights' }).click()
    await expect(rows(page).filter({ hasText: 'Helpdesk' })).toContainText('Helper')

    // Wednesday: the till is never restarted by the new technician, and a check says why.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('give rights to grace')
    await dialog(page)
      .getByRole('button', { name: `Give rights to ${grace}` })
      .click()
    await dialog(page).getByText('May never', { exact: true }).click()
    await dialog(page).getByRole('radio', { name: 'Single rights…' }).check()
    await choose(page, dialog(page).getByRole('combobox', { name: 'Rights' }), 'Restart')
    await page.keyboard.press('Escape')
    await dialog(page).getByRole('combobox', { name: 'Where' }).click()
    await page.getByRole('option', { name: 'Device', exact: true }).click()
    await choose(page, dialog(page).getByRole('combobox', { name: 'Device', exact: true }), names[1]!)
    await dialog(page).getByRole('button', { name: 'Give rights' }).click()
    const denial = rows(page).filter({ hasText: 'Never' })
    await denial.click()
    await pane(page).getByRole('link', { name: 'Check what they may do' }).click()
    const answer = page.getByRole('region', { name: new RegExp(names[1]!) })
    await expect(answer).toContainText('No')
    await expect(answer.getByRole('table', { name: 'Rules about this right' })).toContainText('Overridden by a deny')

    // Thursday: the billing program reads devices, and may not change them.
    await openPage(page, 'Service accounts')
    await page.getByRole('button', { name: 'New service account' }).first().click()
    await dialog(page).getByLabel('Name').fill('Billing')
    await page.keyboard.press('Enter')
    await pane(page).getByRole('link', { name: 'Give rights' }).click()
    await dialog(page).getByRole('combobox', { name: 'Where' }).click()
    await page.getByRole('option', { name: 'Whole organization' }).click()
    await dialog(page).getByRole('radio', { name: 'Reader' }).check()
    await dialog(page).getByRole('button', { name: 'Give rights' }).click()
    await expect(rows(page).filter({ hasText: 'Billing' })).toContainText('Reader')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('billing')
    await dialog(page)
      .getByRole('button', { name: /^Billing/ })
      .first()
      .click()
    await pane(page).getByRole('button', { name: 'New key' }).click()
    await dialog(page).getByLabel('Name of the key').fill('Accounting')
    await page.keyboard.press('Enter')
    const key = await dialog(page).getByLabel('Key', { exact: true }).innerText()
    await dialog(page).getByRole('button', { name: 'Copy key' }).click()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    const program = (path: string, method = 'GET') =>
      fetch(`${server.url}/api/v1/${path}?tenantId=${tenantId}`, { method, headers: { 'x-api-key': key } })
    const listed = await program('devices')
    expect(((await listed.json()) as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    expect((await program(`devices/${agents[0]!.id}`, 'DELETE')).status).toBe(403)

    // Friday: two tags become one, and a supplier helps with one device for an hour.
    await openPage(page, 'Organize')
    await page.getByRole('link', { name: 'Tags', exact: true }).click()
    await rows(page).filter({ hasText: 'printers' }).click()
    await pane(page).getByRole('combobox', { name: 'Merge into' }).click()
    await page.getByRole('option', { name: 'printer', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Merge into printer' }).click()
    await pane(page).getByRole('link', { name: 'Show 2 devices' }).click()
    await expect(page.getByText('2 devices · 2 hidden by filters')).toBeVisible()
    await page.getByRole('row').filter({ hasText: names[0]! }).click()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Share' }).click()
    await dialog(page).getByRole('textbox', { name: 'Name of the guest' }).fill("Edith O'Brien (Dr.)")
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await expect(dialog(page).getByRole('img', { name: 'QR code of the link' })).toBeVisible()
    await expectAccessible(page)
    await expect(dialog(page)).toContainText('Only this computer can reach the server, so the link opens only here.')
    const link = new URL(await dialog(page).getByRole('textbox', { name: 'Link' }).inputValue())
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    const guest = await (await browser.newContext()).newPage()
    await guest.goto(server.url + link.pathname + link.search)
    await expect(guest.getByRole('heading', { name: names[0]! })).toBeVisible()
    await openPage(page, 'Sessions')
    await page.getByRole('link', { name: '1 device share open' }).click()
    const share = page.getByRole('row').filter({ hasText: "Edith O'Brien (Dr.)" })
    await expect(share).toContainText('Guest')
    await expectAccessible(page)
    await share.getByRole('button', { name: /^End the share/ }).click()
    await expect(page.getByRole('heading', { name: 'No device is shared' })).toBeVisible()
    await guest.reload()
    await expect(guest.getByRole('heading', { name: names[0]! })).toBeHidden()

    // The owner reads what happened.
    await page.getByRole('link', { name: 'Change log' }).click()
    for (const who of [grace, 'Helpdesk', 'Billing']) {
      await expect(page.getByRole('grid').getByRole('row').filter({ hasText: who }).first()).toBeVisible()
    }
    await technician.close()
    await guest.close()
  },
)
