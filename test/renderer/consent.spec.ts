import type { Page } from '@playwright/test'
import { openX11Desktop } from '../../agent/platform/linux/x11/desktop.ts'
import { keyboardInputMode } from '../../shared/remote-control/values.ts'
import { nextFocus } from '../agent/desktop/next-focus.ts'
import { expectAccessible, test as quickTest } from './support/fixtures.ts'
import { cardOf, expect, openCards, running, test } from './support/real-desktop.ts'

test.setTimeout(240_000)

/** Makes the policy that the person at each device is always asked. */
async function makePolicy(page: Page, url: string) {
  await page.goto(`${url}/settings`)
  await page.getByRole('link', { name: 'Consent', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Nobody is asked yet' })).toBeVisible()
  await page.getByRole('button', { name: 'New policy' }).first().click()
  const form = page.getByRole('dialog', { name: 'New consent policy' })
  await form.getByLabel('Name').fill('Ask at the desk')
  await form.getByRole('combobox', { name: 'Control the screen' }).click()
  await page.getByRole('option', { name: 'Always ask' }).click()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create policy' }).click()
  await expect(page.getByRole('complementary', { name: 'Ask at the desk' })).toContainText('All devices')
}

quickTest('a consent policy is made by click', async ({ page, server, owner: _ }) => {
  await makePolicy(page, server.url)
})

test(
  'a policy made by click lets the person at the device allow visits for an hour, and refuse one after the owner removed that answer',
  { tag: '@night' },
  async ({ page, server, desktop }) => {
    await makePolicy(page, server.url)
    const person = await openX11Desktop({ display: desktop.display.name })
    const press = (key: string) => {
      const modifiers = { control: false, shift: false, alt: false, meta: false }
      for (const isPressed of [true, false]) {
        person.input.setKey({ key, code: key, mode: keyboardInputMode.Physical, modifiers, isPressed })
      }
    }
    const visit = async () => {
      await openCards(page, server.url, desktop)
      const control = cardOf(page, desktop).getByRole('button', { name: 'Control', exact: true })
      await control.click()
    }

    const isFocused = await nextFocus(desktop.display)
    await visit()
    await expect(page.getByRole('heading', { name: /^Asking the person at / })).toBeVisible()
    await expect(page.getByText('Policy: Ask at the desk.')).toBeVisible()
    await expectAccessible(page)
    await isFocused()
    // Decline, allow, allow for an hour.
    press('Tab')
    press('Tab')
    press('Enter')
    await running(page)
    await visit()
    await running(page)

    await page.goto(`${server.url}/devices/${desktop.device.id}`)
    const consent = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Consent', exact: true }) })
    await expect(consent).toContainText('Always ask (Ask at the desk)')
    await expect(consent).toContainText(/ allows .*: control the screen, until /)
    await expectAccessible(page)
    await consent.getByRole('button', { name: 'Remove these answers' }).click()
    await expect(consent.getByRole('button', { name: 'Remove these answers' })).toHaveCount(0)

    const isFocusedAgain = await nextFocus(desktop.display)
    await visit()
    await isFocusedAgain()
    press('Enter')
    await expect(page.getByRole('alert')).toContainText(
      'The person at the device declined. (Policy: “Ask at the desk”.)',
    )
    await expectAccessible(page)
    person.close()
  },
)
