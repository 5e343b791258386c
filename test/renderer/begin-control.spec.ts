import type { Page } from '@playwright/test'
import { deferred } from '../../shared/deferred.ts'
import { deviceNotConnected, failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import { isNear, pixelAt } from './support/real-desktop.ts'
import { expect } from './support/fixtures.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'
import { test } from './support/stage.ts'

const controlOf = (page: Page) => page.getByRole('button', { name: 'Control', exact: true })
const alertOf = (page: Page) => page.getByRole('alert')

/** Color in the middle of the picture. */
const colorOf = (page: Page) => pixelAt(page, 1, 1, { width: 2, height: 2 })

/** Opens the cards of a device that answers each request when the test says so. */
async function openSlow(page: Page, desktop: ScriptedDesktop, url: string) {
  const answers: ((answer: HubResult) => void)[] = []
  desktop.onRequest = () => {
    const { promise, resolve } = deferred<HubResult>()
    answers.push(resolve)
    return promise
  }
  await page.goto(`${url}/devices/${desktop.deviceId}/control`)
  await controlOf(page).waitFor()
  return answers
}

test('two clicks on Control begin one session; a toast lies over the head of the page, not over the screen of the device', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
  await controlOf(page).dblclick()
  await expect(page.getByText('In control')).toBeVisible()
  await expect.poll(async () => isNear(await colorOf(page), [30, 140, 60])).toBe(true)
  expect(desktop.requests).toHaveLength(1)

  const [session] = (await owner.applianceRemoteSessions.list({})).items
  await owner.applianceRemoteSessions.message({ params: { sessionId: session!.id }, body: { text: 'Lunch' } })
  const toast = alertOf(page).filter({ hasText: 'Lunch' })
  await expect(toast).toBeVisible()
  const screen = (await page.getByTestId('remote-screen').boundingBox())!
  await expect
    .poll(async () => {
      const { y, height } = (await toast.boundingBox())!
      return y >= 0 && y + height <= screen.y + 1
    })
    .toBe(true)
  await toast.getByRole('button', { name: 'Close' }).click()
  await desktop.stop()
})

test('C in the device list opens the desktops of the device; the session begins with Enter', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  await owner.devices.setAlias({ params: { deviceId: desktop.deviceId }, body: { alias: 'Letter C' } })
  await page.goto(`${server.url}/devices?q=Letter`)
  const grid = page.getByRole('grid', { name: 'Devices' })
  await expect(grid.getByRole('row')).toHaveCount(2)
  await expect(grid).toBeFocused()
  await page.keyboard.press('c')
  await expect(page).toHaveURL(new RegExp(`/devices/${desktop.deviceId}/control$`))
  await expect(controlOf(page)).toBeFocused()
  expect(desktop.requests).toHaveLength(0)
  await page.keyboard.press('Enter')
  await expect(page.getByText('In control')).toBeVisible()
  expect(desktop.requests).toHaveLength(1)

  await page.getByRole('button', { name: 'End the session' }).click()
  await page.getByRole('button', { name: 'All desktops' }).press('Enter')
  await expect(controlOf(page)).toBeVisible()
  await expect(controlOf(page)).not.toBeFocused()
  await desktop.stop()
})

test(
  'a device that refuses is asked again by a click, which begins the session',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    desktop.onRequest = () => Promise.resolve(failure('The display :0 is gone.'))
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await controlOf(page).click()
    await expect(alertOf(page)).toContainText('The display :0 is gone.')

    desktop.onRequest = () => Promise.resolve(success)
    await page.getByRole('button', { name: 'Connect again' }).click()
    await expect(page.getByText('In control')).toBeVisible()
    await expect(alertOf(page)).toHaveCount(0)
    expect(desktop.requests).toHaveLength(2)
    await desktop.stop()
  },
)

test(
  'a session ended before a slow device has answered stays ended when the answer comes, and begins again',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    const answers = await openSlow(page, desktop, server.url)
    await controlOf(page).click()
    await expect(page.getByRole('status').filter({ hasText: 'Connecting…' }).first()).toBeVisible()
    await expect.poll(() => answers.length).toBe(1)
    await page.getByRole('button', { name: 'End the session' }).click()
    await expect(alertOf(page)).toContainText('You ended the session.')

    answers[0]!(success)
    await page.getByRole('button', { name: 'Connect again' }).click()
    await expect.poll(() => answers.length).toBe(2)
    answers[1]!(success)
    await expect(page.getByText('In control')).toBeVisible()
    expect(desktop.sessionId).not.toBe(desktop.requests[0]!.sessionId)
    await desktop.stop()
  },
)

test(
  'a device that goes offline while it is asked is reported, and its page says that it is offline',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    const answers = await openSlow(page, desktop, server.url)
    await controlOf(page).click()
    await expect.poll(() => answers.length).toBe(1)
    await desktop.stop()
    await expect(alertOf(page)).toContainText(deviceNotConnected)
    await page.getByRole('button', { name: 'All desktops' }).click()
    await expect(page.getByText('Its desktops appear here when it is back online.')).toBeVisible()
    await expect(controlOf(page)).toHaveCount(0)
  },
)

test(
  'a session whose device has sent no picture says so until the picture comes',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    desktop.paintsAtOnce = false
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await controlOf(page).click()
    await expect(page.getByText('Connected. Loading the picture…')).toBeVisible()
    await expect(page.getByRole('button', { name: 'End the session' })).toBeVisible()
    await desktop.paint([200, 40, 60])
    await expect(page.getByText('Connected. Loading the picture…')).toHaveCount(0)
    await expect.poll(async () => isNear(await colorOf(page), [200, 40, 60])).toBe(true)
    await desktop.stop()
  },
)
