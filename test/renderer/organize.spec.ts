import { expect, expectAccessible, test } from './support/fixtures.ts'

test('tags are created, colored, renamed, merged and deleted with undo', async ({ page, server, owner, enroll }) => {
  const { tenantId } = owner
  const agents = await enroll(3)
  const old = await owner.tags.create({ tenantId, body: { name: 'webserver' } })
  for (const { id: deviceId } of agents.slice(0, 2)) {
    await owner.deviceTags.add({ tenantId, body: { deviceId, tagId: old.id } })
  }
  await page.goto(server.url)
  await expect(page.getByRole('grid', { name: 'Devices' })).toBeFocused()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.getByRole('tab', { name: 'Tags' }).click()
  await expect(page.getByText('1 tag', { exact: true })).toBeVisible()

  await page.getByLabel('Create tag: Name').fill('web')
  await page.keyboard.press('Enter')
  const pane = page.getByRole('complementary', { name: 'web', exact: true })
  await pane.getByRole('radio', { name: 'Teal' }).click()
  await expect(pane.getByRole('radio', { name: 'Teal' })).toBeChecked()
  await expectAccessible(page)

  await page.getByRole('row').filter({ hasText: 'webserver' }).click()
  const other = page.getByRole('complementary', { name: 'webserver' })
  await expect(other.getByRole('link', { name: 'Show 2 devices' })).toBeVisible()
  await other.getByRole('combobox', { name: 'Merge into' }).click()
  await page.getByRole('option', { name: 'web', exact: true }).click()
  await expect(pane.getByRole('link', { name: 'Show 2 devices' })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'webserver' })).toHaveCount(0)

  await pane.getByLabel('Name').fill('front')
  await page.keyboard.press('Enter')
  const renamed = page.getByRole('complementary', { name: 'front' })
  await renamed.getByRole('button', { name: 'Delete front' }).click()
  await expect(page.getByRole('heading', { name: 'No tags yet' })).toBeVisible()
  const toast = page.getByRole('alert').filter({ hasText: 'front is deleted.' })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(toast).toHaveCount(0)
  await page.getByRole('row').filter({ hasText: 'front' }).click()
  await renamed.getByRole('button', { name: 'Delete front' }).click()
  await toast.getByRole('button', { name: 'Close' }).click()
  await expect.poll(async () => (await owner.tags.list({ tenantId, query: {} })).items).toEqual([])
})

test('a customer gets a site, a contact and devices, and a group gets members', async ({
  page,
  server,
  owner,
  enroll,
}) => {
  const { tenantId } = owner
  await enroll(3)
  await page.goto(`${server.url}/organize`)
  const create = page.getByLabel('Create customer: Name')
  await create.fill('Contoso')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Contoso' })).toBeVisible()
  await create.fill('Contoso Berlin')
  await page.keyboard.press('Enter')
  const site = page.getByRole('complementary', { name: 'Contoso Berlin' })
  await site.getByRole('combobox', { name: 'Site of' }).click()
  await page.getByRole('option', { name: 'Contoso', exact: true }).click()
  await site.getByRole('button', { name: 'Add a contact' }).click()
  await site.getByLabel('Contact name').fill('Grace')
  await site.getByLabel('Phone').fill('+49 30 1234')
  await site.getByRole('button', { name: 'Save' }).click()
  await expect(site.getByRole('link', { name: '+49 30 1234' })).toHaveAttribute('href', 'tel:+49301234')
  await expectAccessible(page)

  const group = await owner.deviceGroups.create({ tenantId, body: { name: 'Pilot' } })
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Select all loaded devices' }).check()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Customer and groups' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Move to customer' }).click()
  await page.getByRole('option', { name: 'Contoso Berlin' }).click()
  await dialog.getByRole('combobox', { name: 'Add to group' }).click()
  await page.getByRole('option', { name: 'Pilot' }).click()
  await dialog.getByRole('button', { name: 'Change 3 devices' }).click()
  await expect(page.getByText('3 devices moved to Contoso Berlin.')).toBeVisible()
  await expect(page.getByText('3 devices added to Pilot.')).toBeVisible()
  const { members } = await owner.deviceGroups.get({ tenantId, params: { deviceGroupId: group.id } })
  expect(members.map(({ customerName }) => customerName)).toEqual(Array(3).fill('Contoso Berlin'))

  await page.keyboard.press('Control+k')
  await page.keyboard.type('contoso')
  await page.getByRole('button', { name: /^Contoso Customer/ }).click()
  await expect(page.getByRole('searchbox')).toHaveValue('customer:Contoso')
  await expect(page.getByText('3 devices', { exact: true })).toBeVisible()
})
