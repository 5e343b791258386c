import { expect } from './support/fixtures.ts'
import { desktopSize, number16, number32, serverInit, startHostile, update } from './support/hostile-vnc.ts'
import { some } from '../support/night.ts'
import { test } from './support/room.ts'

// T18: a VNC server under foreign control cannot harm the viewer's tab.

/** Overlapping filled areas, in 12 bytes each. */
const filled = (width: number, height: number, times: number) =>
  Buffer.concat([
    number16(0, 0, width, height),
    number32(2),
    number32(times),
    Buffer.alloc(4),
    ...Array.from({ length: times }, () => Buffer.concat([Buffer.alloc(4), number16(0, 0, width, height)])),
  ])

const attacks: Record<string, Buffer[]> = {
  'a screen of 65,535 times 65,535 pixels': [serverInit(65_535, 65_535)],
  'a screen that grows to one': [serverInit(640, 480), update(desktopSize(40_000, 40_000))],
  'a part that is larger than the screen': [serverInit(640, 480), update(filled(40_000, 40_000, 0))],
  'a small update that draws all of the screen thousands of times': [
    serverInit(8_000, 8_000),
    update(filled(8_000, 8_000, 5_000)),
  ],
}

test('a VNC server with a screen too large for a tab is disconnected, and the page keeps working', async ({
  server,
  device,
  context,
}) => {
  // noVNC logs to the console, so the console is not checked.
  const page = await context.newPage()
  const tried = some(Object.entries(attacks), 2)
  const hostile = await startHostile(tried.map(([, says]) => says))
  await page.goto(`${server.url}/devices/${device.id}/vnc`)
  await page.getByLabel('Port').fill(String(hostile.port))
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  for (const [index, [attack]] of tried.entries()) {
    if (index > 0) {
      await page.getByRole('button', { name: 'Connect again' }).click()
    }
    await expect.poll(hostile.connections).toBe(index + 1)
    await expect(page.getByText('the screen is larger than a browser can draw'), attack).toBeVisible()
  }
  hostile.stop()
})
