import { SimulatedAgent } from '../../scripts/simulate/agent.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('the page opens with a command for one device and shows the device that ran it', async ({
  page,
  server,
  owner,
}) => {
  await page.goto(`${server.url}/deploy`)
  await expect(page.getByText('Waiting for the device…')).toBeVisible()
  await expect(page.getByText('The key in this command is good for 1 device')).toBeVisible()
  await expect(page.getByText(`Service_Urls=http://0.0.0.0:${new URL(server.url).port}`)).toBeVisible()
  await expectAccessible(page)

  const [, keySecret] = /KEY_SECRET=([\w-]+)/.exec(await page.locator('pre').innerText())!
  const [key] = (await owner.installerKeys.list({ tenantId: owner.tenantId })).items
  const agent = new SimulatedAgent(7, owner.tenantId)
  await agent.register(server.url, { id: key!.id, keySecret: keySecret! })
  await expect(page.getByText(/has registered and is connecting…$/)).toBeVisible()
  await agent.connect(server.url)
  await expect(page.getByText(/-0007 is online$/)).toBeVisible({ timeout: 3_000 })
  await page.getByRole('link', { name: 'Open' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/-0007$/)
  agent.close()
})

test('a reload leaves no key behind that nobody has taken', async ({ page, server, owner }) => {
  const keys = async () => (await owner.installerKeys.list({ tenantId: owner.tenantId })).items.map(({ id }) => id)
  await page.goto(`${server.url}/deploy`)
  await expect(page.locator('pre')).toBeVisible()
  const [first] = await keys()
  await page.reload()
  await expect(page.locator('pre')).toBeVisible()
  await expect.poll(keys).not.toContain(first)
  const [second, ...others] = await keys()
  expect(others).toEqual([])
  await page.getByRole('button', { name: 'Copy command' }).click()
  await page.reload()
  await expect(page.locator('pre')).toBeVisible()
  await expect.poll(keys).toHaveLength(2)
  expect(await keys()).toContain(second)
})

test('coming back shows the same command until a device has used its key', async ({ page, server, owner }) => {
  await page.goto(`${server.url}/deploy`)
  const command = await page.locator('pre').innerText()
  await page.getByRole('link', { name: 'Devices' }).click()
  await expect(page).toHaveURL(/\/devices$/)
  await page.getByRole('link', { name: 'Deploy', exact: true }).click()
  await expect(page.locator('pre')).toHaveText(command)

  const [, keySecret] = /KEY_SECRET=([\w-]+)/.exec(command)!
  const { items } = await owner.installerKeys.list({ tenantId: owner.tenantId })
  expect(items).toHaveLength(1)
  await new SimulatedAgent(3, owner.tenantId).register(server.url, { id: items[0]!.id, keySecret: keySecret! })
  await page.getByRole('button', { name: 'Command for another device' }).click()
  await expect(page.getByText('Waiting for the device…')).toBeVisible()
  await expect(page.locator('pre')).not.toHaveText(command)
})

test('leaving before the secret of a chosen kind of key is copied asks for confirmation', async ({
  page,
  server,
  owner,
}) => {
  expect(owner.tenantId).toBeTruthy()
  await page.goto(`${server.url}/deploy`)
  await page.getByRole('button', { name: 'More kinds of keys' }).click()
  await page.getByText('Until a date').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Reception')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create key' }).click()
  await expect(page.getByText('“Reception”: The key in this command is good for until')).toBeVisible()
  await page.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('button', { name: 'Stay here' }).click()
  await page.getByRole('button', { name: 'Copy command' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  await page.getByRole('link', { name: 'Devices' }).click()
  await expect(page).toHaveURL(/\/devices$/)
})

test('the chosen system is in the address, and a system without an agent is reported', async ({
  page,
  server,
  owner,
}) => {
  expect(owner.tenantId).toBeTruthy()
  await page.goto(`${server.url}/deploy?os=windows`)
  await expect(page.getByText('This server has no agent for Windows yet.')).toBeVisible()
  await page.getByRole('tab', { name: 'Linux' }).click()
  await expect(page).toHaveURL(/\/deploy$/)
})

test('keys can be renamed in the list and deleted', async ({ page, server, owner }) => {
  await owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent', friendlyName: 'Old' } })
  await page.goto(`${server.url}/deploy`)
  const row = page.getByRole('row').filter({ hasText: /Old|Branch|Permanent/ })
  await row.getByRole('button', { name: 'Rename' }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Branch offices')
  await page.keyboard.press('Enter')
  await expect(row).toContainText('Branch offices')
  await row.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { name: 'Delete the key “Branch offices”?' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete key' }).click()
  await expect(row).toHaveCount(0)
})
