import type { Locator } from '@playwright/test'
import { openTerminal } from '../agent/desktop/terminal-window.ts'
import { addUser } from '../support/people.ts'
import { usePage } from './support/fixtures.ts'
import { expect, running, takeControl, test } from './support/real-desktop.ts'

test.setTimeout(180_000)

test(
  'two technicians never type into each other: one asks, the other hands over, and takes back',
  { tag: '@night' },
  async ({ page, browser, server, owner, desktop }) => {
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
    await terminal.close()
    await context.close()
  },
)

test(
  'a colleague is written to, gets control and is joined from the lists of sessions and devices, and from the device',
  { tag: '@night' },
  async ({ page, browser, server, owner, desktop }) => {
    const colleague = await addUser(server, owner, ['Device Superuser'])
    const context = await browser.newContext()
    await usePage(context, colleague)
    const second = await context.newPage()
    await takeControl(page, server.url, desktop)
    await takeControl(second, server.url, desktop)
    const choose = async (button: Locator, item: string) => {
      await button.click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    const write = async (button: Locator, text: string) => {
      await choose(button, 'Write a message…')
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Send the message' }).click()
      await expect(second.getByText(`: ${text}`)).toBeVisible()
    }
    await page.getByRole('link', { name: 'Sessions', exact: true }).first().click()
    const inSessions = page.getByRole('button', { name: /: join or write$/ })
    await write(inSessions, 'I need five minutes <b>there</b>.')
    await choose(inSessions, 'Hand over control')
    await expect(second.getByRole('toolbar', { name: 'Remote control toolbar' })).toContainText('In control')
    await inSessions.click()
    await expect(page.getByRole('menuitem', { name: 'Join' })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Hand over control' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    const inList = page.getByRole('row').getByRole('button', { name: /^Now here: / })
    await write(inList, 'Done in a minute.')
    await choose(inList, 'Join')
    await running(page)
    await page.getByRole('tab', { name: 'Overview' }).click()
    const onDevice = page.getByRole('button', { name: /^Now here: / })
    await write(onDevice, 'Thank you.')
    await choose(onDevice, 'Join')
    await running(page)
    await context.close()
  },
)
