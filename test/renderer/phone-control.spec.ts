import type { Locator } from '@playwright/test'
import { expect, freshPageTest as test } from './support/fixtures.ts'
import { displayOf, ScriptedDesktop } from './support/scripted-desktop.ts'

const viewport = { width: 390, height: 844 }
test.use({ viewport, hasTouch: true })

/** Positions of the rows in which the buttons of the toolbar stand. */
const rowsOf = (toolbar: Locator) =>
  toolbar
    .getByRole('button')
    .evaluateAll((buttons) => [...new Set(buttons.map((button) => Math.round(button.getBoundingClientRect().top)))])

test('a session on a phone leaves three quarters of the height to the picture, has its buttons in a row and its head free of toasts, and taps arrive', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  desktop.displays = [displayOf(0, viewport.width, viewport.height)]
  await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
  await page.getByRole('button', { name: 'Control', exact: true }).tap()
  await expect(page.getByText('In control')).toBeVisible()
  const screen = page.getByTestId('remote-screen')
  await expect.poll(async () => (await screen.boundingBox())?.height).toBeGreaterThan(viewport.height * 0.75)
  const toolbar = page.getByRole('toolbar', { name: 'Remote control toolbar' })
  expect(await rowsOf(toolbar)).toHaveLength(1)
  await screen.tap()
  await expect.poll(() => desktop.sent('MouseClick').map(({ isDoubleClick }) => isDoubleClick)).toEqual([false])
  const [session] = (await owner.applianceRemoteSessions.list({})).items
  await owner.applianceRemoteSessions.message({ params: { sessionId: session!.id }, body: { text: 'Lunch' } })
  const toast = page.getByRole('alert').filter({ hasText: 'Lunch' })
  await expect.poll(async () => (await toast.boundingBox())?.y ?? 0).toBeGreaterThan(viewport.height / 2)
  await desktop.stop()
})
