import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Page } from '@playwright/test'
import { freePort } from '../../tools/simulate/free-port.ts'
import { takenPort } from '../support/network.ts'
import { SimulatedAgent } from '../../tools/simulate/agent.ts'
import { startTestServer } from '../support/server.ts'
import { expect, expectAccessible, freshPageTest as test } from './support/fixtures.ts'

const setPort = async (page: Page, port: number) => {
  await page.getByLabel('Port', { exact: true }).fill(String(port))
  await page.getByRole('button', { name: 'Save' }).click()
}

test(
  'one switch opens and closes the network; a second device reports back',
  { tag: '@night' },
  async ({ page, server, owner, browser }) => {
    const port = await freePort()
    await page.goto(`${server.url}/devices`)
    await page.getByRole('link', { name: 'Network' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Off: only this computer' })).toBeVisible()
    await setPort(page, port)
    await page.getByLabel('Host names').fill('farhand.test')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('switch', { name: 'Serve my network' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'On: your network' })).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: `https://farhand.test:${port}` })).toContainText('best')
    await expect(page.getByRole('img', { name: `QR code of https://farhand.test:${port}/trust` })).toBeVisible()
    const listening = page.getByRole('term').filter({ hasText: `https://*:${port}` })
    await expect(listening.locator('+ dd')).toHaveText('Page, agents and API for your network, encrypted')

    await page.getByRole('button', { name: 'Make a test address' }).click()
    const target = new URL(await page.getByText('/network-test#').innerText())
    await expectAccessible(page)
    const phone = await browser.newContext({ ignoreHTTPSErrors: true, userAgent: '<b>Phone</b>\u202Eenohp' })
    const visitor = await phone.newPage()
    await visitor.goto(`https://127.0.0.1:${port}/network-test${target.hash}`)
    await expect(visitor.getByRole('heading', { name: 'This device can reach Farhand' })).toBeVisible()
    await expectAccessible(visitor)
    await visitor.reload()
    await expect(visitor.getByRole('heading', { name: 'the code is no longer valid' })).toBeVisible()
    await expect(page.getByText('A device at 127.0.0.1 reached this server')).toBeVisible()
    await expect(
      page.getByText(`It connected to https://127.0.0.1:${port}. Its browser: <b>Phone</b>⟨U+202E⟩enohp`),
    ).toBeVisible()
    await phone.close()

    const pem = await (await owner.fetch('/api/appliance/v1/network/authority')).text()
    setDefaultCACertificates([...getCACertificates('default'), pem])
    const key = await owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent' } })
    const agent = new SimulatedAgent(1, owner.tenantId)
    await agent.register(server.url, key)
    await agent.connect(`https://127.0.0.1:${port}`)
    await page.reload()
    await page.getByRole('switch', { name: 'Serve my network' }).click()
    await expect(page.getByText('1 device is connected over it')).toBeVisible()
    await page.getByRole('button', { name: 'Disconnect 1 device' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Off: only this computer' })).toBeVisible()
    agent.close()
  },
)

test(
  'a taken port is reported, an invalid name is quoted at its field; the typed text stays, and nothing is saved',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const taken = await takenPort()
    const { port } = taken.address() as AddressInfo
    await owner.applianceNetwork.set({ body: { isServed: true, port: await freePort(), names: [] } })
    await page.goto(`${server.url}/network`)
    await setPort(page, port)
    await expect(page.getByRole('alert')).toContainText(`Port ${port} is in use by another program.`)
    await expect(page.getByLabel('Port', { exact: true })).toHaveValue(String(port))
    await expect(page.getByRole('status').filter({ hasText: 'On: your network' })).toBeVisible()
    taken.close()

    const names = page.getByLabel('Host names')
    await names.fill('good.example.org\nhttps://bad.example.org')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('without a port: https://bad.example.org')).toBeVisible()
    expect((await owner.applianceNetwork.get({})).settings.names).toEqual([])
    await names.fill('good.example.org')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await owner.applianceNetwork.get({})).settings.names).toEqual(['good.example.org'])
  },
)

const configured = test.extend({
  // oxlint-disable-next-line no-empty-pattern
  server: async ({}, use) => {
    const server = await startTestServer({ listenOn: 'http://127.0.0.1:0;https://0.0.0.0:0' })
    await use(server)
    await server.stop()
  },
})

configured(
  'where the configuration serves the network, neither the switch nor a port is to be had, and no address is cut',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    await owner.applianceNetwork.set({ body: { isServed: false, port: 5121, names: ['no-such-name.invalid'] } })
    await page.setViewportSize({ width: 1024, height: 700 })
    await page.goto(`${server.url}/network`)
    await expect(page.getByText('Service_Urls decides this (environment).')).toBeVisible()
    await expect(page.getByRole('switch', { name: 'Serve my network' })).toBeDisabled()
    await expect(page.getByText('Service_Urls decides the port (environment).')).toBeVisible()
    await expect(page.getByLabel('Port', { exact: true })).toHaveCount(0)
    await page.getByRole('button', { name: 'Test from here' }).click()
    const tested = page.getByRole('status').getByRole('listitem').filter({ hasText: 'no-such-name.invalid' })
    await expect(tested).toContainText('no response: ')
    // On one line: beside a long reason each letter could wrap.
    expect((await tested.locator('code').boundingBox())?.height).toBeLessThan(40)
  },
)

test(
  'the trust page shows whether this browser trusts the server, and offers its certificate',
  { tag: '@night' },
  async ({ page, server, owner, browser }) => {
    const port = await freePort()
    await owner.applianceNetwork.set({ body: { isServed: true, port, names: [] } })
    const { fingerprint } = await owner.applianceNetwork.get({})
    await page.goto(`${server.url}/trust`)
    await expect(page.getByText('This browser does not trust this server yet.')).toBeVisible()
    await expect(page.getByRole('list', { name: 'In words' }).getByRole('listitem')).toHaveText(fingerprint.words)
    await expectAccessible(page)
    await page.getByRole('tab', { name: 'iPhone, iPad' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download profile' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^farhand-[\w-]+\.mobileconfig$/)

    const trusting = await browser.newContext({ ignoreHTTPSErrors: true })
    const trustingPage = await trusting.newPage()
    await trustingPage.goto(`${server.url}/trust`)
    await expect(trustingPage.getByText('This browser already trusts this server.')).toBeVisible()
    await trustingPage.goto(`https://localhost:${port}/trust`)
    await expect(trustingPage.getByText('If your browser showed a warning before')).toBeVisible()
    await trusting.close()
  },
)
