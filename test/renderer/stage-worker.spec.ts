import { expect } from './support/fixtures.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'
import { test } from './support/stage.ts'

test(
  'a session begins although its code did not load ahead, and after a failed one',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    const script = '**/assets/stage-worker-*.js'
    const control = page.getByRole('button', { name: 'Control', exact: true })
    await page.route(script, (route) => route.abort())
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('stage-worker'))
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await failed
    await control.click()
    await expect(page.getByText('Remote control could not be loaded from the server.')).toBeVisible()

    await page.unroute(script)
    await page.getByRole('button', { name: 'All desktops' }).click()
    await control.click()
    await expect(page.getByText('In control')).toBeVisible()
  },
)
