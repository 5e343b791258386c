import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { account, signInTo } from '../support/server.ts'
import { expect, test } from './support/fixtures.ts'
import { chooseByKeys, pressOn, tabTo } from './support/keys.ts'

/** Names of the controls that Tab never reaches. */
async function unreached(page: Page) {
  await page.evaluate(() => {
    const root = document.querySelector('[role=dialog]') ?? document
    const controls = [...root.querySelectorAll<HTMLElement>('a[href],button,input,select,textarea,[tabindex="0"]')]
    for (const control of controls.filter((each) => each.checkVisibility() && each.tabIndex === 0)) {
      control.toggleAttribute('data-unreached', !control.matches(':disabled'))
    }
    document.addEventListener('focusin', ({ target }) => (target as HTMLElement).removeAttribute('data-unreached'))
    document.activeElement?.removeAttribute('data-unreached')
    // Tab reaches a single radio button of a group.
    document
      .querySelectorAll('input[type=radio]:not(:checked)')
      .forEach((radio) => radio.removeAttribute('data-unreached'))
  })
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab')
  }
  return page
    .locator('[data-unreached]')
    .evaluateAll((controls) => controls.map(({ outerHTML }) => outerHTML.slice(0, 200)))
}

test(
  'a person signs in and turns on two-factor authentication by keyboard alone, which ends a forgotten session',
  { tag: '@night' },
  async ({ page, server }) => {
    await server.owner()
    await signInTo(server.url)
    await page.goto(`${server.url}/sign-in`)
    await expect(page.getByLabel('Email')).toBeFocused()
    await page.keyboard.type(account.email)
    await tabTo(page, page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(account.password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/home$/)
    await chooseByKeys(page, page.getByRole('button', { name: /Account menu/ }), 'Your account')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your account')

    await pressOn(
      page,
      page.getByRole('region', { name: 'Two-factor authentication' }).getByRole('button', { name: 'Turn on' }),
    )
    const setup = page.getByRole('dialog', { name: 'Turn on two-factor authentication' })
    await expect(setup.getByLabel('Code from the app')).toBeFocused()
    const key = (await setup.locator('code').innerText()).replaceAll(' ', '')
    await page.keyboard.type(TOTP.generate({ secret: Secret.fromBase32(key) }))
    await page.keyboard.press('Enter')
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    await expect(codes.getByRole('listitem')).toHaveCount(10)
    const saving = page.waitForEvent('download')
    await pressOn(page, codes.getByRole('button', { name: 'Download' }))
    await saving
    await pressOn(page, codes.getByRole('button', { name: 'Done' }), 'Space')
    await expect(codes).toBeHidden()

    const signIns = page.getByRole('list', { name: 'Where you are signed in' }).getByRole('listitem')
    // Turning it on ends all other sign-ins.
    await expect(signIns).toHaveCount(1)
  },
)

test(
  'Tab reaches every control of the sign-in, help, account and audit pages',
  { tag: '@night' },
  async ({ page, server, owner, browser }) => {
    const visitor = await (await browser.newContext()).newPage()
    for (const path of ['/sign-in', '/sign-in/help']) {
      await visitor.goto(server.url + path)
      await expect(visitor.getByRole('heading', { level: 1 })).toBeVisible()
      expect([path, await unreached(visitor)]).toEqual([path, []])
    }
    await visitor.context().close()
    await owner.applianceAccount.createToken({ body: { name: 'nightly' } })
    await page.goto(`${server.url}/account`)
    await expect(page.getByRole('list', { name: 'Where you are signed in' })).toBeVisible()
    expect(await unreached(page)).toEqual([])
    await page.goto(`${server.url}/audit`)
    await expect(page.getByRole('grid', { name: 'Entries' })).toBeVisible()
    expect(await unreached(page)).toEqual([])
  },
)
