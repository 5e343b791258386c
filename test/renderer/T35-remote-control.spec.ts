import { encodeMessage } from '../../shared/remote-control/codec.ts'
import { expect } from './support/fixtures.ts'
import { isNear, pixelAt } from './support/real-desktop.ts'
import { displayOf, plainPicture, scriptedDesktop, ScriptedDesktop } from './support/scripted-desktop.ts'
import { test } from './support/stage.ts'

// T35: a device under foreign control cannot exhaust the viewer's tab.

const blue = [30, 40, 200] as const

/** Bitmap with 32 bits per pixel: a format that browsers decode but no device may send. */
function bitmap(width: number, height: number, [red, green, blueness]: readonly [number, number, number]) {
  const head = Buffer.alloc(54)
  head.write('BM')
  head.writeUInt32LE(54 + width * height * 4, 2)
  head.writeUInt32LE(54, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(32, 28)
  const pixels = Buffer.concat(Array.from({ length: width * height }, () => Buffer.from([blueness, green, red, 255])))
  return Buffer.concat([head, pixels])
}

test('a frame or cursor whose size the page cannot read itself is not decoded, and long lists are cut off with a note', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
  await page.getByRole('button', { name: 'Control', exact: true }).click()
  await expect(page.getByText('In control')).toBeVisible()
  const { channel, sessionId } = desktop
  const shown = (x: number, y: number) => pixelAt(page, x, y, { width: 320, height: 200 })
  const corner = { x: 0, y: 0, width: 40, height: 40, imageFormat: 0 as const }
  await channel!.sendFrame(async () => ({ regions: [{ ...corner, encodedImage: bitmap(40, 40, [200, 30, 30]) }] }))
  await channel!.sendFrame(async () => ({
    regions: [{ ...corner, x: 100, encodedImage: plainPicture(40, 40, blue) }],
  }))
  await expect.poll(async () => isNear(await shown(120, 20), blue)).toBe(true)
  expect(isNear(await shown(20, 20), [200, 30, 30])).toBe(false)
  await expect.poll(() => desktop.sent('RequestKeyFrame').length).toBeGreaterThan(0)

  const canvas = page.getByTestId('remote-screen').locator('canvas')
  const cursor = { cursor: 9, xHotspot: 0, yHotspot: 0, sessionId } as const
  await channel!.send('CursorChanged', { ...cursor, cursor: 6, customCursorBase64Png: null })
  await expect(canvas).toHaveCSS('cursor', 'nesw-resize')
  await channel!.send('CursorChanged', { ...cursor, customCursorBase64Png: bitmap(32, 32, blue).toString('base64') })
  await expect(canvas).toHaveCSS('cursor', 'default')

  // Another visit, with long lists.
  await page.getByRole('button', { name: 'End the session' }).click()
  await expect(page.getByText('You ended the session.')).toBeVisible()
  desktop.desktops = Array.from({ length: 200 }, (_, index) => ({ ...scriptedDesktop, processId: index + 1 }))
  desktop.displays = Array.from({ length: 2_000 }, (_, index) => displayOf(index, 320, 200, index * 320))
  await page.reload()
  await expect(page.getByText('The device lists 200 desktops. The first 50 are shown.')).toBeVisible()
  await page.getByRole('button', { name: 'Control', exact: true }).first().click()
  await expect(page.getByText('In control')).toBeVisible()
  await page.getByRole('button', { name: 'View', exact: true }).click()
  await expect(page.getByText('The device lists 2,000 displays. 64 of them can be shown.')).toBeVisible()
  await expect(page.getByRole('group', { name: 'Displays' }).getByRole('button')).toHaveCount(64)
  await desktop.stop()
})

test(
  'messages faster than rendering do not block the page; the newest is shown',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await page.getByRole('button', { name: 'Control', exact: true }).click()
    await expect(page.getByText('In control')).toBeVisible()
    for (let count = 0; count < 20_000; count++) {
      desktop.socket!.send(encodeMessage('ToastNotification', { message: `number ${count}`, severity: 0 }, 1n))
    }
    await expect(page.getByText('The device says: number 19999')).toBeVisible()
    await page.getByRole('button', { name: 'End the session' }).click()
    await expect(page.getByText('You ended the session.')).toBeVisible()
    await desktop.stop()
  },
)
