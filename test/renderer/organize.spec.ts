import type { Member } from '../support/server.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test(
  'tags are created, colored, renamed, merged and deleted with undo',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const { tenantId } = owner
    const agents = await enroll(3)
    const old = await owner.tags.create({ tenantId, body: { name: 'webserver' } })
    for (const { id: deviceId } of agents.slice(0, 2)) {
      await owner.deviceTags.add({ tenantId, body: { deviceId, tagId: old.id } })
    }
    await page.goto(`${server.url}/devices`)
    await expect(page.getByRole('grid', { name: 'Devices' })).toBeFocused()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await page.getByRole('link', { name: 'Tags', exact: true }).click()
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
    const question = page.getByRole('dialog', { name: 'Merge webserver into web' })
    await expect(question).toContainText('2 devices get web')
    await question.getByRole('button', { name: 'Merge into web' }).click()
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
  },
)

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
  await expect(
    page.getByRole('tree', { name: 'Customers' }).getByRole('treeitem', { name: 'Contoso Berlin' }),
  ).toContainText('3')
})

/** Creates a customer with a site, which has a contact and the devices. */
async function addSite(owner: Member, deviceIds: string[]) {
  const { tenantId } = owner
  const customer = await owner.customers.create({ tenantId, body: { name: 'Contoso' } })
  const site = await owner.customers.create({ tenantId, body: { name: 'Contoso Berlin' } })
  const params = { customerId: site.id }
  const contacts = [{ name: 'Grace', role: '', email: '', phone: '+49 30 1234' }]
  await owner.applianceOrganization.setCustomer({ tenantId, params, body: { parentId: customer.id, contacts } })
  await owner.customers.assignDevices({ tenantId, params, body: { deviceIds, removeDeviceIds: [] } })
}

test(
  'the tree of customers filters the list and takes dragged devices',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const agents = await enroll(3)
    await addSite(
      owner,
      agents.map(({ id }) => id),
    )
    await page.goto(`${server.url}/devices`)
    // Items: all devices, Contoso with its site, devices without a customer.
    const tree = page.getByRole('tree', { name: 'Customers' })
    const branch = (name: string) => tree.getByRole('treeitem', { name })
    await expect(branch('Contoso Berlin')).toContainText('3')
    await page.getByRole('row').filter({ hasText: '0001' }).dragTo(branch('No customer'))
    await expect(page.getByText('1 device moved to No customer.')).toBeVisible()
    await expect(branch('Contoso Berlin')).toContainText('2')
    await tree.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/q=customer%3Anone/)
    await expect(page.getByText('1 device · 2 hidden by filters')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('checkbox', { name: 'Select all loaded devices' }).check()
    await page.keyboard.press('Home')
    await tree.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    await expect(branch('Contoso Berlin')).toHaveCount(0)
    await page.getByRole('row').filter({ hasText: '0001' }).dragTo(branch('Contoso'))
    await expect(page.getByText('1 device moved to Contoso.')).toBeVisible()
    await page.getByRole('alert').filter({ hasText: 'moved to Contoso.' }).getByRole('button', { name: 'Undo' }).click()
    await expect(branch('Contoso')).toContainText('2')
    await branch('Contoso').click()
    await expect(page.getByText('2 devices · 1 hidden by filters')).toBeVisible()
    await page.getByRole('button', { name: 'Show customers' }).click()
    await expect(tree).toHaveCount(0)
    await page.reload()
    await expect(page.getByText('2 devices · 1 hidden by filters')).toBeVisible()
    await expect(tree).toHaveCount(0)
    await page.getByRole('button', { name: 'Show customers' }).click()
    await page.setViewportSize({ width: 1024, height: 720 })
    await expect(tree).toHaveCount(0)
    await page.setViewportSize({ width: 1280, height: 720 })

    await page.keyboard.press('Control+k')
    await page.keyboard.type('contoso')
    await page.getByRole('button', { name: /^Contoso Customer/ }).click()
    await expect(page.getByRole('searchbox')).toHaveValue('customer:Contoso')
    await expect(page.getByText('2 devices · 1 hidden by filters')).toBeVisible()
  },
)

test(
  'customers and groups are merged, and deleted together with undo',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const { tenantId } = owner
    const deviceIds = (await enroll(3)).map(({ id }) => id)
    await addSite(owner, deviceIds)
    const group = await owner.deviceGroups.create({ tenantId, body: { name: 'Pilot' } })
    await owner.deviceGroups.addMembers({ tenantId, params: { deviceGroupId: group.id }, body: { deviceIds } })
    await page.goto(`${server.url}/organize`)
    const site = page.getByRole('complementary', { name: 'Contoso Berlin' })
    const dialog = page.getByRole('dialog')
    await page.getByRole('row').filter({ hasText: 'Contoso Berlin' }).click()
    await site.getByRole('combobox', { name: 'Merge into' }).click()
    await page.getByRole('option', { name: 'Contoso', exact: true }).click()
    await expect(dialog).toContainText('3 devices, 0 sites, 1 contact and the note move to Contoso')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Merge into Contoso' }).click()
    const customer = page.getByRole('complementary', { name: 'Contoso', exact: true })
    await expect(customer.getByRole('link', { name: 'Show 3 devices' })).toBeVisible()
    await expect(customer.getByRole('link', { name: '+49 30 1234' })).toBeVisible()
    await owner.deviceGroups.create({ tenantId, body: { name: 'Ring one' } })
    await page.getByRole('link', { name: 'Groups', exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'Pilot' }).click()
    await page.getByRole('combobox', { name: 'Merge into' }).click()
    await page.getByRole('option', { name: 'Ring one' }).click()
    await dialog.getByRole('button', { name: 'Merge into Ring one' }).click()
    await expect(page.getByRole('complementary', { name: 'Ring one' }).getByRole('listitem')).toHaveCount(3)
    await expect(page.getByRole('row').filter({ hasText: 'Pilot' })).toHaveCount(0)

    // Several are deleted together, and come back.
    await page.getByLabel('Create group: Name').fill('Ring two')
    await page.keyboard.press('Enter')
    await expect(page.getByText('2 groups', { exact: true })).toBeVisible()
    const list = page.getByRole('grid', { name: 'Groups' })
    await list.focus()
    await page.keyboard.press('Control+a')
    await page.getByRole('toolbar', { name: '2 rows selected' }).getByRole('button', { name: 'Delete 2' }).click()
    await expect(page.getByRole('heading', { name: 'No device groups yet' })).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(list.locator('[data-index]')).toHaveText([/^Ring one/, /^Ring two/])
  },
)
