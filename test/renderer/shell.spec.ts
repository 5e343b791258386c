import { expect, expectAccessible, test } from './support/fixtures.ts'

test('Ctrl+K finds a device, a page and a command', async ({ page, server, enrol }) => {
  await enrol(12)
  await page.goto(`${server.url}/deploy`)
  await expect(page.getByRole('heading', { name: 'Make a key' })).toBeVisible()
  const search = page.getByRole('dialog').locator('input')
  await page.keyboard.press('Control+k')
  await expect(search).toBeFocused()
  await page.keyboard.type('0004')
  await expect(page.getByRole('dialog').getByText(/-0004$/)).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/-0004$/)

  await page.keyboard.press('Control+k')
  await expect(search).toBeFocused()
  await page.keyboard.type('theme: dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await expectAccessible(page)
})

test('Enter in the palette never opens a device that was found for an earlier text', async ({
  page,
  server,
  enrol,
}) => {
  await enrol(12)
  await page.goto(`${server.url}/deploy`)
  await expect(page.getByRole('heading', { name: 'Make a key' })).toBeVisible()
  const search = page.getByRole('dialog').locator('input')
  await page.keyboard.press('Control+k')
  await expect(search).toBeFocused()
  await page.keyboard.type('0004')
  await expect(page.getByRole('dialog').getByText(/-0004$/)).toBeVisible()
  await search.selectText()
  await page.keyboard.insertText('theme: dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await expect(page).toHaveURL(/\/deploy$/)
})

test('keyboard shortcuts open each page and are listed', async ({ page, server, owner }) => {
  expect(owner.tenantId).toBeTruthy()
  await page.goto(`${server.url}/devices`)
  await expect(page.getByRole('heading', { name: 'No devices yet' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await expect(page).toHaveURL(/\/deploy$/)
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(sheet).toContainText('Go to devicesGD')
  await expect(sheet).toContainText('Go to deployGP')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('theme, density and collapsed navigation are applied before the first paint', async ({ page, server, owner }) => {
  expect(owner.tenantId).toBeTruthy()
  await page.goto(`${server.url}/deploy`)
  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByText('Dark', { exact: true }).click()
  await page.getByText('Compact', { exact: true }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Collapse navigation' }).click()
  // Without the application only the page itself and the script in its head are left.
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact')
  await page.unroute('**/assets/*.js')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Expand navigation' })).toBeVisible()
})

test('a lost live connection is reported and restored', async ({ page, server, enrol }) => {
  await enrol(1)
  await page.goto(`${server.url}/devices`)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await server.restart()
  await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 20_000 })
})

test('the password can be changed', async ({ page, server, owner }) => {
  expect(owner.tenantId).toBeTruthy()
  await page.goto(`${server.url}/deploy`)
  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill('Wrong-Horse-7')
  await page.getByLabel('New password').fill('Better-Horse-8')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('The current password is wrong.')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Current password').fill('Correct-Horse-7')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Your password is changed.')).toBeVisible()
})

test('the About dialog says where secrets are kept', async ({ page, server, owner }) => {
  expect(owner.tenantId).toBeTruthy()
  await page.goto(`${server.url}/deploy`)
  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'About this appliance' }).click()
  await expect(page.getByRole('dialog')).toContainText('a key file that only the server may read')
})
