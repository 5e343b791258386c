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
  // The person looks at another window, and allowed notifications: a browser without a window denies them.
  await owner.applianceNotifications.choose({ body: { isNativeOn: true, quietHours: null } })
  await page.addInitScript(() => {
    document.hasFocus = () => false
    window.Notification = class extends Notification {
      static override readonly permission = 'granted'
      constructor(title: string, options?: NotificationOptions) {
        super(title, options)
        document.documentElement.dataset['notified'] = title
      }
    }
  })
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
  await expect(page.locator('html')).toHaveAttribute('data-notified', / is online again$/)
  await toast.getByRole('button', { name: 'Show' }).click()
  const pane = page.getByRole('complementary').last()
  await expect(pane).toContainText('You asked to be told when this device is back.')
  await expectAccessible(page)
  await pane.getByRole('button', { name: /^Got it: / }).click()
  await expect(pane).toContainText('Closed: somebody has seen it.')
  await device.stop()
})

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
  await expect(pane.getByRole('region', { name: 'In the last 7 days' })).toContainText('It would have said')
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
  await expect(page.getByRole('row', { name: /^A device is back/ })).toContainText('for 30 minutes')
  const rules = await owner.applianceAlerts.listRules({ tenantId: owner.tenantId })
  expect(rules.items.find(({ name }) => name === 'A device is back')).toMatchObject({
    condition: { kind: 'device-back', minutes: 30 },
    scope: { kind: 'device', id: agent!.id },
  })

  await page.getByRole('link', { name: 'On call', exact: true }).click()
  await page.getByRole('combobox', { name: 'On call' }).click()
  await page.getByRole('option', { name: owner.user.email }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await owner.applianceAlerts.onCall({ tenantId: owner.tenantId })).firstUserId)
    .toBe(owner.user.id)
})
