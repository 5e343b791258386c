import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, running, screenOf, takeControl, test } from './support/real-desktop.ts'

test.setTimeout(180_000)

test('displays together and each in its own window; live screens of selected devices; a screenshot', async ({
  page,
  context,
  server,
  desktop,
}) => {
  const xrandr = (...words: string[]) => promisify(execFile)('xrandr', ['-display', desktop.display.name, ...words])
  await xrandr('--setmonitor', 'left', '500/125x700/175+0+0', 'screen')
  await xrandr('--setmonitor', 'right', '400/100x700/175+500+0', 'none')
  const size = (of: typeof page) =>
    screenOf(of).evaluate((canvas) => [(canvas as HTMLCanvasElement).width, (canvas as HTMLCanvasElement).height])

  await takeControl(page, server.url, desktop)
  await expect.poll(() => size(page)).toEqual([500, 700])
  await page.getByRole('button', { name: 'View', exact: true }).click()
  await page.getByRole('button', { name: 'All in one picture' }).click()
  await expect.poll(() => size(page)).toEqual([900, 700])
  const opened = context.waitForEvent('page')
  await page.getByRole('button', { name: '2 in its own window' }).click()
  const second = await opened
  await running(second)
  await expect.poll(() => size(second)).toEqual([400, 700])
  await expect(second.getByRole('toolbar', { name: 'Remote control toolbar' })).toContainText('In control')
  await expect(page.getByRole('toolbar', { name: 'Remote control toolbar' })).toContainText('In control')
  await second.close()

  await page.keyboard.press('Escape')
  await page.getByTestId('remote-screen').click()
  await page.keyboard.press('Control+Alt+Shift+S')
  const saved = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('link', { name: 'Save' }).click()
  expect((await saved).suggestedFilename()).toMatch(/^.+ \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+Alt+Shift+1')
  await expect.poll(() => size(page)).toEqual([500, 700])

  await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
  await page
    .getByRole('checkbox', { name: /^Select / })
    .last()
    .check()
  await page.getByRole('button', { name: 'Screens' }).click()
  await expect(page.getByRole('img', { name: /^Screen of/ }).filter({ visible: true })).toBeVisible()
  await page.getByRole('link', { name: /^Control / }).click()
  await running(page)
})
