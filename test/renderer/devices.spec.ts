import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectFew, test } from './support/fixtures.ts'

const rows = (page: Page) => page.locator('[role=row][data-index]')
const names = (page: Page) =>
  rows(page).evaluateAll((all) =>
    all
      .map((row) => [Number((row as HTMLElement).dataset.index), row.children[2]?.textContent ?? ''] as const)
      .sort(([one], [other]) => one - other)
      .map(([, name]) => name),
  )
const grid = (page: Page) => page.getByRole('grid', { name: 'Devices' })

test(
  'an empty list links to Deploy; a new device appears without a reload',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    await enroll(0)
    await page.goto(`${server.url}/devices`)
    await expect(page.getByRole('heading', { name: 'No devices yet' })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Deploy the first agent' }).click()
    await expect(page).toHaveURL(/\/deploy$/)
    await enroll(1)
    await page.goBack()
    await expect(rows(page)).toHaveCount(1)
    await enroll(1)
    await expect(rows(page)).toHaveCount(2, { timeout: 30_000 })
  },
)

test('two fast changes of the list both apply', { tag: '@night' }, async ({ page, server, enroll }) => {
  await enroll(2)
  await page.goto(`${server.url}/devices?q=is:offline&sort=-name`)
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('group', { name: 'Filters' }).evaluate((filters) => {
    const named = (root: ParentNode, name: string) =>
      [...root.querySelectorAll('button')].find((button) => button.textContent.startsWith(name))!
    named(filters, 'Offline').click()
    named(document.querySelector('[role=columnheader][aria-sort=descending]')!, 'Name').click()
  })
  await expect(page).not.toHaveURL(/sort=-name/)
  await expect(page).not.toHaveURL(/offline/)

  const chip = page.getByRole('button', { name: /^Offline/ })
  await chip.evaluate(async (button: HTMLElement) => {
    button.click()
    // Yields as little as a page on a busy machine may between two clicks.
    await Promise.resolve()
    button.click()
  })
  await expect(page).not.toHaveURL(/offline/)
  await expect(chip).toHaveAttribute('aria-pressed', 'false')
})

test('the list is searched, filtered and sorted by the server, shows active filters and keeps its columns', async ({
  page,
  server,
  enroll,
}) => {
  const agents = await enroll(30)
  await Promise.all(agents.slice(0, 12).map((agent) => agent.connect(server.url)))
  await page.goto(`${server.url}/devices`)
  await expect(page.getByText('30 devices')).toBeVisible()
  const sorted = await names(page)
  expect(sorted).toEqual(sorted.toSorted())

  await page.getByRole('button', { name: 'Offline 18' }).click()
  await expect(page).toHaveURL(/q=is%3Aoffline/)
  await expect(page.getByRole('searchbox')).toHaveValue('is:offline')
  await expect(page.getByText('18 devices · 12 hidden by filters')).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).click()

  await page.keyboard.press('/')
  await page.keyboard.type('0007')
  await expect(page).toHaveURL(/q=0007/)
  await expect(rows(page)).toHaveCount(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Disk', exact: true }).click()
  await expect(page.getByRole('columnheader', { name: 'Disk' })).toHaveAttribute('aria-sort', 'descending')
  await expect(page.getByText('Sorted at')).toBeVisible()

  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByLabel('Host name').check()
  await page.getByLabel('Memory').last().uncheck()
  await page.reload()
  await expect(page.getByRole('columnheader', { name: 'Host name' })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Memory' })).toHaveCount(0)
})

test(
  'the search field keeps every letter while the list is slow',
  { tag: '@night' },
  async ({ page, enroll, server }) => {
    await enroll(3)
    await page.goto(`${server.url}/devices`)
    await expect(rows(page)).toHaveCount(3)
    const browser = await page.context().newCDPSession(page)
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 20 })
    await page.keyboard.press('/')
    const text = 'nobody-has-this-name'
    // Slow enough that the search starts between two letters.
    await page.keyboard.type(text, { delay: 210 })
    await expect(page.getByRole('searchbox')).toHaveValue(text)
    await expect(page).toHaveURL(new RegExp(`q=${text}`))
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    await page.getByRole('searchbox').fill('')
    await expect(rows(page)).toHaveCount(3)
  },
)

test(
  'a long list renders only visible rows, restores the scroll position, and offers to select the rest of all devices',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    await enroll(230)
    await page.goto(`${server.url}/devices`)
    await expect(page.getByText('230 devices')).toBeVisible()
    await expect(grid(page)).toBeFocused()
    await page.keyboard.press('Control+a')
    await expect(page.getByText('100 of 230 selected')).toBeVisible()
    await page.getByRole('button', { name: 'Select all 230' }).click()
    await expect(page.getByText('230 selected', { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Select all 230' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await expect(grid(page)).toBeFocused()
    await expectFew(rows(page), 60)
    const cut = await rows(page)
      .locator('[role=gridcell] .truncate')
      .evaluateAll((texts) =>
        texts.flatMap((text) => {
          const letters = document.createRange()
          letters.selectNodeContents(text.firstChild!)
          const overhang = letters.getBoundingClientRect().right - text.getBoundingClientRect().right
          return overhang > 0.5 ? `${text.textContent} by ${overhang} px` : []
        }),
      )
    expect(cut).toEqual([])
    await grid(page).focus()
    await page.keyboard.press('End')
    const last = page.locator('[role=row][data-index="229"]')
    await expect(last).toContainText(/turin|porto|oslo/)
    await expect
      .poll(() => grid(page).evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop))
      .toBeLessThan(1)
    const scrolled = await grid(page).evaluate((element) => element.scrollTop)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/devices\/[0-9a-f-]{36}$/)
    await page.goBack()
    await expect(last).toBeVisible()
    await expect.poll(() => grid(page).evaluate((element) => element.scrollTop)).toBe(scrolled)
  },
)

test('changed devices are updated in place; figures of an offline device are muted', async ({
  page,
  server,
  enroll,
}) => {
  const agents = await enroll(3)
  await page.goto(`${server.url}/devices?sort=status`)
  await expect(rows(page)).toHaveCount(3)
  const before = await names(page)
  const row = page.getByRole('row').filter({ hasText: '0001' })
  await expect(row).toContainText('Offline')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  // From here on updates come over the live channel only.
  await page.route('**/devices/find', (route) => route.abort())
  await expect(async () => {
    // Repeated until the page has subscribed to the device.
    agents[1]!.close()
    await agents[1]!.connect(server.url)
    await expect(row).toContainText('Online', { timeout: 3_000 })
  }).toPass()
  expect(await names(page)).toEqual(before)
  const color = (name: string) =>
    rows(page)
      .filter({ hasText: name })
      .getByRole('meter', { name: 'Disk' })
      .locator('rect')
      .last()
      .evaluate((bar) => getComputedStyle(bar).fill)
  const muted = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(--offline-mark)'
    const { color: computed } = getComputedStyle(probe)
    probe.remove()
    return computed
  })
  expect(await color('0000')).toBe(muted)
  expect(await color('0001')).not.toBe(muted)
  agents[1]!.close()
  await expect(row).toContainText('Offline')
})

test('the list can be used by keyboard alone', async ({ page, server, enroll }) => {
  await enroll(5)
  await page.goto(`${server.url}/devices`)
  await expect(rows(page)).toHaveCount(5)
  const [first, second] = await names(page)
  await expect(grid(page)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Space')
  await expect(page.getByRole('complementary')).toContainText(first!)
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('complementary')).toContainText(second!)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('complementary')).toHaveCount(0)

  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'Alias', exact: true }).fill('Reception <b>left</b>')
  await page.keyboard.press('Enter')
  await expect(rows(page).nth(1)).toContainText('Reception <b>left</b>')
  await expect(grid(page)).toBeFocused()
  await page.keyboard.press('Shift+F10')
  await expect(page.getByRole('menuitem', { name: 'Terminal' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(grid(page)).toBeFocused()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(first!)
})

test(
  'a double click opens the device, also where its details appear under the second click; several are deleted',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    await enroll(6)
    await page.goto(`${server.url}/devices`)
    await expect(rows(page)).toHaveCount(6)
    const second = rows(page).nth(1)
    const name = (await names(page))[1]!
    const { x, y, width, height } = (await second.boundingBox())!
    await page.mouse.move(x + width * 0.95, y + height / 2)
    await page.mouse.down({ clickCount: 1 })
    await page.mouse.up({ clickCount: 1 })
    await expect(page.getByRole('complementary')).toContainText(name)
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await expect(page.getByRole('tab', { name: 'Overview' })).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)

    await page.goBack()
    await expect(rows(page)).toHaveCount(6)
    const all = await names(page)
    await rows(page).nth(1).getByRole('checkbox').check()
    await rows(page)
      .nth(3)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete 3 devices' }).click()
    await expect(rows(page)).toHaveCount(3)
    await expect.poll(() => names(page)).toEqual([all[0], all[4], all[5]])
    await expect(grid(page)).toBeFocused()
  },
)

test('every column sorts', { tag: '@night' }, async ({ page, server, enroll }) => {
  await enroll(12)
  await page.setViewportSize({ width: 1800, height: 800 })
  await page.goto(`${server.url}/devices`)
  await page.getByRole('button', { name: 'Columns' }).click()
  for (const label of ['Local address', 'Host name', 'OS version']) {
    await page.getByLabel(label).check()
  }
  await page.keyboard.press('Escape')
  const headers = page.getByRole('columnheader')
  await expect(headers).toHaveCount(15)
  for (const label of [
    'User',
    'OS',
    'Last seen',
    'Agent',
    'Local address',
    'Host name',
    'OS version',
    'Customer',
    'Status',
  ]) {
    const header = headers.filter({ hasText: new RegExp(`^${label}$`) })
    await header.getByRole('button').click()
    await expect(header).toHaveAttribute('aria-sort', /ascending|descending/)
    await expect(grid(page)).toHaveAttribute('aria-busy', 'false')
  }
  await page.goto(`${server.url}/devices?sort=user`)
  await expect(rows(page)).toHaveCount(12)
  const users = await rows(page).evaluateAll((all) =>
    all
      .sort((one, other) => Number(one.dataset['index']) - Number(other.dataset['index']))
      .map((row) => row.children[3]?.textContent.replace('–', '') ?? ''),
  )
  expect(users).toEqual(users.toSorted())
})

test(
  'rows sorted by CPU keep their places while loads change, and the list says so',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    const agents = await enroll(8)
    await Promise.all(agents.map((agent) => agent.connect(server.url)))
    await page.goto(`${server.url}/devices?sort=-cpu`)
    await expect(rows(page)).toHaveCount(8)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    const before = await names(page)
    await expect(page.getByText('values have changed since')).toHaveCount(0)
    await expect(async () => {
      await Promise.all(agents.map((agent) => agent.update()))
      await expect(page.getByText('values have changed since')).toBeVisible({ timeout: 1_000 })
    }).toPass()
    expect(await names(page)).toEqual(before)
    await page.getByRole('button', { name: 'Sort again' }).click()
    await expect(page.getByText('values have changed since')).toHaveCount(0)
    await expect.poll(() => names(page)).not.toEqual(before)
  },
)
