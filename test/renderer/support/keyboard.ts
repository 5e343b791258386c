import { expect, type Locator, type Page } from '@playwright/test'

/** Presses Tab until a control has the focus: a control that Tab does not reach fails. */
export async function tabTo(page: Page, control: Locator) {
  await expect(control).toBeVisible()
  const isFocused = () => control.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 100 && !(await isFocused()); presses++) {
    await page.keyboard.press('Tab')
  }
  await expect(control).toBeFocused()
}

/** Presses a key on a control that Tab reaches. */
export const press = async (page: Page, control: Locator, key = 'Enter') => {
  await tabTo(page, control)
  await page.keyboard.press(key)
}

/** Opens a menu and chooses an item. */
export async function chooseByKeys(page: Page, menu: Locator, name: string) {
  await press(page, menu)
  const item = page.getByRole('menuitem', { name })
  await expect(item).toBeVisible()
  while (!(await item.evaluate((element) => element === document.activeElement))) {
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
}
