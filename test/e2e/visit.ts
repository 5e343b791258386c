import { chromium, type Page } from '@playwright/test'
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

async function answerThroughSession(page: Page, text: string): Promise<void> {
  await tab(page, 'Remote control').click()
  await running(page)
  await screenOf(page).focus()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await tab(page, 'Chat').click()
}

/** Chats; the answer is typed in the window at the device. */
async function chat(page: Page, device: VisitedDevice): Promise<void> {
  await chooseChat(page, device)
  const answer = await device.personAnswers?.()
  await say(page, 'The driver is there. May I restart your printer?')
  await expect(page.getByRole('log')).toContainText('Shown at the device')
  await (answer ? answer('Yes, please') : answerThroughSession(page, 'Yes, please'))
  await expect(page.getByRole('log')).toContainText('Yes, please')
  await page.getByRole('button', { name: 'Close chat' }).click()
  await expect(page.getByRole('log')).toContainText('You closed this chat.')
}

/** Opens the desktops of a device in Chromium, signed in. */
export async function onControlPage(
  owner: Member,
  deviceId: string,
  work: (page: Page) => Promise<unknown>,
): Promise<void> {
  const browser = await chromium.launch(chromiumLaunch())
  try {
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signInBrowser(context, owner.url, { email: owner.user.email, password: account.password })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    await page.goto(`${owner.url}/devices/${deviceId}/control`)
    await work(page)
  } finally {
    await browser.close()
  }
}

/**
 * A technician visits a device with Chromium: takes control, types, copies, sends a file, runs a command, chats and
 * leaves.
 */
export async function visit(owner: Member, deviceId: string, device: VisitedDevice): Promise<void> {
  await onControlPage(owner, deviceId, async (page) => {
    await typeInControl(page, device)
    await copyBothWays(page, device)
    await sendFile(page, device)
    await runCommand(page, device)
    await chat(page, device)
    await tab(page, 'Remote control').click()
    await endControl(page)
  })
}
