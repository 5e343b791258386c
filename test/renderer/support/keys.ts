import type { Locator, Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Presses Tab until a control has the focus: a control that Tab does not reach fails. */
export async function tabTo(page: Page, control: Locator) {
  await expect(control).toBeVisible()
  // Found once: a search by role after each key takes longer than the key.
  const found = await control.elementHandle()
  const isFocused = () => found.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 100 && !(await isFocused()); presses++) {
    await page.keyboard.press('Tab')
  }
  await expect(control).toBeFocused()
}

/** Moves the focus to a control by Tab, and presses a key there. */
export async function pressOn(page: Page, control: Locator, key = 'Enter') {
  await tabTo(page, control)
  await page.keyboard.press(key)
}

/** Opens a menu and chooses an item. */
export async function chooseByKeys(page: Page, menu: Locator, name: string) {
  await pressOn(page, menu)
  const item = page.getByRole('menuitem', { name })
  await expect(item).toBeVisible()
  while (!(await item.evaluate((element) => element === document.activeElement))) {
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
}
