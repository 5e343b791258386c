import { expect, expectAccessible, test } from './support/fixtures.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'

test(
  'the chooser and every viewer name the others who view or control the device',
  { tag: '@night' },
  async ({ page, context, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    const address = `${server.url}/devices/${desktop.deviceId}/control`
    await page.goto(address)
    await page.getByRole('button', { name: 'Control', exact: true }).click()
    await expect(page.getByText('In control')).toBeVisible()
    await expect(page.getByText('this device.')).toHaveCount(0)

    await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    const back = page.getByRole('link', { name: /^Back to Remote control on / })
    await expect(back).toBeVisible()
    await expect(page.getByRole('img', { name: 'Now here: You (Remote control)' })).toBeVisible()
    await expectAccessible(page)
    await back.click()
    await expect(page.getByText('In control')).toBeVisible()
    await expect(page.getByText('this device.')).toHaveCount(0)
    expect(desktop.requests).toHaveLength(1)

    const second = await context.newPage()
    await second.goto(address)
    await expect(second.getByText('Your other window controls this device.')).toBeVisible()
    await second.getByRole('button', { name: 'View only', exact: true }).click()
    const toolbar = (of: typeof page) => of.getByRole('toolbar', { name: 'Remote control toolbar' })
    await expect(toolbar(second).getByText('Your other window controls this device.')).toBeVisible()
    const notice = toolbar(page).getByText('Your other window sees this device.')
    await expect(notice).toBeVisible()
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect.poll(() => notice.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0)
    await second.setViewportSize({ width: 1024, height: 700 })
    // The text is shortened, and covers no button.
    const presence = toolbar(second).getByText('Your other window controls this device.')
    const view = toolbar(second).getByRole('button', { name: 'View', exact: true })
    await expect
      .poll(async () => {
        const [text, button] = await Promise.all([presence.boundingBox(), view.boundingBox()])
        return button!.x - text!.x - text!.width
      })
      .toBeGreaterThanOrEqual(0)

    await toolbar(second).getByRole('button', { name: 'End the session' }).click()
    await expect(toolbar(page).getByText('Your other window sees this device.')).toHaveCount(0)
    await desktop.stop()
  },
)
