import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const rows = (page: Page) => page.locator('[role=row][data-index]')
const selectAllBox = (page: Page) => page.getByRole('checkbox', { name: 'Select all loaded devices' })

test(
  'a selection hidden by a search is reported, and the dialog names its devices',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    const agents = await enroll(3)
    await agents[0]!.connect(server.url)
    await page.goto(`${server.url}/devices`)
    await expect(rows(page)).toHaveCount(3)
    await rows(page).filter({ hasText: '0001' }).getByRole('checkbox').click()
    const bar = page.getByRole('toolbar', { name: /selected$/ })
    await expect(bar).toContainText('1 of 3 selected')
    await page.keyboard.press('/')
    await page.keyboard.type('0000')
    await expect(rows(page)).toHaveCount(1)
    await expect(bar).toContainText('1 selected, not in this list')
    await expect(selectAllBox(page)).not.toBeChecked()
    expect(await selectAllBox(page).evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(false)

    await selectAllBox(page).click()
    await expect(selectAllBox(page)).toBeChecked()
    await expect(bar).toContainText('2 selected, 1 not in this list')
    await bar.getByRole('button', { name: 'Restart' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('1 is online.')
    await expect(dialog).toContainText(/1 is offline and will be skipped: \S*0001\./)
    await expect(dialog).toContainText(/1 is not in the list on screen: \S*0001\./)
    await expect(dialog.getByRole('button', { name: 'Restart 1 device' })).toBeEnabled()
    await page.keyboard.press('Escape')

    await selectAllBox(page).click()
    await expect(bar).toContainText('1 selected, not in this list')
    await bar.getByRole('button', { name: 'Deselect it' }).click()
    await expect(bar).toHaveCount(0)
  },
)

test(
  'a destructive action on more than 20 devices asks for their number and counts devices without permission',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    const agents = await enroll(23)
    await Promise.all(agents.slice(0, 22).map((agent) => agent.connect(server.url)))
    // Devices count as offline after 30 s of silence. The timer ends with its worker.
    setInterval(() => agents.slice(0, 22).forEach((agent) => agent.ping()), 5_000).unref()
    // Answer for a user without the permission on the first device.
    await page.route('**/devices/permitted', async (route) => {
      const { deviceIds } = route.request().postDataJSON() as { deviceIds: string[] }
      await route.fulfill({ json: { deviceIds: deviceIds.filter((id) => id !== agents[0]!.id) } })
    })
    await page.goto(`${server.url}/devices`)
    await expect(page.getByText('23 devices')).toBeVisible()
    await page.keyboard.press('Control+a')
    await page.getByRole('button', { name: 'Restart', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(/(?:\S+, ){4}\S+ and 18 more/)
    await expect(dialog).toContainText('21 are online.')
    await expect(dialog).toContainText('1 is offline and will be skipped: ')
    await expect(dialog).toContainText('You do not have permission for 1: ')
    const confirm = dialog.getByRole('button', { name: 'Restart 21 devices' })
    await expect(confirm).toBeDisabled()
    await expectAccessible(page)
    await dialog.getByRole('textbox', { name: 'Type 21 to confirm' }).fill('21')
    await expect(confirm).toBeEnabled()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const remove = dialog.getByRole('button', { name: 'Delete 22 devices' })
    await expect(remove).toBeDisabled()
    await expect(dialog.getByRole('textbox', { name: 'Type 22 to confirm' })).toBeFocused()
    await page.keyboard.type('22')
    await expect(remove).toBeEnabled()
    await page.keyboard.press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect(page.getByRole('heading', { name: 'No devices yet' })).toBeVisible()
  },
)
