import { mkdirSync, readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { bytesOf, dock } from '../renderer/support/files.ts'
import { cardOf, expect, running, screenOf } from '../renderer/support/real-desktop.ts'

/** Device as the person there and its disk see a visit. */
export interface VisitedDevice {
  /** Name of the desktop in the list of the device. */
  name: string
  /** Longer title on the card of the desktop, where other sessions have the same name. */
  title?: string
  /** Text that a technician can type there by keyboard. */
  text: string
  /** Resolves when a program at the device has received typed text. */
  receives(text: string): Promise<unknown>
  readClipboard(): Promise<string>
  writeClipboard(text: string): unknown
  /** Folder for a file, as the device names it, and where this machine finds it. */
  folder: string
  onDisk: string
  /** Shell to choose; the default one otherwise. */
  shell?: string
  /**
   * Call before a chat window opens: the returned function waits for the window and answers there as the person at the
   * keyboard. Missing where a technician's session types into the window.
   */
  personAnswers?(): Promise<(text: string) => Promise<unknown>>
  /** Command for the shell, and the text that it prints. */
  command: readonly [line: string, output: string]
}

export const tab = (page: Page, label: string) => page.getByRole('tab', { name: label })

export async function typeInControl(page: Page, { name, title = name, text, receives }: VisitedDevice): Promise<void> {
  await cardOf(page, { name: title }).getByRole('button', { name: 'Control', exact: true }).click()
  await running(page)
  await screenOf(page).click()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await receives(`${text}\r`)
}

export async function copyBothWays(page: Page, device: VisitedDevice): Promise<void> {
  await page.evaluate(() => navigator.clipboard.writeText('serial 4711'))
  // Refocuses the session, as after copying elsewhere.
  await tab(page, 'Remote control').focus()
  await screenOf(page).click()
  await expect.poll(() => device.readClipboard().catch(() => undefined)).toBe('serial 4711')
  await device.writeClipboard('license 0815')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('license 0815')
}

export async function sendFile(page: Page, { folder, onDisk }: VisitedDevice): Promise<void> {
  mkdirSync(onDisk)
  await tab(page, 'Files').click()
  await page.getByRole('grid', { name: /^Files and folders/ }).click({ position: { x: 5, y: 5 } })
  await page.keyboard.press('Control+l')
  await page.getByRole('combobox', { name: 'Path' }).fill(folder)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).first().click()
  await page.getByRole('menuitem', { name: 'Files…' }).click()
  const buffer = bytesOf(300_000)
  await (await chooser).setFiles({ name: 'driver.bin', mimeType: 'application/octet-stream', buffer })
  // Checked before the row, because the list collapses a moment after completion.
  await expect(dock(page)).toContainText('driver.bin')
  await expect(page.getByRole('row').filter({ hasText: 'driver.bin' })).toBeVisible()
  expect(readFileSync(`${onDisk}/driver.bin`).equals(buffer)).toBe(true)
}

export async function runCommand(page: Page, { shell, command: [line, output] }: VisitedDevice) {
  await tab(page, 'Terminal').click()
  if (shell !== undefined) {
    await page.getByRole('button', { name: 'Choose a shell' }).click()
    await page.getByRole('menuitem', { name: shell, exact: true }).click()
  }
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
  await expect(page.locator('.xterm-rows').last()).toContainText(output)
}

export async function chooseChat(page: Page, { name }: VisitedDevice): Promise<void> {
  await tab(page, 'Chat').click()
  const ours = new RegExp(`${name}(?!\\d| wayland)`)
  const conversation = page.locator('section', { has: page.getByRole('textbox', { name: 'Message' }) })
  // Other displays of this machine also have an entry once the device has listed them.
  const desktops = page.getByRole('navigation', { name: 'Users at the device' })
  await expect(async () => {
    if (await desktops.isVisible()) {
      await desktops.getByRole('button').filter({ hasText: ours }).click({ timeout: 2_000 })
    }
    await expect(conversation.getByText(ours).first()).toBeVisible({ timeout: 2_000 })
  }).toPass()
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

export async function endControl(page: Page): Promise<void> {
  await running(page)
  await page.getByRole('button', { name: 'End the session' }).click()
  await expect(page.getByText('You ended the session.')).toBeVisible()
}
