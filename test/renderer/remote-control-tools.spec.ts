import { expect } from './support/fixtures.ts'
import { displayOf, ScriptedDesktop } from './support/scripted-desktop.ts'
import { test } from './support/stage.ts'

test('tools, host keys and tabs have exactly their named effect at the device', async ({ page, server, owner }) => {
  const desktop = await ScriptedDesktop.start(owner)
  desktop.displays = [displayOf(0, 320, 200), displayOf(1, 200, 200, 320)]
  await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
  await page.getByRole('button', { name: 'Control', exact: true }).click()
  await expect(page.getByText('In control')).toBeVisible()
  const strokes = () => desktop.sent('KeyEvent').map(({ code, isPressed }) => `${isPressed ? '+' : '-'}${code}`)

  await page.getByRole('button', { name: 'View', exact: true }).click()
  await page.getByRole('switch', { name: 'Show the pointer of the device' }).click()
  await expect.poll(() => desktop.sent('UpdateCaptureSettings').at(-1)).toMatchObject({ captureCursor: true })

  await page.getByRole('button', { name: 'Input', exact: true }).click()
  await page.getByRole('button', { name: 'Alt+F4' }).click()
  await expect.poll(strokes).toEqual(['+AltLeft', '+F4', '-F4', '-AltLeft'])
  await page.getByRole('switch', { name: 'Block the keyboard' }).click()
  await expect(page.getByText('Waiting for the device to confirm…')).toBeVisible()
  await expect.poll(() => desktop.sent('ToggleBlockInput')).toEqual([{ isEnabled: true }])
  await desktop.channel!.send('BlockInputResult', { isSuccess: true, finalState: true })
  await expect(page.getByText('Blocked: only you have keyboard and pointer.')).toBeVisible()
  const toolbar = page.getByRole('toolbar')
  await expect(toolbar.getByRole('status', { name: 'Input blocked' })).toBeVisible()
  const reason = 'The person there pressed Ctrl+Alt+Del.'
  await desktop.channel!.send('BlockInputResult', { isSuccess: true, finalState: false, reason })
  await expect(page.getByText(reason)).toBeVisible()
  await expect(toolbar.getByRole('status', { name: 'Input blocked' })).toHaveCount(0)

  // Screens are said to be blank only once the device has confirmed it, and devices that cannot say so before a click.
  const blank = page.getByRole('switch', { name: 'Blank the screens there' })
  await blank.click()
  await expect.poll(() => desktop.sent('TogglePrivacyScreen')).toEqual([{ isEnabled: true }])
  await expect(toolbar.getByRole('status', { name: 'Screens blank' })).toHaveCount(0)
  await desktop.channel!.send('PrivacyScreenResult', { isSuccess: true, finalState: true })
  await expect(toolbar.getByRole('status', { name: 'Screens blank' })).toBeVisible()
  const privacyScreenObstacle = 'This device has no way to blank its screens.'
  await desktop.channel!.send('DesktopStatus', {
    blockInputObstacle: null,
    privacyScreenObstacle,
    isSecureDesktop: true,
  })
  await expect(toolbar.getByRole('status', { name: 'Secure desktop' })).toBeVisible()
  await expect(page.getByText(privacyScreenObstacle)).toBeVisible()
  await expect(blank).toBeDisabled()
  await page.getByRole('button', { name: 'Type text…' }).click()
  await page.getByLabel('Text', { exact: true }).fill('Grüße\n')
  await page.getByRole('button', { name: 'Type', exact: true }).click()
  await expect.poll(() => desktop.sent('TypeText')).toEqual([{ text: 'Grüße\n' }])

  // The dialog returns the focus; modifiers of a host key are released at the device before its action runs.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+Alt+Shift+2')
  await expect.poll(() => desktop.sent('ChangeDisplays')).toEqual([{ displayId: 'display-1' }])
  await expect.poll(() => desktop.sent('ResetKeyboardState').length).toBeGreaterThan(0)
  await page.keyboard.press('Control+Alt+Shift+F')
  await expect(page.getByText('Ctrl+Alt+Shift+F leaves full screen')).toBeVisible()
  await page.keyboard.press('Control+Alt+Shift+F')
  await expect(page.getByRole('button', { name: 'Full screen', exact: true })).toBeVisible()
  await page.keyboard.press('Control+Alt+Shift+T')
  await expect(page.getByRole('toolbar').locator(':focus')).toHaveCount(1)
  expect(strokes().filter((stroke) => /KeyF|KeyT|Digit2/.test(stroke))).toEqual([])

  // A hidden session gets little bandwidth, and all of it again afterwards; it ends when the person ends it.
  const limits = () => desktop.sent('UpdateCaptureSettings').map(({ isMaxBandwidthEnabled }) => isMaxBandwidthEnabled)
  await page.getByRole('tab', { name: 'Overview' }).click()
  await expect.poll(() => limits().at(-1)).toBe(true)
  await page.getByRole('tab', { name: 'Remote control' }).click()
  await expect.poll(() => limits().at(-1)).toBe(false)
  await page.getByRole('link', { name: 'Devices' }).first().click()
  await expect.poll(() => limits().at(-1)).toBe(true)
  await page.getByRole('button', { name: /^End Remote control on / }).click()
  await expect.poll(() => desktop.sent('CloseRemoteControlSession').length).toBe(1)
  await desktop.stop()
})
