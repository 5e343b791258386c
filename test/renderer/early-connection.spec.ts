import { once } from 'node:events'
import { WebSocket } from 'ws'
import { systemClock, type Clock } from '../../server/ground/clock.ts'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { startTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { expect, test, usePage } from './support/fixtures.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'

/** Time for which the relay lets a viewer wait by its ticket. */
const ticketMs = 30_000

test('a session is connected while its device is still being asked, ends when the device refuses, and begins again', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  desktop.onRequest = async () => {
    const socket = new WebSocket(desktop.requests.at(-1)!.websocketUri)
    // The relay opens this end once the viewer has connected.
    await once(socket, 'open')
    return failure('Not today.')
  }
  await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
  await page.getByRole('button', { name: 'Control', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('The device refused the session.')
  expect(desktop.requests).toHaveLength(1)

  desktop.onRequest = () => Promise.resolve(success)
  await page.getByRole('button', { name: 'Connect again' }).click()
  await expect(page.getByText('In control')).toBeVisible()
  expect(desktop.requests).toHaveLength(2)
  await desktop.stop()
})

test(
  'a session begins although its person answers after the time for which the relay lets the viewer wait',
  { tag: '@night' },
  async ({ page, context }) => {
    const waits = new Set<() => void>()
    const clock: Clock = {
      ...systemClock,
      after(delayMs, run) {
        if (delayMs !== ticketMs) {
          return systemClock.after(delayMs, run)
        }
        waits.add(run)
        return () => void waits.delete(run)
      },
    }
    const server = await startTestServer({ clock })
    const owner = await server.owner()
    await usePage(context, owner)
    const desktop = await ScriptedDesktop.start(owner)
    desktop.onRequest = async () => {
      await until(() => waits.size > 0)
      waits.forEach((end) => end())
      return success
    }
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    const button = page.getByRole('button', { name: 'Control', exact: true })
    await button.waitFor()
    waits.clear()
    await button.click()
    await expect(page.getByText('In control')).toBeVisible()
    expect(desktop.requests).toHaveLength(1)
    await desktop.stop()
    await server.stop()
  },
)
