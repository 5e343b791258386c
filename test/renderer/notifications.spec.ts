import { account } from '../support/server.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test(
  'a person adds a contact method, tests it, sets quiet hours and removes it, by keyboard',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    await page.goto(`${server.url}/account#notifications`)
    const section = page.getByRole('region', { name: 'Notifications' })
    const methods = section.getByRole('list', { name: 'Contact methods' })
    await expect(methods.getByRole('listitem')).toContainText([account.email])
    await expect(methods).toContainText('This server sends no mail.')
    await section.getByRole('button', { name: 'Add contact method' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add contact method' })
    await expect(dialog.getByLabel('Service', { exact: true })).toBeFocused()
    await dialog.getByLabel('Service', { exact: true }).selectOption('Telegram')
    await expect(dialog.getByLabel('Token of the bot')).toBeVisible()
    await dialog.getByLabel('Service', { exact: true }).selectOption('Slack')
    await expectAccessible(page)
    await dialog.getByLabel('Name').fill('Shop channel')
    await dialog.getByLabel('Address of the webhook').fill('https://hooks.slack.com')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('The address of the webhook is incomplete')
    await dialog.getByLabel('Address of the webhook').fill('http://127.0.0.1:9/services/secret')
    await page.keyboard.press('Enter')
    await expect(dialog).toBeHidden()

    const row = methods.getByRole('listitem').filter({ hasText: 'Shop channel' })
    await expect(row).toContainText('127.0.0.1:9 · Nothing sent yet')
    await row.getByRole('button', { name: 'Test Shop channel' }).press('Enter')
    await expect(row.getByRole('status')).toContainText('127.0.0.1 is in a network that this server may not reach')
    await row.getByRole('switch', { name: 'Use Shop channel' }).press('Space')
    await expect.poll(async () => (await owner.applianceNotifications.get({})).methods[1]?.isOn).toBe(false)

    await section.getByRole('switch', { name: 'Quiet hours' }).press('Space')
    await section.getByLabel('From').fill('21:30')
    await section.getByLabel('Sun').uncheck()
    await section.getByRole('button', { name: 'Save' }).press('Enter')
    await expect
      .poll(async () => (await owner.applianceNotifications.get({})).quietHours)
      .toMatchObject({ from: '21:30', to: '07:00', days: [1, 2, 3, 4, 5, 6] })
    await expectAccessible(page)

    await row.getByRole('button', { name: 'Remove Shop channel' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove Shop channel' }).press('Enter')
    await expect(row).toBeHidden()
  },
)
