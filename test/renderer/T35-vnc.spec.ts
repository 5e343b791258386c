import { deflateSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect } from './support/fixtures.ts'
import { desktopSize, number16, number32, rectangle, serverInit, startHostile, update } from './support/hostile-vnc.ts'
import { test as base } from './support/room.ts'
import { plainPicture } from './support/scripted-desktop.ts'

// T35: a VNC server under foreign control cannot exhaust the viewer's tab.

const test = base.extend<{ attacked: (says: readonly Buffer[][]) => Promise<Page> }>({
  // noVNC logs to the console, so the page is not the one of the fixtures.
  attacked: async ({ server, device, context }, use) => {
    const servers: { stop: () => void }[] = []
    await use(async (says) => {
      const hostile = await startHostile(says)
      servers.push(hostile)
      const page = await context.newPage()
      await page.goto(`${server.url}/devices/${device.id}/vnc`)
      await page.getByLabel('Port').fill(String(hostile.port))
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      return page
    })
    servers.forEach((hostile) => hostile.stop())
  },
})

const tight = 7
const tightLength = (length: number) =>
  Buffer.from([(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14])
const picture = (width: number, height: number, bytes: Buffer) =>
  rectangle(width, height, tight, Buffer.from([0x90]), tightLength(bytes.length), bytes)
/** Two colors, one bit per pixel. */
function mono(width: number, height: number) {
  const packed = deflateSync(Buffer.alloc(Math.ceil(width / 8) * height))
  const head = Buffer.from([0x41, 1, 1, 0, 0, 0, 255, 255, 255])
  return rectangle(width, height, tight, head, tightLength(packed.length), packed)
}
const blue = rectangle(640, 480, tight, Buffer.from([0x80, 20, 30, 220]))

const isBlue = (page: Page) =>
  page
    .locator('canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const [red = 0, green = 0, blueness = 0] = canvas.getContext('2d')!.getImageData(100, 100, 1, 1).data
      return red === 20 && green === 30 && blueness === 220
    })

/** Header of the first picture with the size of the second: it decodes to another size than its rectangle. */
const lying = plainPicture(2_000, 1_000, [0, 0, 0])
/** Rotated by its EXIF orientation, so that browsers swap its sides. */
const turned = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe1]),
  number16(34),
  Buffer.from('Exif\0\0MM\0*', 'latin1'),
  number32(8),
  number16(1, 0x0112, 3),
  number32(1),
  number16(6, 0),
  number32(0),
  plainPicture(640, 400, [0, 0, 0]).subarray(2),
])

/** Copied text, compressed as clipboards of VNC servers are. */
function copiedText(unpacked: Buffer) {
  const packed = Buffer.concat([
    number32(0x10_00_00_01),
    deflateSync(Buffer.concat([number32(unpacked.length), unpacked])),
  ])
  return Buffer.concat([Buffer.from([3, 0, 0, 0]), number32(-packed.length), packed])
}

test('pictures that the page cannot trust or decode are skipped, copied text of hundreds of megabytes is cut off, and the next update is drawn', async ({
  attacked,
}) => {
  const attacks: Record<string, Buffer> = {
    'a picture of another size than its rectangle': update(picture(640, 480, lying)),
    'a picture turned by its own orientation': update(picture(640, 400, turned)),
    'a picture of a kind that is not announced': update(
      picture(640, 480, Buffer.from(`BM${'\0'.repeat(60)}`, 'latin1')),
    ),
    'a picture that cannot be decoded': update(picture(640, 480, plainPicture(640, 480, [0, 0, 0]).subarray(0, 300))),
    'text that unpacks to 300 MB': copiedText(Buffer.alloc(300_000_000, 'x')),
  }
  const page = await attacked(
    Object.values(attacks).map((attack) => [serverInit(640, 480), Buffer.concat([attack, update(blue)])]),
  )
  for (const [index, attack] of Object.keys(attacks).entries()) {
    if (index > 0) {
      await page.getByRole('button', { name: 'Disconnect' }).click()
      await page.getByRole('button', { name: 'Connect' }).click()
    }
    await expect.poll(() => isBlue(page), attack).toBe(true)
  }
})

test(
  'rectangles of every encoding, cursors and sizes are counted before drawing',
  { tag: '@night' },
  async ({ attacked }) => {
    const attacks: Record<string, Buffer> = {
      'bitmaps that cover the screen again and again': update(...Array.from({ length: 12 }, () => mono(1_600, 1_200))),
      'pictures that do': update(
        ...Array.from({ length: 12 }, () => picture(1_600, 1_200, plainPicture(1_600, 1_200, [0, 0, 0]))),
      ),
      'a cursor of 4,000 times 4,000 pixels': update(rectangle(4_000, 4_000, -239)),
      'thousands of cursors': update(
        ...Array.from({ length: 8_000 }, () => rectangle(1, 1, -239, Buffer.from([1, 2, 3, 4, 255]))),
      ),
      'a screen that changes its size all the time': update(
        ...Array.from({ length: 30 }, (_, index) => desktopSize(1_600 + index, 1_200)),
      ),
    }
    const page = await attacked(Object.values(attacks).map((attack) => [serverInit(1_600, 1_200), attack]))
    for (const [index, attack] of Object.keys(attacks).entries()) {
      if (index > 0) {
        await page.getByRole('button', { name: 'Connect again' }).click()
        await expect(page.getByText('the screen is larger')).toHaveCount(0)
      }
      await expect(page.getByText('the screen is larger than a browser can draw'), attack).toBeVisible()
    }
  },
)

test('video is not decoded, because only its own data states a size', { tag: '@night' }, async ({ attacked }) => {
  const video = rectangle(640, 480, 50, number32(5), number32(0), Buffer.from([0, 0, 1, 0x67, 0]))
  const page = await attacked([[serverInit(640, 480), update(video)]])
  await expect(page.getByText('the VNC server sent an invalid message')).toBeVisible()
})

test('many small updates of the whole screen do not block the page', { tag: '@night' }, async ({ attacked }) => {
  const once = update(...Array.from({ length: 7 }, () => rectangle(4_000, 4_000, tight, Buffer.from([0x80, 1, 2, 3]))))
  const page = await attacked([[serverInit(4_000, 4_000), Buffer.concat(Array.from({ length: 300 }, () => once))]])
  await expect(page.locator('canvas').first()).toBeVisible()
  // The click is handled between two updates instead of after the last one, minutes later.
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByLabel('Port')).toBeVisible()
})

for (const [what, message] of Object.entries({
  'updates without a drawing': update(),
  'demands for an answer': Buffer.from([248, 0, 0, 0, 0x80, 0, 0, 1, 0]),
})) {
  test(`${what} do not block the page`, { tag: '@night' }, async ({ attacked }) => {
    const page = await attacked([[serverInit(640, 480), Buffer.concat(Array.from({ length: 400_000 }, () => message))]])
    await expect(page.locator('canvas').first()).toBeVisible()
    // Handled before the last message, which comes a minute later.
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await expect(page.getByLabel('Port')).toBeVisible()
  })
}
