import { SimulatedAgent } from '../../scripts/simulate/agent.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a created key shows its install command and the device that used it', async ({ page, server, owner }) => {
  await page.goto(`${server.url}/deploy`)
  await expect(page.getByText('This server listens on this machine only')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Name').fill('Reception')
  await page.getByRole('button', { name: 'Create key' }).click()
  await expect(page.getByText('Waiting for the device…')).toBeVisible()
  await expectAccessible(page)

  const [, keySecret] = / -ks (\S+)/.exec(await page.locator('pre').innerText())!
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

test('leaving before the secret is copied asks for confirmation', async ({ page, server, owner }) => {
  expect(owner.tenantId).toBeTruthy()
  await page.goto(`${server.url}/deploy`)
  await page.getByRole('button', { name: 'Create key' }).click()
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
  const row = page.getByRole('row').last()
  await row.getByRole('button', { name: 'Rename' }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Branch offices')
  await page.keyboard.press('Enter')
  await expect(row).toContainText('Branch offices')
  await row.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { name: 'Delete the key “Branch offices”?' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete key' }).click()
  await expect(page.getByText('There is no key at the moment.')).toBeVisible()
})
