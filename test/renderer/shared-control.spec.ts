import { openTerminal } from '../agent/desktop/terminal-window.ts'
import { addUser } from '../support/people.ts'
import { usePage } from './support/fixtures.ts'
import { expect, running, takeControl, test } from './support/real-desktop.ts'

test.setTimeout(180_000)

test('two technicians never type into each other: one asks, the other hands over, and takes back', async ({
  page,
  browser,
  server,
  owner,
  desktop,
}) => {
  const colleague = await addUser(server, owner, ['Device Superuser'])
  const context = await browser.newContext()
  await usePage(context, colleague)
  const second = await context.newPage()
  const terminal = await openTerminal(desktop.display)
  await takeControl(page, server.url, desktop)
  await takeControl(second, server.url, desktop)

  const line = second.getByText(/is in control\. Your keys and clicks are not sent\./)
  await expect(line).toBeVisible()
  await expect(second.getByRole('toolbar', { name: 'Remote control toolbar' })).toContainText('Watching')
  await second.getByTestId('remote-screen').click()
  await second.keyboard.type('b')
  await page.getByTestId('remote-screen').click()
  await page.keyboard.type('a')
  await page.keyboard.press('Enter')
  expect(await terminal.typedUntil('\r')).toBe('a\r')

  await second.getByRole('button', { name: 'Ask for control' }).click()
  await page.getByRole('button', { name: 'Hand over' }).click()
  await expect(line).toHaveCount(0)
  await expect(second.getByRole('toolbar', { name: 'Remote control toolbar' })).toContainText('In control')
  await second.getByTestId('remote-screen').click()
  await page.keyboard.type('a')
  await second.keyboard.type('b')
  await second.keyboard.press('Enter')
  expect(await terminal.typedUntil('\r')).toBe('b\r')

  await page.getByRole('button', { name: 'Take control' }).click()
  await expect(line).toBeVisible()
  await page.getByTestId('remote-screen').click()
  await page.keyboard.type('c')
  await page.keyboard.press('Enter')
  expect(await terminal.typedUntil('\r')).toBe('c\r')

  // From the list of sessions: write to the colleague, and join.
  await page.getByRole('link', { name: 'Sessions', exact: true }).first().click()
  await page.getByRole('button', { name: /: join or write$/ }).click()
  await page.getByRole('menuitem', { name: 'Write a message…' }).click()
  await page.getByLabel('Message', { exact: true }).fill('I need five minutes <b>there</b>.')
  await page.getByRole('button', { name: 'Send the message' }).click()
  await expect(second.getByText(/: I need five minutes <b>there<\/b>\./)).toBeVisible()
  await page.getByRole('button', { name: /: join or write$/ }).click()
  await page.getByRole('menuitem', { name: 'Join' }).click()
  await running(page)
  await terminal.close()
  await context.close()
})
