import { enroll as enrollAgent } from '../support/agent.ts'
import { isSignedWith, startWebhookReceiver } from '../support/webhook-receiver.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test.use({ serverOptions: { settings: { AppOptions__OutgoingNetworks__0: '127.0.0.0/8' } } })

test(
  'a webhook is made by click, its secret shown once, a failed delivery explained and sent again',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const receiver = await startWebhookReceiver()
    await page.goto(`${server.url}/settings`)
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    const form = page.getByRole('dialog', { name: 'New webhook' })
    // The form focuses its first field a moment after it is shown.
    await expect(form.getByLabel('Name')).toBeFocused()
    await form.getByLabel('Name').fill('Ticket system')
    await form.getByLabel('Address').fill(receiver.url)
    await form.getByRole('radio', { name: 'Only some' }).check()
    await form.getByRole('checkbox', { name: 'Changed' }).first().uncheck()
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Create webhook' }).click()

    const shown = page.getByRole('dialog', { name: 'Secret of the webhook' })
    const secret = await shown.getByLabel('Secret', { exact: true }).innerText()
    await shown.getByRole('button', { name: 'Copy secret' }).click()
    await shown.getByRole('button', { name: 'Done' }).click()
    const pane = page.getByRole('complementary', { name: 'Ticket system' })
    await expect(pane).toContainText('Devices: Registered, Online, Offline, Deleted')

    receiver.statuses = Array.from({ length: 9 }, () => 500)
    await pane.getByRole('button', { name: 'Send test event' }).click()
    await expect(pane.getByRole('alert')).toContainText('The receiver answered with status 500')
    const { id } = await enrollAgent(owner)
    const deliveries = pane.getByRole('list', { name: 'Deliveries' })
    await expect(deliveries).toContainText(/device\.registered.*Retrying.*status 500.*next attempt/s)
    await expect(page.getByRole('row', { name: /Ticket system/ })).toContainText('Retrying')
    await expectAccessible(page)
    receiver.statuses = []
    await deliveries.getByRole('button', { name: 'Send device.registered again' }).click()
    await expect(deliveries).toContainText(/device\.registered.*Delivered/s)
    expect(receiver.received.at(-1)?.body).toContain(id)
    expect(receiver.received.every((request) => isSignedWith(secret, request))).toBe(true)

    await pane.getByRole('switch', { name: 'Sends events' }).uncheck()
    await expect(page.getByRole('row', { name: /Ticket system/ })).toContainText('Paused')
    await pane.getByRole('button', { name: 'Replace the secret' }).click()
    const question = page.getByRole('dialog', { name: 'Replace the secret of Ticket system?' })
    await question.getByRole('button', { name: 'Replace the secret' }).click()
    await expect(shown.getByLabel('Secret', { exact: true })).not.toHaveText(secret)
    await shown.getByRole('button', { name: 'Done' }).click()
    await shown.getByRole('button', { name: 'Close anyway' }).click()
    await expect(pane).toContainText('The former secret also signs until')
    await pane.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click()
    await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
    await receiver.close()
  },
)
