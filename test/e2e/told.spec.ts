import { systemClock } from '../../server/ground/clock.ts'
import { isNight } from '../support/night.ts'
import { linkIn, startMailServer, type MailServer } from '../support/mail.ts'
import { startRealDevice } from '../support/real-device.ts'
import { startTestServer } from '../support/server.ts'
import { isSignedWith, startWebhookReceiver } from '../support/webhook-receiver.ts'
import { expect, expectAccessible, freshPageTest as base } from '../renderer/support/fixtures.ts'
import { timedSteps } from './timed-steps.ts'

const minuteMs = 60_000
/** Time that has passed for rules beside the time that passes. At night the minute of the rule passes by itself. */
let skippedMs = 0
const passMinute = () => {
  skippedMs += isNight ? 0 : minuteMs
}
/** Time limit for a notification after the minute of the rule. */
const afterRule = { timeout: isNight ? minuteMs + 15_000 : 15_000 }

const test = base.extend<{ mail: MailServer }>({
  // oxlint-disable-next-line no-empty-pattern
  mail: async ({}, use) => {
    const mail = await startMailServer()
    await use(mail)
    await mail.close()
  },
  server: async ({ mail }, use) => {
    skippedMs = 0
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skippedMs }
    const settings = { ...mail.settings, AppOptions__OutgoingNetworks__0: '127.0.0.0/8' }
    const server = await startTestServer({ clock, settings })
    await use(server)
    await server.stop()
  },
})

test.setTimeout(isNight ? 240_000 : 120_000)

interface Told {
  type: string
  subject?: string
  data: { devices?: number }
}

test(
  'an agent is killed and comes back, then 30 lose their switch: told on the page, by mail and by webhook',
  { tag: '@night' },
  async ({ page, server, owner, enroll, mail }) => {
    const receiver = await startWebhookReceiver()
    const { times, step } = timedSteps()
    const webhooks = (type: string) =>
      receiver.received.map(({ body }) => JSON.parse(body) as Told).filter((event) => event.type === type)
    const mails = (subject: string) => mail.received.filter((one) => one.subject.includes(subject))
    let secret = ''

    await step('confirm the address', async () => {
      await page.goto(linkIn(await mail.next(owner.user.email)).href)
    })

    await step('make a webhook', async () => {
      await page.goto(`${server.url}/settings`)
      await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
      await page.getByRole('button', { name: 'New webhook' }).first().click()
      const form = page.getByRole('dialog', { name: 'New webhook' })
      await form.getByLabel('Name').fill('Ticket system')
      await form.getByLabel('Address').fill(receiver.url)
      await form.getByRole('button', { name: 'Create webhook' }).click()
      const shown = page.getByRole('dialog', { name: 'Secret of the webhook' })
      secret = await shown.getByLabel('Secret', { exact: true }).innerText()
      await shown.getByRole('button', { name: 'Copy secret' }).click()
      await shown.getByRole('button', { name: 'Done' }).click()
    })

    await step('shorten the rule', async () => {
      await page.getByRole('link', { name: 'Alerts', exact: true }).click()
      await page.getByRole('link', { name: 'Rules', exact: true }).click()
      await page.getByRole('row', { name: /^Device offline/ }).click()
      const pane = page.getByRole('complementary', { name: 'Device offline' })
      await pane.getByRole('button', { name: 'Change' }).click()
      const form = page.getByRole('dialog', { name: 'Device offline' })
      await form.getByLabel('For at least').selectOption('1 minute')
      await form.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByRole('row', { name: /^Device offline/ })).toContainText('for 1 minute')
    })

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
    const { name } = await owner.devices.get({ params: { deviceId: device.id } })
    await page.goto(`${server.url}/devices/${device.id}`)
    await expect(page.getByRole('heading', { name: 'Facts' })).toBeVisible()
    const card = page.getByRole('region', { name: /^Offline since/ })
    const watch = card.getByRole('button', { name: /^Tell me when .+ is back$/ })

    await step('kill the agent, be told', async () => {
      await device.kill()
      await expect(card).toBeVisible()
      passMinute()
      const toast = page.getByRole('alert').filter({ hasText: 'is offline' })
      await expect(toast).toBeVisible(afterRule)
      await expect(page.locator('html')).toHaveAttribute('data-notified', `${name} is offline`)
      await expect.poll(() => mails(`${name} is offline`)).toHaveLength(1)
      await expect.poll(() => webhooks('alert.opened')).toMatchObject([{ subject: device.id, data: { devices: 1 } }])
    })

    await step('acknowledge at the bell', async () => {
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
    })

    await step('ask to be told when it is back', async () => {
      await watch.click()
      await expect(card).toContainText('You will be told once when it is back.')
      await card.getByRole('button', { name: 'Do not tell me' }).click()
      await watch.click()
      await expect(card).toContainText('You will be told once when it is back.')
      await page.getByRole('link', { name: 'Home', exact: true }).click()
      await expect(page.getByRole('region', { name: 'Alerts' })).toContainText('Acknowledged by')
    })

    await step('start the agent, be told', async () => {
      await device.restart()
      const toast = page.getByRole('alert').filter({ hasText: 'is online again' })
      await expect(page.locator('html')).toHaveAttribute('data-notified', `${name} is online again`)
      await expect.poll(() => mails(`${name} is online again`)).toHaveLength(1)
      await expect.poll(() => webhooks('device.online').map(({ subject }) => subject)).toEqual([device.id, device.id])
      await toast.getByRole('button', { name: 'Show' }).click()
      const pane = page.getByRole('complementary').last()
      await expect(pane).toContainText('You asked to be told when this device is back.')
      await expectAccessible(page)
      await pane.getByRole('button', { name: /^Got it: / }).click()
      await expect(pane).toContainText('Closed: somebody has seen it.')
    })

    const agents = await enroll(30)
    await Promise.all(agents.map((agent) => agent.connect(server.url)))
    await step('unplug the switch of 30, be told once', async () => {
      agents.forEach((agent) => agent.close())
      await expect.poll(async () => (await owner.applianceHome.fleet({})).online).toBe(1)
      passMinute()
      const row = page.getByRole('row', { name: /30 devices went offline within \d+ s/ })
      await expect(row).toBeVisible(afterRule)
      await expect.poll(() => mails('30 devices went offline')).toHaveLength(1)
      await expect.poll(() => webhooks('alert.opened').map(({ data }) => data.devices)).toEqual([1, 30])
    })
    // A mail for each of the three, and every request signed. The first alert ends when its device has been back for half a
    // minute, which may be before or after the end of this test.
    const subjects = mail.received.map(({ subject }) => subject.replace(/ within.*/, ''))
    expect(subjects.filter((subject) => !subject.includes('online again after'))).toEqual([
      `${name} is offline`,
      `${name} is online again`,
      '30 devices went offline',
    ])
    expect(receiver.received.every((request) => isSignedWith(secret, request))).toBe(true)
    process.stdout.write(`${times.join('; ')}\n`)
    await device.stop()
    await receiver.close()
  },
)
