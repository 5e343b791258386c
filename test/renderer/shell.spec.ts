import type { Page } from '@playwright/test'
import { account } from '../support/server.ts'
import { expect, expectAccessible, freshPageTest as test } from './support/fixtures.ts'
import { cuttableNetwork } from './support/network.ts'

// Keys that arrive during a transition are what half of these tests are about.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

/** Markup of texts and controls that reach over an edge of the window. */
const cutOff = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, input, h1, h2, p, nav a')]
      // Tabs and filters that do not fit are scrolled to.
      .filter(
        (element) =>
          element.checkVisibility() &&
          !element.closest('.visually-hidden, [aria-hidden], [role=tablist], [role=search] [role=group]'),
      )
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect()
        return width > 1 && (left < 0 || right > innerWidth + 1)
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  )

test('Ctrl+K finds a device, a page and a command', { tag: '@night' }, async ({ page, server, enroll }) => {
  await enroll(12)
  await page.goto(`${server.url}/deploy`)
  await expect(page.getByRole('heading', { name: 'Run this on the device' })).toBeVisible()
  const search = page.getByRole('dialog').locator('input')
  await page.keyboard.press('Control+k')
  await expect(search).toBeFocused()
  await page.keyboard.type('0004')
  await expect(
    page
      .getByRole('dialog')
      .getByText(/-0004$/)
      .first(),
  ).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/-0004$/)

  await page.keyboard.press('Control+k')
  await expect(search).toBeFocused()
  await page.keyboard.type('theme: dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await expectAccessible(page)
})

test(
  'the palette takes keys typed right after Ctrl+K, is empty when reopened and restores the focus; shortcuts open pages and are listed',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    await page.goto(`${server.url}/devices`)
    await expect(page.getByRole('heading', { name: 'No devices yet' })).toBeVisible()
    const search = page.getByRole('dialog').locator('input')
    const before = page.getByRole('main').getByRole('link').first()
    for (let round = 0; round < 2; round++) {
      await before.focus()
      // Independent of the machine's speed: the shortcut itself moves the focus synchronously.
      const focused = await page.evaluate(() => {
        const key = { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }
        document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', key))
        return document.activeElement!.matches('[role="dialog"] input')
      })
      expect(focused).toBe(true)
      await page.keyboard.type('gpq?')
      await expect(search).toHaveValue('gpq?')
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expect(before).toBeFocused()
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('earlier')
    await expect(search).toHaveValue('earlier')
    // Reopened while it fades out.
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Control+k')
    await expect(search).toHaveValue('')
    await page.keyboard.type('later')
    await expect(search).toHaveValue('later')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)

    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await expect(page).toHaveURL(/\/deploy$/)
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect(sheet).toContainText('Go to devicesGD')
    await expect(sheet).toContainText('Go to deployGP')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  },
)

test(
  'Enter in the palette never opens a result of an earlier text',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    await enroll(12)
    await page.goto(`${server.url}/deploy`)
    await expect(page.getByRole('heading', { name: 'Run this on the device' })).toBeVisible()
    const search = page.getByRole('dialog').locator('input')
    await page.keyboard.press('Control+k')
    await expect(search).toBeFocused()
    await page.keyboard.type('0004')
    await expect(
      page
        .getByRole('dialog')
        .getByText(/-0004$/)
        .first(),
    ).toBeVisible()
    await search.selectText()
    await page.keyboard.insertText('theme: dark')
    await page.keyboard.press('Enter')
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await expect(page).toHaveURL(/\/deploy$/)
  },
)

test(
  'a chord is timed by its key presses, also when the page is busy',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    await page.goto(`${server.url}/devices`)
    await expect(page.getByRole('heading', { name: 'No devices yet' })).toBeVisible()
    await page.evaluate(() => {
      const [first, second] = ['g', 'p'].map((key) => new KeyboardEvent('keydown', { key, bubbles: true }))
      document.body.dispatchEvent(first!)
      const until = performance.now() + 1_100
      while (performance.now() < until) {
        // Delays the second event, as a busy page does.
      }
      document.body.dispatchEvent(second!)
    })
    await expect(page).toHaveURL(/\/deploy$/)
  },
)

test('G C opens the recordings, also from a list in which C takes control of a device', async ({
  page,
  server,
  enroll,
}) => {
  const [agent] = await enroll(1)
  await agent!.connect(server.url)
  await page.goto(`${server.url}/devices`)
  await expect(page.getByRole('button', { name: /^Online\s*1$/ })).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Devices' })).toBeFocused()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await expect(page.getByRole('heading', { level: 1, name: 'Recordings' })).toBeVisible()
  await expect(page).toHaveURL(`${server.url}/recordings`)
})

const openMenu = (page: Page) => page.getByRole('button', { name: /Account menu/ }).click()

test(
  'from the account menu: licenses, and a new password with the wrong current one',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    await page.goto(`${server.url}/deploy`)
    await openMenu(page)
    await page.getByRole('menuitem', { name: 'About this appliance' }).click()
    await expect(page.getByRole('dialog')).toContainText('a key file that only the server can read')
    const opened = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Open-source licenses' }).click()
    const licenses = await opened
    await expect(licenses.locator('body')).toContainText('@novnc/novnc')
    await expect(licenses.locator('body')).toContainText('Mozilla Public License')
    await licenses.close()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)

    await openMenu(page)
    await page.getByRole('menuitem', { name: 'Change password' }).click()
    await page.getByLabel('Current password').fill('Wrong-Horse-7')
    await page.getByLabel('New password').fill('Better-Horse-8')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('The current password is wrong.')).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel('Current password').fill('Correct-Horse-7')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('Your password is changed.')).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  },
)

test(
  'a password is changed from the account menu; theme, density and navigation are chosen there, and applied before the first paint',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    await page.goto(`${server.url}/deploy`)
    await openMenu(page)
    await page.getByRole('menuitem', { name: 'Change password' }).click()
    await page.getByLabel('Current password').fill(account.password)
    await page.getByLabel('New password').fill(account.password)
    await expect(page.getByText('Choose another password than the current one.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Change password' })).toBeDisabled()
    await page.getByLabel('New password').fill('Better-Horse-8')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('Your password is changed.')).toBeVisible()

    await openMenu(page)
    await page.getByText('Dark', { exact: true }).click()
    await page.getByText('Comfortable', { exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Collapse navigation' }).click()
    // Without the application, only the page itself and its inline script run.
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.reload()
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await expect(page.locator('html')).toHaveAttribute('data-density', 'comfortable')
    await page.unroute('**/assets/*.js')
    // The account and its preferences are asked for side by side.
    const user = Promise.withResolvers<void>()
    await page.route('**/api/auth/me', (route) => user.promise.then(() => route.continue()))
    const preferences = page.waitForRequest('**/api/v1/user-preferences/theme-mode?*')
    await page.reload()
    await preferences
    user.resolve()
    await expect(page.getByRole('button', { name: 'Expand navigation' })).toBeVisible()
  },
)

test(
  'without the server, nothing looks current; the banner says since when, and retries',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    const [agent] = await enroll(2)
    await agent!.connect(server.url)
    const network = await cuttableNetwork(page)
    await page.goto(`${server.url}/devices`)
    const row = page.locator('[role=row][data-index]').filter({ hasText: '0000' })
    await expect(row).toContainText('Online')
    await row.click()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    network.cut()
    await expect(page.getByRole('alert')).toContainText(
      /^No connection to the server since .+ This page may be out of date/,
    )
    await expect(page.getByText(/^Next try in \d+ s$/)).toBeVisible()
    await expect(row).toContainText('Was online')
    await expect(page.getByRole('complementary')).toContainText(/Was online at /)
    await expectAccessible(page)
    // A page whose code did not load by now.
    await page.route('**/assets/audit-page-*', (route) => route.abort())
    const asked: string[] = []
    page.on('request', (request) => asked.push(/(?:audit|backup)-page/.exec(request.url())?.[0] ?? ''))
    await page.getByRole('link', { name: 'Backup', exact: true }).hover()
    await page.getByRole('link', { name: 'Backup', exact: true }).focus()
    await page.getByRole('link', { name: 'Audit log' }).click()
    await expect(page.getByRole('heading', { name: 'This page is not loaded' })).toBeVisible()
    await expect(page.getByText('Reload the page once the connection is back.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Reload' })).toBeDisabled()
    // A failed load ahead could spoil the click after the connection is back.
    expect(asked).toContain('audit-page')
    expect(asked).not.toContain('backup-page')
    await page.unroute('**/assets/audit-page-*')
    await page.goBack()
    await page.getByRole('searchbox').fill('0001')
    await expect(page.getByText('Waiting for the server.')).toBeVisible()
    await expect(page.getByText(/^Next try in (9|10) s$/)).toBeVisible({ timeout: 20_000 })
    network.mend()
    await page.getByRole('button', { name: 'Try now' }).click()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(page.locator('[role=row][data-index]')).toHaveCount(1)
  },
)

test(
  'pages open although the storage of the browser is full',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    await page.addInitScript(() => {
      for (let size = 2 ** 23; size >= 1; size /= 2) {
        try {
          localStorage.setItem(`filler-${size}`, 'x'.repeat(size))
        } catch {
          // Smaller ones may fit.
        }
      }
    })
    await page.goto(`${server.url}/audit`)
    await expect(page.getByRole('heading', { name: 'Audit log' })).toBeVisible()
  },
)

test(
  'on a slow line the frame of a page stays while first its code and then the session loads',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    const code = Promise.withResolvers<void>()
    const user = Promise.withResolvers<void>()
    await page.route('**/assets/shell-*.js', (route) => code.promise.then(() => route.continue()))
    await page.route('**/api/auth/me', (route) => user.promise.then(() => route.continue()))
    await page.goto(`${server.url}/audit`, { waitUntil: 'commit' })
    await expect(page.locator('[data-late]')).toBeVisible()
    const stays = page.evaluate(() => {
      const frame = document.querySelector('[data-late]')!
      return new Promise<boolean>((resolve) => {
        new MutationObserver(() => {
          if (!frame.isConnected) {
            resolve(document.querySelector('[data-late]') !== null)
          }
        }).observe(document.body, { childList: true, subtree: true })
      })
    })
    code.resolve()
    expect(await stays).toBe(true)
    user.resolve()
    await expect(page.getByRole('heading', { name: 'Audit log' })).toBeVisible()
  },
)

test('pages open although the browser blocks all storage', async ({ page, server, owner: _ }) => {
  await page.addInitScript(() => {
    for (const name of ['sessionStorage', 'localStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('The storage is blocked.', 'SecurityError')
        },
      })
    }
  })
  await page.goto(`${server.url}/deploy`)
  // The key of the page is kept in a storage, so the session that the test began is none here.
  await page.getByRole('textbox', { name: 'Email' }).fill(account.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Deploy' })).toBeVisible()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await expect(page.getByRole('heading', { name: 'Audit log' })).toBeVisible()
})

test(
  'the code of a page loads when its link gets the pointer or the focus, and not before',
  { tag: '@night' },
  async ({ page, server, owner: _ }) => {
    const loaded: string[] = []
    page.on('response', (response) => loaded.push(/[\w-]+-page(?=-)/.exec(response.url())?.[0] ?? ''))
    const pages = () => loaded.filter((name) => name !== '')
    await page.goto(`${server.url}/deploy`)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect.poll(pages).toEqual(['deploy-page'])
    await page.getByRole('link', { name: 'Audit log' }).hover()
    await expect.poll(pages).toEqual(['deploy-page', 'audit-page'])
    await page.getByRole('link', { name: 'Backup', exact: true }).focus()
    await expect.poll(pages).toEqual(['deploy-page', 'audit-page', 'backup-page'])
  },
)

test('nothing is cut off in a window of 720 or 390 px', { tag: '@night' }, async ({ page, server, enroll }) => {
  const [agent] = await enroll(30)
  for (const path of ['/devices', `/devices?device=${agent!.id}`, `/devices/${agent!.id}`, '/deploy']) {
    await page.setViewportSize({ width: 720, height: 900 })
    await page.goto(server.url + path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expect(page.getByText('Live', { exact: true }).or(page.locator('nav [role=status]')).first()).toBeAttached()
    expect(await cutOff(page), `${path} in 720 px`).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => cutOff(page), `${path} in 390 px`).toEqual([])
  }
  // Title, action and filters leave most of a phone to the list.
  await page.goto(`${server.url}/devices`)
  const first = page.locator('[role=row][data-index]').first()
  await expect.poll(async () => (await first.boundingBox())?.y).toBeLessThan(844 / 3)
})
