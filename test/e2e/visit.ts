import { chromium } from '@playwright/test'
import { chromiumLaunch } from '../../tools/chromium.mjs'
import { signInBrowser } from '../../tools/simulate/page-session.ts'
import { expect, running, screenOf } from '../renderer/support/real-desktop.ts'
import { account, type Member } from '../support/server.ts'
import {
  chooseChat,
  copyBothWays,
  endControl,
  runCommand,
  say,
  sendFile,
  tab,
  typeInControl,
  type VisitedDevice,
} from './visit-steps.ts'

/** Chats; the person answers in the window there, typed through the session. */
async function chat(page: Parameters<typeof say>[0], device: VisitedDevice): Promise<void> {
  await chooseChat(page, device)
  await say(page, 'The driver is there. May I restart your printer?')
  await expect(page.getByRole('log')).toContainText('Shown at the device')
  await tab(page, 'Remote control').click()
  await running(page)
  await screenOf(page).focus()
  await page.keyboard.type('Yes, please')
  await page.keyboard.press('Enter')
  await tab(page, 'Chat').click()
  await expect(page.getByRole('log')).toContainText('Yes, please')
}

/**
 * A technician visits a device with Chromium: takes control, types, copies, sends a file, runs a command, chats and
 * leaves. `noChat` is the reason why the device cannot show a chat; null leaves the chat out.
 */
export async function visit(
  owner: Member,
  deviceId: string,
  device: VisitedDevice,
  noChat?: string | null,
): Promise<void> {
  const browser = await chromium.launch(chromiumLaunch())
  try {
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signInBrowser(context, owner.url, { email: owner.user.email, password: account.password })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    await page.goto(`${owner.url}/devices/${deviceId}/control`)
    await typeInControl(page, device)
    await copyBothWays(page, device)
    await sendFile(page, device)
    await runCommand(page, device)
    if (noChat === undefined) {
      await chat(page, device)
    } else if (noChat !== null) {
      await chooseChat(page, device)
      await say(page, 'Is somebody there?')
      await expect(page.getByRole('log')).toContainText(noChat)
    }
    await tab(page, 'Remote control').click()
    await endControl(page)
  } finally {
    await browser.close()
  }
}
