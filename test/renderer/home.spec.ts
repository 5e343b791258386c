import { randomUUID } from 'node:crypto'
import { startRealDevice } from '../support/real-device.ts'
import { addDevices } from '../support/stored.ts'
import { connectViewerOf } from './support/viewer.ts'
import { expect, expectAccessible, test, usePage } from './support/fixtures.ts'

test('a new server leads to the first device, and says what of the server needs a hand', async ({
  page,
  server,
  owner,
}) => {
  expect(owner.user.email).toBeTruthy()
  // A section is shown only with those above it, which would push it down.
  const alerts = Promise.withResolvers<void>()
  await page.route('**/api/appliance/v1/alerts?*', (route) => alerts.promise.then(() => route.continue()))
  await page.goto(server.url)
  await expect(page).toHaveURL(`${server.url}/home`)
  await expect(page.locator('.mantine-Skeleton-root')).toBeVisible()
  alerts.resolve()
  await expect(page.getByRole('heading', { name: 'Add your first device' })).toBeVisible()
  const hand = page.getByRole('region', { name: 'Needs a hand' })
  await expect(hand).toContainText('No nightly backups are made')
  await expectAccessible(page)
  await hand.getByRole('link', { name: 'Open Backup' }).click()
  await expect(page.getByRole('heading', { name: 'Backup', exact: true })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await page.getByRole('link', { name: 'Open Deploy' }).press('Enter')
  await expect(page).toHaveURL(/\/deploy$/)
})

test(
  'a technician lands on what needs a hand, the running session, recent devices and the fleet',
  { tag: '@night' },
  async ({ page, context, server, owner }) => {
    const { tenantId } = owner
    await addDevices(server, tenantId, 3)
    await usePage(context, owner)
    const technician = await owner.users.create({
      tenantId,
      body: { userName: 'grace@example.org', password: 'Correct-Horse-7', presetNames: ['Device Superuser'] },
    })
    const grace = await server.signIn({ email: technician.email })
    await usePage(context, grace)
    await page.goto(server.url)
    // A person without those rights reads nothing about the server and sign-ins.
    await expect(page.getByRole('status').filter({ hasText: 'Checked' })).toHaveText(/^All is well\. Checked /)
    await expect(page.getByRole('region', { name: 'Needs a hand' })).toHaveCount(0)
    const device = await startRealDevice(owner)
    const viewer = await connectViewerOf(grace)
    try {
      const fleet = page.getByRole('region', { name: 'The fleet' })
      await expect(fleet).toContainText('1 of 4')
      await viewer.hub.CreateTerminalSession2({ deviceId: device.id, terminalId: randomUUID() })
      await page
        .getByRole('region', { name: 'Your running sessions' })
        .getByRole('link', { name: /^Back to Terminal on / })
        .click()
      await expect(page).toHaveURL(`${server.url}/devices/${device.id}/terminal`)

      await page.getByRole('link', { name: 'Home', exact: true }).click()
      const recent = page.getByRole('region', { name: 'Devices you used recently' })
      await expect(recent.getByRole('listitem')).toHaveCount(1)
      await expect(recent).toContainText('Online')
      await expectAccessible(page)
      await recent.getByRole('link', { name: /^Files on / }).press('Enter')
      await expect(page).toHaveURL(`${server.url}/devices/${device.id}/files`)

      await page.getByRole('link', { name: 'Home', exact: true }).click()
      await device.kill()
      const hand = page.getByRole('region', { name: 'Needs a hand' })
      await expect(hand).toContainText('1 device is down')
      await expectAccessible(page)
      await hand.getByRole('link', { name: /^Wake / }).press('Enter')
      await expect(page).toHaveURL(`${server.url}/devices/${device.id}`)
    } finally {
      await viewer.stop()
      await device.stop()
    }
  },
)

test('a device that has never connected is not offered to be woken', async ({ page, server, enroll }) => {
  const [agent] = await enroll(1)
  await page.goto(`${server.url}/home`)
  const down = page.getByRole('region', { name: 'Needs a hand' }).getByRole('listitem').filter({ hasText: 'is down' })
  await expect(down).toContainText(/The agent has not connected yet\s*added/)
  await expect(down.getByRole('link', { name: /^Wake/ })).toHaveCount(0)
  await down.getByRole('link', { name: /^See why .+ is offline$/ }).click()
  await expect(page).toHaveURL(`${server.url}/devices/${agent!.id}`)
})
