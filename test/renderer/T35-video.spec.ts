import { expect } from './support/fixtures.ts'
import { isNear, pixelAt } from './support/real-desktop.ts'
import { displayOf, ScriptedDesktop } from './support/scripted-desktop.ts'
import { keyPacket } from '../support/vp8.ts'
import { test } from './support/stage.ts'

// T35: the page reads the size of a video itself, and a device cannot stop the picture with what no decoder takes.

const size = { width: 320, height: 200 }
const red = [200, 30, 30] as const
const blue = [30, 40, 200] as const
const left = [{ x: 0, y: 0, width: 128, height: 200 }]

test('video is drawn in its areas only; what cannot be one is not decoded, and after failures images are asked for', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  desktop.displays = [displayOf(0, size.width, size.height)]
  await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
  await page.getByRole('button', { name: 'Control', exact: true }).click()
  await expect(page.getByText('In control')).toBeVisible()
  const accepts = () => desktop.sent('UpdateCaptureSettings').map(({ acceptsVp8 }) => acceptsVp8)
  await expect.poll(accepts).toEqual([true])
  const shows = (x: number, color: readonly number[]) =>
    expect.poll(async () => isNear(await pixelAt(page, x, 100, size), color)).toBe(true)
  const play = (packet: Uint8Array, areas = left) =>
    desktop.channel!.sendFrame(async () => ({ regions: [], moves: [], video: { packet, areas } }))
  const key = await keyPacket(size.width, size.height, blue)

  await desktop.paint(red)
  await play(key)
  await shows(60, blue)
  await shows(200, red)
  await desktop.paint(red)
  await shows(60, red)
  // Areas that reach beyond the picture, and one outside of it.
  await play(key, [
    { x: -40, y: -30, width: 168, height: 900 },
    { x: 900, y: 900, width: 64, height: 64 },
  ])
  await shows(60, blue)
  await shows(200, red)

  // None of these reaches a decoder: the page asks for a whole picture instead.
  const patched = (at: number, bits: number) => {
    const bytes = Buffer.from(key)
    bytes[at]! ^= bits
    return bytes
  }
  await desktop.paint(red)
  const askedBefore = desktop.sent('RequestKeyFrame').length
  await play(await keyPacket(4096, 4096, blue))
  // A packet of another key, a hidden picture, a scaled one, a start that is none, and one that is cut off.
  for (const packet of [patched(0, 1), patched(0, 16), patched(7, 64), patched(3, 255), key.subarray(0, 9)]) {
    await play(packet)
  }
  await play(
    key,
    Array.from({ length: 64 }, () => ({ x: 0, y: 0, ...size })),
  )
  await expect.poll(() => desktop.sent('RequestKeyFrame').length).toBeGreaterThan(askedBefore)
  await shows(60, red)
  expect(accepts()).toEqual([true])
  await play(key)
  await shows(60, blue)

  // Header and sizes are right, but eight partitions are announced and none follows.
  const broken = Buffer.concat([key.subarray(0, 10), Buffer.from([0, 3]), Buffer.alloc(40, 0xff)])
  broken.writeUIntLE(0x10 | (42 << 5), 0, 3)
  await play(broken)
  // Drawn after the first has failed: a second before that would fail with it, as one.
  await desktop.paint(red)
  await shows(60, red)
  await play(broken)
  await expect.poll(accepts).toEqual([true, false])
  await desktop.paint(red)
  await shows(60, red)
  await desktop.stop()
})
