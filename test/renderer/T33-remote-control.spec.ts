import type { Page } from '@playwright/test'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { expect, expectAccessible } from './support/fixtures.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'
import { test } from './support/stage.ts'

// T33: input typed while its effect is invisible is not sent later.

const typedAt = (desktop: ScriptedDesktop) =>
  desktop
    .sent('KeyEvent')
    .filter(({ isPressed, key }) => isPressed && key.length === 1)
    .map(({ key }) => key)
    .join('')

async function open(page: Page, url: string, desktop: ScriptedDesktop, button = 'Control') {
  await page.goto(`${url}/devices/${desktop.deviceId}/control`)
  await page.getByRole('button', { name: button, exact: true }).click()
}
const inControl = (page: Page) => expect(page.getByText('In control')).toBeVisible({ timeout: 20_000 })

test('keys typed on a broken connection or at an unresponsive device are not sent, and no key stays pressed', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  await open(page, server.url, desktop)
  await inControl(page)
  await page.keyboard.type('before')
  await expect.poll(() => typedAt(desktop)).toBe('before')
  await page.keyboard.down('Shift')
  await page.keyboard.down('Control')
  await page.evaluate(() => window.dispatchEvent(new Event('blur')))
  await expect.poll(() => desktop.sent('ResetKeyboardState').length).toBe(1)
  await page.keyboard.up('Control')
  await page.keyboard.up('Shift')

  desktop.onRequest = async () => failure('not yet')
  desktop.socket!.terminate()
  await expect(page.getByRole('alert')).toContainText('Nothing you type now is sent')
  await page.keyboard.type('rm -rf /')
  await page.keyboard.press('Enter')
  await expectAccessible(page)
  desktop.onRequest = async () => success
  await inControl(page)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.keyboard.type('after')
  await expect.poll(() => typedAt(desktop)).toBe('beforeafter')
  expect(desktop.sent('KeyEvent').filter(({ key }) => key === 'Enter')).toEqual([])

  desktop.isDeaf = true
  await page.keyboard.type('a')
  await expect(page.getByText('nothing is sent later')).toBeVisible({ timeout: 20_000 })
  await page.keyboard.type('unseen')
  desktop.isDeaf = false
  // Unread input is lost in this device; any answer resumes it.
  await desktop.paint([200, 30, 30])
  await page.keyboard.type('x')
  expect(typedAt(desktop)).not.toContain('unseen')
  await desktop.stop()
})

test(
  'a view-only session sends no input, and the device blocks any',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    await open(page, server.url, desktop, 'View only')
    await expect(page.getByRole('toolbar')).toContainText('View only')
    await expect
      .poll(() => desktop.requests[0]?.policy)
      .toEqual({
        canInteract: false,
        canReadClipboard: false,
        canWriteClipboard: false,
        canBlockInput: false,
        canUseSecureDesktop: true,
        canHear: true,
      })
    await page.getByTestId('remote-screen').click()
    await page.keyboard.type('nothing')
    await page.keyboard.press('Control+Alt+Shift+V')
    await inControl(page)
    await expect.poll(() => desktop.requests.length).toBe(2)
    await page.keyboard.type('all')
    await expect.poll(() => typedAt(desktop)).toBe('all')
    expect(desktop.sent('MouseButtonEvent')).toEqual([])
    await desktop.stop()
  },
)

test(
  'the session waits for the person at the device, who may decline',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    const answer = Promise.withResolvers<ReturnType<typeof failure>>()
    desktop.onRequest = () => answer.promise
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await page.getByRole('switch', { name: 'Ask the person at the device first' }).check()
    await page.getByRole('button', { name: 'Control', exact: true }).click()
    await expect(page.getByRole('heading', { name: /^Asking the person at / })).toBeVisible()
    await expect.poll(() => desktop.requests[0]?.requireConsent).toBe(true)
    await expectAccessible(page)
    answer.resolve(failure('The person at the device declined.'))
    await expect(page.getByRole('alert')).toContainText('The person at the device declined.')
    desktop.onRequest = async () => success
    await page.getByRole('button', { name: 'Connect again' }).click()
    await inControl(page)
    desktop.channel!.sendLast('SessionDisconnectRequested', {}, 'enough')
    await expect(page.getByRole('alert')).toContainText('The person at the device ended the session.')
    await desktop.stop()
  },
)
