import type { Page } from '@playwright/test'
import { expect as hurried, expectAccessible, test } from './support/fixtures.ts'
import { VisitedAgent } from './support/visited-agent.ts'

/** A busy machine takes seconds to open the page of a device. */
const expect = hurried.configure({ timeout: 20_000 })

const outcome = (page: Page) => page.locator('header [role=status]')
const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' })

/** Opens the palette on a page without own shortcuts, and types. */
async function ask(page: Page, url: string, text: string) {
  await page.goto(`${url}/deploy`)
  await expect(page.getByRole('heading', { name: 'Run this on the device' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(palette(page).locator('input')).toBeFocused()
  await page.keyboard.type(text)
}

test('a palette action runs on the device named in its text', { tag: '@night' }, async ({ page, server, owner }) => {
  const agent = await VisitedAgent.register(owner, { name: 'zagreb-srv-0024' })
  await ask(page, server.url, 'terminal on zagreb')
  await expect(palette(page).getByText('Terminal on zagreb-srv-0024')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${server.url}/devices/${agent.id}/terminal`)

  await ask(page, server.url, 'wake zagreb')
  await expect(palette(page).getByText('Wake zagreb-srv-0024')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(outcome(page)).toContainText(/No online devices sharing public IP/)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('zagreb-srv-0024')
  await expect(outcome(page)).toBeEmpty()

  // On the page of a device, an action needs no name.
  await page.keyboard.press('Control+k')
  await expect(palette(page).locator('input')).toBeFocused()
  await page.keyboard.type('wake')
  await expect(palette(page).getByText('Wake zagreb-srv-0024')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(outcome(page)).toContainText(/No online devices sharing public IP/)
})

test(
  'the palette remembers devices, and shows all hits on demand',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    await enroll(12)
    const agent = await VisitedAgent.register(owner, { name: 'zagreb-srv-0024' })
    await page.goto(`${server.url}/devices/${agent.id}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('zagreb-srv-0024')
    await ask(page, server.url, '')
    await expect(palette(page).getByText('zagreb-srv-0024')).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.type('-000')
    await palette(page).getByText('Show all 11 in the list').click()
    await expect(page).toHaveURL(`${server.url}/devices?q=-000`)
  },
)
