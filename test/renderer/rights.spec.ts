import { readFile } from 'node:fs/promises'
import type { Member } from '../support/server.ts'
import { expect, expectAccessible, test, type Fixtures } from './support/fixtures.ts'

/** Creates the customer Contoso with a device, and a person. */
async function addScene(owner: Member, enroll: Fixtures['enroll']) {
  const { tenantId } = owner
  const [agent] = await enroll(2)
  const customer = await owner.customers.create({ tenantId, body: { name: 'Contoso' } })
  const deviceIds = [agent!.id]
  const params = { customerId: customer.id }
  await owner.customers.assignDevices({ tenantId, params, body: { deviceIds, removeDeviceIds: [] } })
  const grace = await owner.users.create({ tenantId, body: { userName: 'grace@example.org' } })
  return { customer, grace }
}

test('a technician for one customer is given in one step and taken back', async ({ page, server, owner, enroll }) => {
  await addScene(owner, enroll)

  await page.goto(`${server.url}/devices`)
  await expect(page.getByRole('grid')).toBeFocused()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  const list = page.getByRole('grid', { name: 'Assignments' })
  const technician = list.getByRole('row').filter({ hasText: 'Technician' })
  await expect(list).toBeFocused()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Give rights' }).click()
  const dialog = page.getByRole('dialog', { name: 'Give rights' })
  await dialog.getByRole('combobox', { name: 'To', exact: true }).fill('grace')
  await page.getByRole('option', { name: 'grace@example.org' }).click()
  await dialog.getByRole('combobox', { name: 'Customer', exact: true }).fill('cont')
  await expect(page.getByRole('option', { name: 'Contoso' })).toBeVisible()
  // While the server is asked for a new text, the list offers no thing found for the earlier one.
  const held = Promise.withResolvers<void>()
  await page.route(/rights\/find/, async (route) => {
    await held.promise
    await route.continue()
  })
  await dialog.getByRole('combobox', { name: 'Customer', exact: true }).fill('conto')
  await expect(page.getByRole('option')).toHaveCount(0)
  await page.keyboard.press('Enter')
  held.resolve()
  await page.getByRole('option', { name: 'Contoso' }).click()
  await expect(page.getByRole('listbox')).toHaveCount(0)
  await expect(dialog.getByText(/^1 device that you can see/)).toBeVisible()
  await expect(
    dialog.getByText(
      'grace@example.org may control, open terminals and files of, restart and update the devices of Contoso',
    ),
  ).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Give rights' }).click()
  await expect(technician).toContainText('grace@example.org')
  await expect(technician).toContainText('Contoso')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(technician).toHaveCount(0)
  await page.getByRole('link', { name: 'Change log' }).click()
  const taken = page.getByRole('grid', { name: 'Changes of rights' }).getByRole('row')
  await expect(taken.filter({ hasText: 'grace@example.org' }).first()).toContainText('ada@example.org')
})

test(
  'links to the rights of a person and on a customer name both',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const { customer, grace } = await addScene(owner, enroll)
    const things = { kind: 'User', principal: grace.id, place: 'CustomerTenant', thing: customer.id }
    await page.goto(`${server.url}/rights?${new URLSearchParams(things).toString()}`)
    await expect(page.getByRole('button', { name: 'Of grace@example.org' })).toBeVisible()
    await page.getByRole('button', { name: 'On Contoso' }).click()
    await expect(page.getByRole('button', { name: 'On Contoso' })).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Of grace@example.org' })).toBeVisible()
  },
)

test(
  'rights on a customer are switched off, ended, removed, checked and exported',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const { tenantId } = owner
    const { customer, grace } = await addScene(owner, enroll)
    await owner.applianceRights.grant({
      tenantId,
      body: {
        principals: [{ principalKind: 'User', principalId: grace.id }],
        role: 'Technician',
        scopes: [{ scopeKind: 'CustomerTenant', scopeId: customer.id }],
      },
    })
    await page.goto(`${server.url}/rights`)
    const list = page.getByRole('grid', { name: 'Assignments' })
    const technician = list.getByRole('row').filter({ hasText: 'Technician' })
    await page.getByRole('searchbox').fill('contoso')
    await expect(list.locator('[data-index]')).toHaveCount(1)
    await list.focus()
    await page.keyboard.press('Control+a')
    const bar = page.getByRole('toolbar')
    await bar.getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByRole('dialog', { name: 'Remove 1 assignment' })).toContainText(
      'grace@example.org: Technician, Contoso',
    )
    await page.keyboard.press('Escape')
    await bar.getByRole('button', { name: 'Switch off' }).click()
    await expect(technician).toContainText('Off')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect(technician).not.toContainText('Off')
    await technician.click()
    const pane = page.getByRole('complementary', { name: 'grace@example.org' })
    await pane.getByLabel('Ends at').fill('2199-01-02T03:04')
    await pane.getByRole('button', { name: 'Set end' }).click()
    await expect(technician).toContainText('Until')
    await pane.getByRole('switch', { name: 'In force' }).click()
    await expect(technician).toContainText('Off')
    await pane
      .getByRole('button', { name: /^Remove ./ })
      .first()
      .click()
    await expectAccessible(page)
    await pane.getByRole('link', { name: 'Check what they may do' }).click()

    const answer = page.getByRole('region', { name: /grace@example\.org .* Contoso/ })
    await expect(answer).toContainText('No')
    await expect(answer.getByRole('table', { name: 'Rules about this right' })).toContainText('Off')
    await expectAccessible(page)

    await page.getByRole('link', { name: 'Change log' }).click()
    const changes = page.getByRole('grid', { name: 'Changes of rights' })
    await expect(changes.getByRole('row').filter({ hasText: 'grace@example.org' }).first()).toContainText(
      'ada@example.org',
    )
    await changes.getByRole('row').nth(1).click()
    await expect(page.getByRole('complementary')).toContainText('Before')
    await expectAccessible(page)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    expect(await readFile(await (await downloading).path(), 'utf8')).toContain('"grace@example.org"')
  },
)
