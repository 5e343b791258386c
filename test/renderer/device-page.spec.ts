import type { Page } from '@playwright/test'
import { hourOf } from '../../server/devices/presence.ts'
import { expect as hurried, expectAccessible, freshPageTest as alone } from './support/fixtures.ts'
import { test } from './support/stage.ts'
import { VisitedAgent } from './support/visited-agent.ts'

/** Several tests need sockets and a picture from another process first. */
const expect = hurried.configure({ timeout: 20_000 })

const hostile = '<img src=x onerror="document.title=\'taken\'">'
const outcome = (page: Page) => page.locator('header [role=status]')
const card = (page: Page) => page.getByRole('region', { name: /^Offline since/ })
const action = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Actions' }).getByRole('button', { name, exact: true })

const desktop = {
  areRemoteControlPermissionsGranted: true,
  desktopName: ':0',
  name: hostile,
  processId: 4711,
  systemSessionId: 1,
  type: 0,
  username: 'ada <b>',
} as const

test('the head shows user and state of the device and follows a restart to its end', async ({
  page,
  server,
  owner,
}) => {
  const agent = await VisitedAgent.register(owner, { name: hostile.slice(0, 100), currentUsers: ['ada', hostile] })
  await agent.connect(server.url)
  await page.goto(`${server.url}/devices/${agent.id}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(hostile)
  await expect(page.getByText(`Signed in: ada, ${hostile}`)).toBeVisible()
  const moreButton = page.getByRole('button', { name: 'More' })
  await moreButton.press('Enter')
  // An online device cannot be woken.
  await expect(page.getByRole('menuitem').first()).toBeDisabled()
  await expect(page.getByRole('menuitem', { disabled: false }).first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(moreButton).toBeFocused()
  await moreButton.click()
  await page.getByRole('menuitem', { name: 'Change alias' }).click()
  await page.getByRole('textbox', { name: 'Alias' }).fill('Front desk')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Front desk')
  const pencil = page.getByRole('button', { name: 'Change alias' })
  await expect(pencil).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Alias' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(pencil).toBeFocused()
  await expect(page).toHaveTitle('Front desk · Farhand')
  await expect(page.getByRole('tablist', { name: 'Front desk' })).toBeVisible()
  await expect(page.locator('header')).toContainText(hostile)

  await action(page, 'Restart').click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Restart Front desk' }).click()
  await expect(outcome(page)).toContainText('Request accepted. Waiting for the device to go offline.')
  await expect.poll(() => agent.asked).toEqual(['restart'])
  await agent.leave()
  await expect(outcome(page)).toContainText(/Offline since .+ Waiting for the device to come back/)
  await expect(page.getByRole('heading', { name: 'The device is restarting' })).toBeVisible()
  await expect(card(page)).toContainText('A restart was requested here.')
  await agent.connect(server.url)
  await expect(outcome(page)).toContainText(/Restarted: back online after \d+ s/)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(outcome(page)).toBeEmpty()
})

alone(
  'the offline card names the cause, its evidence, the devices that can wake this one, and the outcome',
  async ({ page, server, owner }) => {
    const agent = await VisitedAgent.register(owner, { name: 'lyon-desk-1' })
    await agent.connect(server.url)
    await agent.leave()
    await page.goto(`${server.url}/devices/${agent.id}`)
    await expect(card(page).getByRole('heading', { level: 2 })).toHaveText('The agent was stopped')
    await expect(card(page)).toContainText('The agent closed the connection.')
    await expect(card(page)).toContainText('No other device of the same customer is online')
    await expect(card(page)).toContainText('Switch the device on, or start the agent’s service on it.')
    const wake = page.getByRole('button', { name: 'Wake', exact: true })
    await expect(wake).toHaveCount(0)
    const neighbour = await VisitedAgent.register(owner, { name: hostile })
    await neighbour.connect(server.url)
    await page.reload()
    await expect(card(page)).toContainText(`A magic packet from ${hostile}, on the same network`)
    await expect(wake).toBeVisible()
    await expect(card(page)).toContainText('Wake the device, or start the agent’s service on it.')
    await expectAccessible(page)
    await card(page).getByRole('button', { name: 'Wake it' }).click()
    await expect(outcome(page)).toContainText('Magic packet broadcast by 1 device')
    await expect(outcome(page)).toContainText('Waiting for the device to come online.')
    await expect(card(page)).toContainText('The last magic packet was sent by')
    await expect.poll(() => neighbour.asked).toEqual(['wake'])
    await agent.connect(server.url)
    await expect(outcome(page)).toContainText(/Online \d+ s after the magic packet/)
    await expect(card(page)).toHaveCount(0)
    expect(await page.title()).not.toBe('taken')
  },
)

alone(
  'the details of an offline device explain why Wake is missing, and offer Wake once a neighbor can send it',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = await VisitedAgent.register(owner, { name: 'asleep' })
    await agent.connect(server.url)
    await agent.leave()
    await page.goto(`${server.url}/devices?device=${agent.id}`)
    const pane = page.getByRole('complementary', { name: 'Details of asleep' })
    await expect(pane).toContainText('It cannot be woken: no nearby device is online to wake it.')
    await expect(pane.getByRole('link', { name: 'Wake' })).toHaveCount(0)
    const neighbour = await VisitedAgent.register(owner, { name: 'awake' })
    await neighbour.connect(server.url)
    await page.reload()
    await pane.getByRole('button', { name: 'Wake' }).click()
    await expect(outcome(page)).toContainText('Magic packet broadcast by 1 device')
    await expect.poll(() => neighbour.asked).toEqual(['wake'])
  },
)

test(
  'a device that met another server reports it, online and offline, as plain text',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = await VisitedAgent.register(owner, { name: 'lyon-desk-2' })
    await agent.connect(server.url)
    const address = 'https://192.168.1.20:5121'
    await agent.meet({ agoMs: 3_600_000, address, expected: 'Shop', seen: `${hostile}\u202Egnp.exe` })
    await page.goto(`${server.url}/devices/${agent.id}`)
    const met = page.getByRole('region', { name: 'The agent reached another server instead of this one' })
    await expect(met).toContainText(`It was at ${address}: ${hostile}`)
    await expect(met).not.toContainText('\u202E')
    await expect(met).toContainText('1h ago')
    await expectAccessible(page)
    await agent.leave()
    await expect(card(page)).toContainText(
      `reached another server instead of this one, and sent it nothing. At ${address}`,
    )
    await expect(met).toHaveCount(0)
    expect(await page.title()).not.toBe('taken')
    await agent.connect(server.url)
    await met.getByRole('button', { name: 'Dismiss' }).click()
    await expect(met).toHaveCount(0)
    await expect(page.getByRole('main')).toBeFocused()
  },
)

test('T39: a device whose agent rejected an update shows the reason; the next one is followed until the new version has connected', async ({
  page,
  server,
  owner,
}) => {
  const agent = await VisitedAgent.register(owner, { name: 'lyon-desk-2', agentVersion: '0.0.1.0' })
  await agent.connect(server.url)
  await agent.refuseUpdate(`Agent 9.9.9.9 is signed with another key. ${hostile}\u202E`)
  await page.goto(`${server.url}/devices/${agent.id}`)
  const refused = page.getByRole('region', { name: 'The agent rejected an update' })
  await expect(refused).toContainText(`Agent 9.9.9.9 is signed with another key. ${hostile}`)
  await expect(refused).not.toContainText('\u202E')
  await expectAccessible(page)
  expect(await page.title()).not.toBe('taken')
  await agent.refuseUpdate(null)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('lyon-desk-2')
  await expect(refused).toHaveCount(0)

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Update agent' }).click()
  await expect(outcome(page)).toContainText('The agent checks the version that this server offers.')
  // A rollout of this server, which other tests use too, may ask the agent as well.
  await expect.poll(() => agent.asked).toContain('update')
  await agent.leave()
  await expect(outcome(page)).toContainText('Waiting for the new version to connect.')
  await agent.report({ agentVersion: '0.2.0.0' }).catch(() => {})
  await agent.connect(server.url)
  await expect(outcome(page)).toContainText('The new version connected')
})

alone(
  'the overview shows load, desktops with a picture, addresses and labels; tags can be edited',
  async ({ page, server, owner }) => {
    const { tenantId } = owner
    const agent = await VisitedAgent.register(owner, { macAddresses: ['0A1B2C3D4E5F'], cpuUtilization: 0.37 })
    await owner.tags.create({ tenantId, body: { name: 'kiosk' } })
    const group = await owner.deviceGroups.create({ tenantId, body: { name: 'Front <i>', description: null } })
    await owner.deviceGroups.addMembers({
      tenantId,
      params: { deviceGroupId: group.id },
      body: { deviceIds: [agent.id] },
    })
    const samples = Buffer.from([
      ...Array<number>(12).fill(81),
      ...Array<number>(12).fill(40),
      ...Array<number>(12).fill(5),
    ])
    await server.whileStopped((database, { DeviceLoad }) =>
      database.write((transaction) =>
        DeviceLoad.create(
          { deviceId: agent.id, hour: hourOf(Date.now()) - 3, samples: samples.toString('base64') },
          { transaction },
        ),
      ),
    )
    agent.desktops = [desktop]
    await agent.connect(server.url)
    // The last report is two minutes old for this browser: the page says so, and asks for another one.
    await page.clock.install({ time: Date.now() + 120_000 })
    await page.goto(`${server.url}/devices/${agent.id}`)
    await expect(
      page.getByRole('img', { name: /^CPU over the last 24 hours: 37%, 2m ago, highest 81%$/ }),
    ).toBeVisible()
    await expect.poll(() => agent.reportsAsked).toBe(1)
    await expect(page.getByRole('img', { name: /^Memory over the last 24 hours/ })).toBeVisible()
    await expect(page.getByRole('img', { name: /^Online for / })).toBeVisible()
    await page.getByRole('button', { name: 'Table' }).click()
    const values = page.getByRole('region', { name: 'Values of the last 24 hours' })
    await expect(values.getByRole('columnheader')).toHaveText(['Time', 'CPU', 'Memory', /./, 'Online'])
    await expect(values.getByRole('cell', { name: '81%' }).first()).toBeVisible()
    await page.getByText('7 days', { exact: true }).click()
    await expect(page.getByRole('region', { name: 'Values of the last 7 days' })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Table' }).click()
    await expect(page.getByRole('img', { name: /^CPU over the last 7 days/ })).toBeVisible()
    await expect(page.getByText('0A:1B:2C:3D:4E:5F')).toBeVisible()
    await expect(page.getByText('Front <i>')).toBeVisible()

    await expect(page.getByText('ada <b>', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Show preview' }).click()
    const small = page.getByRole('img', { name: `Picture of the desktop ${hostile}` })
    await expect(small).toBeVisible()
    await expect(page.getByText(/^Taken /)).toBeVisible()
    await page.getByRole('button', { name: 'Enlarge preview' }).click()
    await expect(page.getByRole('dialog', { name: hostile })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)

    // A few bytes that would decode to 40 GB.
    const header = '89504e470d0a1a0a0000000d49484452000186a0000186a0080200000000000000'
    await page.route('**/desktop-preview/**', (route) => route.fulfill({ body: Buffer.from(header, 'hex') }))
    await page.getByRole('button', { name: 'Refresh preview' }).click()
    await expect(page.getByText('The image has 100,000 × 100,000 pixels')).toBeVisible()
    await expect(small).toBeVisible()

    await page.getByRole('combobox', { name: 'Add a tag' }).click()
    await page.getByRole('option', { name: 'kiosk' }).click()
    await expect(page.getByRole('button', { name: 'Remove kiosk' })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove kiosk' }).click()
    await expect(page.getByRole('button', { name: 'Remove kiosk' })).toHaveCount(0)

    // From the device to its group, and to the question who may use it.
    await page.getByRole('link', { name: 'Front <i>' }).click()
    await expect(page.getByRole('complementary', { name: 'Front <i>' })).toBeVisible()
    await page.goBack()
    await page.getByRole('link', { name: 'Check who may do what' }).click()
    await expect(page.getByRole('combobox', { name: 'Where' })).toHaveValue('Device')
  },
)

test(
  'a late response does not undo newer live updates of the device',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = await VisitedAgent.register(owner, { name: 'riga-desk-3' })
    const release = Promise.withResolvers<void>()
    let held = 0
    let done = 0
    await page.route(`**/api/v1/devices/${agent.id}`, async (route) => {
      // Current answer of the server, while the device is offline.
      const response = await route.fetch()
      held++
      await release.promise
      await route.fulfill({ response })
      done++
    })
    await page.goto(`${server.url}/devices/${agent.id}`)
    await expect.poll(() => held).toBe(1)
    await agent.connect(server.url)
    // The page receives updates only after it has subscribed.
    await expect(async () => {
      await agent.report()
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible({ timeout: 1_000 })
    }).toPass()
    await expect(card(page)).toHaveCount(0)
    release.resolve()
    await expect.poll(() => done).toBe(held)
    // The page shows an update sent after the late answer, so it has handled that answer too.
    await agent.report({ currentUsers: ['grace'] })
    await expect(page.getByText('Signed in: grace')).toBeVisible()
    await expect(card(page)).toHaveCount(0)
    await agent.leave()
  },
)

test('a page says at once that the right to a tab or to the device ended, and opens again with the right', async ({
  page,
  server,
  owner,
}) => {
  const agent = await VisitedAgent.register(owner, { name: 'till-4' })
  await agent.connect(server.url)
  const { tenantId } = owner
  const deny = async (permissionName: 'device.read' | 'device.chat.send') => {
    const about = { principalKind: 'User', principalId: owner.user.id, scopeKind: 'Device', scopeId: agent.id } as const
    const body = { ...about, permissionName, effect: 'Deny' } as const
    const { id } = await owner.permissionAssignments.create({ tenantId, body })
    return () => owner.permissionAssignments.delete({ tenantId, params: { assignmentId: id } })
  }
  await page.goto(`${server.url}/devices/${agent.id}/chat`)
  const chat = page.getByRole('heading', { name: 'Nobody to chat with' })
  await expect(chat).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()

  const allowChat = await deny('device.chat.send')
  await hurried(page.getByRole('alert')).toContainText('Your right to use this on this device has ended')
  await allowChat()
  await hurried(chat).toBeVisible()
  const allowAll = await deny('device.read')
  await hurried(page.getByRole('heading', { name: 'You can no longer open till-4' })).toBeVisible()
  await allowAll()
  await hurried(chat).toBeVisible()
})
