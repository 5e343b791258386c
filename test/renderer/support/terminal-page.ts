import type { Page } from '@playwright/test'
import { expect } from './expect.ts'
import type { TerminalAgent } from './terminal-agent.ts'

/** Lines of the terminals on a page. */
export const screen = (page: Page) => page.locator('.xterm-rows')

/** Waits until the focused terminal is connected. */
export const connected = (page: Page) => expect(page.getByText('Connected', { exact: true })).toBeVisible()

export async function openTerminal(page: Page, url: string, agent: TerminalAgent) {
  await page.goto(`${url}/devices/${agent.deviceId}/terminal`)
  await connected(page)
}
