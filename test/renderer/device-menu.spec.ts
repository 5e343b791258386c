import { expect, expectAccessible, freshPageTest as alone } from './support/fixtures.ts'
import { test } from './support/stage.ts'
import { VisitedAgent } from './support/visited-agent.ts'

test(
  'a restart is ordered for later, and canceled; changes that the system has not are not offered',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = await VisitedAgent.register(owner, { name: 'till' })
    await agent.connect(server.url)
    await agent.reportPower(['lock'])
    await page.goto(`${server.url}/devices/${agent.id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await expect(page.getByRole('menuitem', { name: 'Lock', exact: true })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Sleep', exact: true })).toHaveCount(0)
    await page.getByRole('menuitem', { name: 'Restart or shut down later' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restart or shut down till' })
    await dialog.getByRole('combobox', { name: 'When' }).click()
    await page.getByRole('option', { name: 'In an hour' }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Order the restart' }).click()
    const line = page.getByRole('group', { name: 'Ordered restart or shutdown' })
    await expect(page.getByRole('button', { name: 'More' })).toBeFocused()
    await expect(line).toContainText('Whoever is signed in may delay or decline it.')
    expect(agent.asked).toEqual(['order restart'])
    await expectAccessible(page)
    await line.getByRole('button', { name: 'Cancel it' }).click()
    await expect(line).toHaveCount(0)
  },
)

alone(
  'a device in its own window has no navigation, on each of its pages',
  { tag: '@night' },
  async ({ page, server, owner, context }) => {
    const agent = await VisitedAgent.register(owner, { name: 'oslo-srv-7' })
    await agent.connect(server.url)
    await page.goto(`${server.url}/devices/${agent.id}`)
    await expect(page.getByRole('navigation', { name: 'Main navigation' })).toBeVisible()
    await page.getByRole('button', { name: 'More' }).click()
    const [own] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('menuitem', { name: 'Open in new tab' }).click(),
    ])
    await expect(own.getByRole('heading', { level: 1 })).toHaveText('oslo-srv-7')
    await expect(own.getByRole('navigation', { name: 'Main navigation' })).toHaveCount(0)
    await own.getByRole('tab', { name: 'Terminal' }).click()
    await expect(own).toHaveURL(`${server.url}/devices/${agent.id}/terminal`)
    await own.reload()
    await expect(own.getByRole('tab', { name: 'Terminal' })).toBeVisible()
    await expect(own.getByRole('navigation', { name: 'Main navigation' })).toHaveCount(0)
    await expect(page.getByRole('navigation', { name: 'Main navigation' })).toBeVisible()
  },
)

test(
  'in a window of 720 or 340 px, actions without space move under More',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = await VisitedAgent.register(owner, { name: 'a-name-that-is-rather-long-for-a-window-'.repeat(2) })
    await agent.connect(server.url)
    await page.goto(`${server.url}/devices/${agent.id}`)
    for (const [width, collapsed] of [
      [720, /^Wake/],
      [340, /^Restart$/],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.getByRole('button', { name: 'More' }).click()
      await expect(page.getByRole('menuitem', { name: collapsed })).toBeVisible()
      expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
      await page.getByRole('button', { name: 'More' }).click()
      await expect(page.getByRole('menuitem')).toHaveCount(0)
    }
  },
)
