import { account } from '../support/server.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test(
  'a link to a device asks a signed-in person before it switches the session',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const [device] = await enroll(1)
    const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
      body: { tenantId: owner.tenantId, deviceId: device!.id, userCorrelationId: 'crm-7' },
    })
    await page.goto(deviceAccessUrl)
    await expect(page.getByRole('heading', { name: 'You are signed in already' })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Stay signed in and open the device' }).click()
    await expect(page.getByRole('button', { name: `Account menu of ${account.email}` })).toBeVisible()
    await expect(page).toHaveURL(`${server.url}/devices/${device!.id}`)

    await page.goto(deviceAccessUrl)
    await page.getByRole('button', { name: 'Sign out and open the link' }).click()
    await expect(page).toHaveURL(`${server.url}/devices/${device!.id}`)
    await expect(page.getByRole('button', { name: /Account menu of ext-crm-7/ })).toBeVisible()
  },
)

test('a link opens its device in the browser of a guest, with the key of the page; used again, it says so', async ({
  page,
  server,
  owner,
  enroll,
}) => {
  const [device] = await enroll(1)
  await device!.connect(server.url)
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
    body: { tenantId: owner.tenantId, deviceId: device!.id, userCorrelationId: 'crm-8' },
  })
  await page.context().clearCookies()
  await page.goto(deviceAccessUrl)
  await expect(page.getByRole('button', { name: /Account menu of ext-crm-8/ })).toBeVisible()
  await expect(page).toHaveURL(`${server.url}/devices/${device!.id}`)
  await page.reload()

  // Guests have no account, no alerts, and no list of who worked on the device: none is offered.
  await page.getByRole('button', { name: /Account menu of ext-crm-8/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: /Your account|Change password/ })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog')
  await expect(palette.getByRole('button', { name: /^Refresh / })).toBeVisible()
  await expect(palette.getByRole('button', { name: /^Timeline on|^Alerts|Your account|Change password/ })).toHaveCount(
    0,
  )
  await page.keyboard.press('Escape')
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Devices' })).toBeVisible()
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Alerts' })).toHaveCount(0)
  await page.keyboard.press('?')
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(shortcuts.getByText('Go to devices')).toBeVisible()
  await expect(shortcuts.getByText('Go to alerts')).toHaveCount(0)

  await page.goto(deviceAccessUrl)
  await expect(page.getByRole('heading', { name: 'This link does not work' })).toBeVisible()
  await expect(page.getByText('It was used already, has expired')).toBeVisible()
  await expectAccessible(page)
})
