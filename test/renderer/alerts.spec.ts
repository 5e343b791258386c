import { systemClock } from '../../server/ground/clock.ts'
import { startRealDevice } from '../support/real-device.ts'
import { startTestServer } from '../support/server.ts'
import { expect, expectAccessible, test as base } from './support/fixtures.ts'

/** Time that has passed for rules beside the time that passes. */
let skippedMs = 0

const test = base.extend({
  // oxlint-disable-next-line no-empty-pattern
  server: async ({}, use) => {
    skippedMs = 0
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skippedMs }
    const server = await startTestServer({ clock })
    await use(server)
    await server.stop()
  },
})

test('an agent is killed: the bell counts, the alert is acknowledged, and its return is told', async ({
  page,
  server,
  owner,
}) => {
  const device = await startRealDevice(owner)
  await page.goto(`${server.url}/devices/${device.id}`)
  await expect(page.getByRole('heading', { name: 'Facts' })).toBeVisible()
  await device.kill()
  const card = page.getByRole('region', { name: /^Offline since/ })
  await expect(card).toBeVisible()
  skippedMs += 10 * 60_000
  await page.getByRole('button', { name: 'Alerts: 1 open' }).click()
  const newest = page.getByRole('dialog', { name: 'Alerts' })
  await expect(newest).toContainText('offline')
  await expectAccessible(page)
  await newest.getByRole('button', { name: /^Acknowledge: / }).click()
  await expect(newest).toContainText(`Acknowledged by ${owner.user.email}`)
  await expect(newest.getByRole('button', { name: /^Snooze: / })).toBeFocused()
  await page.keyboard.press('Escape')
  const about = page.getByRole('region', { name: 'Alerts about this device' })
  await expect(about).toContainText('Acknowledged by')

  await card.getByRole('button', { name: /^Tell me when .+ is back$/ }).click()
  await expect(card).toContainText('You will be told once when it is back.')
  await card.getByRole('button', { name: 'Do not tell me' }).click()
  await card.getByRole('button', { name: /^Tell me when .+ is back$/ }).click()
  await expect(card).toContainText('You will be told once when it is back.')
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Alerts' })).toContainText('Acknowledged by')
  await device.restart()
  const toast = page.getByRole('alert').filter({ hasText: 'is online again' })
  await toast.getByRole('button', { name: 'Show' }).click()
  const pane = page.getByRole('complementary').last()
  await expect(pane).toContainText('You asked to be told when this device is back.')
  await expectAccessible(page)
  await pane.getByRole('button', { name: /^Got it: / }).click()
  await expect(pane).toContainText('Closed: somebody has seen it.')
  await device.stop()
})
