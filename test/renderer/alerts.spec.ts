import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a rule is changed in two clicks, made for one device, and somebody is put on call', async ({
  page,
  server,
  owner,
  enroll,
}) => {
  const [agent] = await enroll(1)
  await page.goto(`${server.url}/alerts`)
  await expect(page.getByRole('heading', { name: 'No alerts' })).toBeVisible()
  await page.getByRole('link', { name: 'Rules', exact: true }).click()
  await page.getByRole('row', { name: /^Device offline/ }).click()
  const pane = page.getByRole('complementary', { name: 'Device offline' })
  await expect(pane.getByRole('region', { name: 'In the last 7 days' })).toContainText('This rule would have opened')
  await expectAccessible(page)
  await pane.getByRole('switch', { name: 'This rule is on' }).uncheck()
  await expect(page.getByRole('row', { name: /^Device offline/ })).toContainText('Off')

  await page.getByRole('button', { name: 'New rule' }).click()
  const form = page.getByRole('dialog', { name: 'New rule' })
  await form.getByLabel('Looks for').selectOption('A device is back')
  await form.getByLabel('For at least').selectOption('30 minutes')
  await form.getByLabel('Where').selectOption('A device')
  await form.getByRole('combobox', { name: 'A device' }).click()
  await page.getByRole('listbox').getByRole('option').first().click()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create rule' }).click()
  await expect(page.getByRole('row', { name: /^A device is back/ })).toContainText('A device is back, for 30 minutes')
  const rules = await owner.applianceAlerts.listRules({ tenantId: owner.tenantId })
  expect(rules.items.find(({ name }) => name === 'A device is back')).toMatchObject({
    condition: { kind: 'device-back', minutes: 30 },
    scope: { kind: 'device', id: agent!.id },
  })

  await page.getByRole('link', { name: 'On call', exact: true }).click()
  await page.getByRole('combobox', { name: 'On call' }).click()
  await page.getByRole('option', { name: owner.user.email }).click()
  const save = page.getByRole('button', { name: 'Save' })
  await save.press('Enter')
  await expect
    .poll(async () => (await owner.applianceAlerts.onCall({ tenantId: owner.tenantId })).firstUserId)
    .toBe(owner.user.id)
  // The button is disabled while its request runs, which takes the focus.
  await expect(save).toBeEnabled()
  await expect(save).toBeFocused()
})

test('a rule that notifies certain people names them', { tag: '@night' }, async ({ page, server, owner }) => {
  await owner.users.create({ tenantId: owner.tenantId, body: { userName: 'grace@example.org' } })
  await page.goto(`${server.url}/alerts/rules`)
  await page.getByRole('row', { name: /^Device offline/ }).click()
  const pane = page.getByRole('complementary', { name: 'Device offline' })
  await pane.getByRole('button', { name: 'Change', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Device offline' })
  await form.getByLabel('Notifies').selectOption('Certain people')
  await form.getByRole('combobox', { name: 'People' }).fill('grace')
  await page.getByRole('option', { name: 'grace@example.org' }).click()
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toBeHidden()
  await page.reload()
  await pane.getByRole('button', { name: 'Change', exact: true }).click()
  await expect(form.getByText('grace@example.org')).toBeVisible()
})
