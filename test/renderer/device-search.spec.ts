import { expect, expectAccessible, follow, test } from './support/fixtures.ts'

test('chips and typed terms are the same search, which a view saves', async ({ page, server, owner, enroll }) => {
  const { tenantId } = owner
  const agents = await enroll(6)
  const tag = await owner.tags.create({ tenantId, body: { name: 'web' } })
  for (const { id: deviceId } of agents.slice(0, 2)) {
    await owner.deviceTags.add({ tenantId, body: { deviceId, tagId: tag.id } })
  }
  const contoso = await owner.customers.create({ tenantId, body: { name: 'Contoso Ltd' } })
  const params = { customerId: contoso.id }
  await owner.customers.assignDevices({ tenantId, params, body: { deviceIds: agents.slice(1, 4).map(({ id }) => id) } })
  await page.goto(`${server.url}/devices`)
  await expect(page.getByText('6 devices')).toBeVisible()

  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByRole('checkbox', { name: /^web/ }).check()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('searchbox')).toHaveValue('tag:web')
  await expect(page.getByText('2 devices · 4 hidden by filters')).toBeVisible()

  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill('tag:web customer:"Contoso Ltd"')
  await expect(page.getByText('1 device · 5 hidden by filters')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Customer: Contoso Ltd' })).toBeVisible()
  await expect(page).toHaveURL(/q=tag%3Aweb\+customer/)
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Save this view').fill('Web of Contoso')
  await page.getByRole('switch', { name: 'Share with everybody here' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Web of Contoso', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByText('6 devices')).toBeVisible()
  await page.getByRole('button', { name: 'Views' }).click()
  await page
    .getByRole('dialog', { name: 'Views' })
    .getByRole('button', { name: /^Web of Contoso/ })
    .click()
  await expect(page.getByRole('searchbox')).toHaveValue('tag:web customer:"Contoso Ltd"')

  // Renamed and no longer shared.
  await page.getByRole('button', { name: 'Web of Contoso', exact: true }).click()
  await page.getByRole('button', { name: 'Change the view Web of Contoso' }).click()
  await page.getByLabel('Change the view Web of Contoso').last().fill('Web servers')
  await page.getByRole('switch', { name: 'Share with everybody here' }).uncheck()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Change the view Web servers' })).toBeVisible()
  expect((await owner.applianceDeviceViews.list({ query: {} })).items).toMatchObject([
    { name: 'Web servers', isShared: false },
  ])
  await page.keyboard.press('Escape')

  // A chip adds to what the field says, also before the list has searched for it.
  await page.getByRole('searchbox').fill('')
  await page.getByRole('button', { name: /^Offline/ }).click()
  await expect(page.getByRole('searchbox')).toHaveValue('is:offline')

  await page.getByRole('searchbox').fill('tag:nothing')
  await expect(page.getByText('There is no tag:nothing.')).toBeVisible()
})

test(
  'a device is starred by a key, and carries notes that are found',
  { tag: '@night' },
  async ({ page, server, enroll }) => {
    const [agent] = await enroll(3)
    await page.goto(`${server.url}/devices`)
    await expect(page.getByText('3 devices')).toBeVisible()
    const grid = page.getByRole('grid', { name: 'Devices' })
    await grid.focus()
    await page.keyboard.press('*')
    await page.getByRole('button', { name: 'Starred 1' }).click()
    await expect(page.getByText('1 device · 2 hidden by filters')).toBeVisible()

    await follow(page, `/devices/${agent!.id}`)
    await page.getByRole('button', { name: 'Add a note' }).click()
    await page.keyboard.type('**Toner** is behind the door <img src=x onerror=alert(1)>')
    await page.keyboard.press('Control+Enter')
    const note = page.getByRole('listitem').filter({ hasText: 'behind the door' })
    await expect(note.locator('strong').filter({ hasText: 'Toner' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add a note' })).toBeFocused()
    // The rest is text.
    await expect(note).toContainText('<img src=x onerror=alert(1)>')
    await expect(note.locator('img')).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete note' }).click()
    await expect(note).toHaveCount(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(note).toBeVisible()

    await page.getByRole('navigation').getByRole('link', { name: 'Devices', exact: true }).click()
    await page.keyboard.press('/')
    await page.getByRole('searchbox').fill('behind')
    await page.getByRole('button', { name: 'Search notes for “behind”' }).click()
    await expect(page.getByText('1 device · 2 hidden by filters')).toBeVisible()
  },
)

test('Enter in the search leads to the rows, and opens only what the search has found', async ({
  page,
  server,
  owner,
  enroll,
}) => {
  const [agent] = await enroll(3)
  const alias = 'zebra'
  await owner.devices.setAlias({ params: { deviceId: agent!.id }, body: { alias } })
  await page.goto(`${server.url}/devices`)
  const grid = page.getByRole('grid', { name: 'Devices' })
  await expect(grid).toBeFocused()
  const found = Promise.withResolvers<void>()
  await page.route('**/devices/find', async (route) => {
    await found.promise
    await route.continue()
  })
  await page.keyboard.press('/')
  await page.keyboard.type(alias)
  await page.keyboard.press('Enter')
  await expect(grid).toBeFocused()
  await expect(grid).toHaveAttribute('aria-busy', 'true')
  await page.keyboard.press('Enter')
  found.resolve()
  await expect(grid.getByRole('row')).toHaveCount(2)
  await expect(page).toHaveURL(/\/devices\?q=zebra$/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: alias })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Overview' })).toBeFocused()

  // Ctrl+A marks what the search finds, not the rows of the one before.
  await page.goBack()
  const foundAll = Promise.withResolvers<void>()
  await page.unroute('**/devices/find')
  await page.route('**/devices/find', async (route) => {
    await foundAll.promise
    await route.continue()
  })
  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill('is:offline')
  await page.keyboard.press('Enter')
  await expect(grid).toHaveAttribute('aria-busy', 'true')
  await page.keyboard.press('Control+a')
  expect(await page.evaluate(() => getSelection()?.type)).not.toBe('Range')
  await expect(page.getByRole('toolbar', { name: /selected/ })).toHaveCount(0)
  foundAll.resolve()
  await expect(page.getByRole('toolbar', { name: '3 selected' })).toBeVisible()
  await page.keyboard.press('Escape')
  const foundLater = Promise.withResolvers<void>()
  await page.unroute('**/devices/find')
  await page.route('**/devices/find', async (route) => {
    await foundLater.promise
    await route.continue()
  })
  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill('-is:online')
  await page.keyboard.press('Enter')
  await expect(grid).toHaveAttribute('aria-busy', 'true')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Escape')
  foundLater.resolve()
  await expect(grid).toHaveAttribute('aria-busy', 'false')
  await expect(page.getByRole('toolbar', { name: /selected/ })).toHaveCount(0)
  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill(alias)
  await page.keyboard.press('Enter')
  await expect(grid.getByRole('row')).toHaveCount(2)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Overview' })).toBeFocused()

  // A search without a match keeps the focus.
  await page.goBack()
  await expect(grid).toBeFocused()
  await page.keyboard.press('/')
  await page.keyboard.type('nothing')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No device matches')).toBeVisible()
  await expect(page.getByRole('searchbox')).toBeFocused()

  // Esc clears the search, then leads back to the rows.
  await page.keyboard.press('Escape')
  await expect(grid.getByRole('row')).toHaveCount(4)
  await page.keyboard.press('Escape')
  await expect(grid).toBeFocused()
})

test('the number of devices is not said before it is known', async ({ page, server, enroll }) => {
  await enroll(1)
  // The list is never answered, its facets are.
  await page.route('**/devices/find', () => {})
  await page.goto(`${server.url}/devices`)
  await expect(page.getByRole('button', { name: 'Offline 1' })).toBeVisible()
  await expect(page.getByText(/^\d+ devices?$/)).toHaveCount(0)
})
