import { imageFormat } from '../../shared/remote-control/values.ts'
import { expect } from './support/fixtures.ts'
import { isNear, pixelAt } from './support/real-desktop.ts'
import { plainPicture, ScriptedDesktop } from './support/scripted-desktop.ts'
import { test } from './support/stage.ts'

const red = [200, 30, 30] as const
const blue = [30, 40, 200] as const
const size = { width: 320, height: 200 }

test(
  "moved areas of a device's screen are drawn in the order of arrival",
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await page.getByRole('button', { name: 'Control', exact: true }).click()
    await expect(page.getByText('In control')).toBeVisible()
    await expect.poll(() => desktop.sent('UpdateCaptureSettings')).toMatchObject([{ acceptsMoves: true }])
    const shows = (x: number, y: number, color: readonly number[]) =>
      expect.poll(async () => isNear(await pixelAt(page, x, y, size), color)).toBe(true)
    const square = (x: number, y: number, color: readonly [number, number, number]) => ({
      x,
      y,
      width: 40,
      height: 40,
      imageFormat: imageFormat.Jpeg,
      encodedImage: plainPicture(40, 40, color),
    })

    await desktop.paint(red)
    await desktop.channel!.sendFrame(async () => ({ regions: [square(0, 0, blue)] }))
    // The second move uses the result of the first; it overlaps itself.
    const moves = [
      { x: 100, y: 50, width: 40, height: 40, fromX: 0, fromY: 0 },
      { x: 100, y: 70, width: 40, height: 40, fromX: 100, fromY: 50 },
    ]
    await desktop.channel!.sendFrame(async () => ({ regions: [square(0, 0, red)], moves }))
    await shows(120, 105, blue)
    await shows(120, 55, blue)
    await shows(20, 20, red)
    await shows(160, 80, red)

    // Sent without pauses: each move builds on the previous one, so none may be lost.
    for (let step = 0; step < 60; step++) {
      const moved = { x: 102 + step * 2, y: 50, width: 40, height: 60, fromX: 100 + step * 2, fromY: 50 }
      void desktop.channel!.sendFrame(async () => ({ regions: [], moves: [moved] }))
    }
    await shows(240, 80, blue)
    await shows(300, 80, red)
    await desktop.stop()
  },
)
