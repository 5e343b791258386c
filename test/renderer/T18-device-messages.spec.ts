import type { DeviceMessage, Payload } from '../../shared/remote-control/messages.ts'
import { layoutCoordinateSpace } from '../../shared/remote-control/values.ts'
import { expect, freshPageTest as test } from './support/fixtures.ts'
import { isNear, pixelAt } from './support/real-desktop.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'

// T18, T35: no message of a device does more than show itself.

const most = 2_147_483_647
const markup = '<img src="https://example.org/x" onerror=document.title="taken">'
const long = markup + 'x'.repeat(1_000_000)
const blue = [30, 40, 200] as const
const none = '00000000-0000-0000-0000-000000000000'
const bytes = new TextEncoder().encode(markup)
const answer = { isSuccess: false, finalState: true, reason: long }

/** PNG of a size that no page can draw. */
function hugePicture(): Buffer {
  const head = Buffer.alloc(64)
  head.write('89504e470d0a1a0a0000000d49484452', 'hex')
  head.writeUInt32BE(60_000, 16)
  head.writeUInt32BE(60_000, 20)
  return head
}

type Ending = 'RemoteControlSessionError' | 'SessionDisconnectRequested' | 'WindowsSessionEnding'

/** Payloads of a hostile device, of every message that does not end the session. */
const attacks: { readonly [N in Exclude<DeviceMessage, Ending>]: readonly Payload<N>[] } = {
  ClipboardText: [{ text: long, sessionId: none }],
  DisplayData: [
    {
      displays: Array.from({ length: 100 }, (_, index) => ({
        capturePixelSize: { width: index === 0 ? 320 : most, height: index === 0 ? 200 : -most },
        displayId: index === 0 ? 'display-0' : long.slice(0, 5_000),
        index: most,
        isPrimary: true,
        layoutBounds: { x: Number.NaN, y: -Infinity, width: 1e300, height: 0 },
        layoutCoordinateSpace: layoutCoordinateSpace.Logical,
        name: markup,
        nativePixelSize: null,
      })),
    },
  ],
  ScreenRegion: [{ x: 0, y: 0, width: 320, height: 200, encodedImage: bytes, imageFormat: 0 }],
  CursorChanged: [
    { cursor: 9, customCursorBase64Png: markup, xHotspot: most, yHotspot: -most, sessionId: none },
    { cursor: 9, customCursorBase64Png: long, xHotspot: 0, yHotspot: 0, sessionId: none },
  ],
  WindowsSessionSwitched: [{}],
  CaptureMetricsChanged: [
    { fps: Number.NaN, captureMode: long, currentQuality: -most, extraData: new Map([['__proto__', long]]) },
  ],
  VideoStreamPacket: [{ packetData: bytes, timestamp: -1n }],
  ToastNotification: [{ message: long, severity: 2 }],
  BlockInputResult: [answer],
  PrivacyScreenResult: [answer],
  ScreenRegions: [
    {
      regions: [],
      moves: [{ x: -most, y: most, width: most, height: most, fromX: -1, fromY: -1 }],
      video: { packet: bytes, areas: [{ x: -most, y: 0, width: most, height: most }] },
    },
  ],
  DesktopStatus: [
    {
      blockInputObstacle: long,
      privacyScreenObstacle: markup,
      isSecureDesktop: true,
      spansDisplays: true,
      soundObstacle: markup,
    },
  ],
  ControlHolders: [
    {
      viewers: Array.from({ length: 10_000 }, (_, id) => ({
        id: -id,
        name: markup,
        isYou: true,
        holds: true,
        isAsking: true,
      })),
    },
  ],
  DisplayShown: [{ displayId: long }, { displayId: '__proto__' }],
  ClipboardStatus: [{ isEnabled: true, hasPictures: true, hasFiles: true }],
  ClipboardOffer: [
    { offerId: most, byteCount: most, width: most, height: most, files: [] },
    {
      offerId: -1,
      byteCount: 0,
      width: 0,
      height: 0,
      files: Array.from({ length: 500 }, () => ({ path: `/${markup}`, size: -1, isFolder: false })),
    },
  ],
  ClipboardPicture: [{ contentId: most, byteCount: most, part: bytes }],
  ClipboardResult: [{ contentId: 1, reason: long }],
  Folder: [
    { purpose: 0, path: `/${markup}`, reason: null },
    { purpose: 1, path: long, reason: null },
  ],
  SoundResult: [answer],
  Sound: [{ packets: [bytes, new Uint8Array(100_000)] }],
}

test(
  'no message of a device runs, fetches, saves or sends anything, and none ends the picture',
  { tag: '@night' },
  async ({ page, server, owner, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const caused: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !/^(?:blob|data):/.test(request.url())) {
        caused.push(request.url())
      } else if (/device-file-system\/(?:up|down)load|uploads\b/.test(request.url())) {
        caused.push(`${request.method()} ${request.url()}`)
      }
    })
    page.on('download', (download) => caused.push(`download of ${download.suggestedFilename()}`))
    page.on('dialog', (dialog) => caused.push(`dialog ${dialog.message()}`))
    const desktop = await ScriptedDesktop.start(owner)
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await page.evaluate(() => navigator.clipboard.writeText('mine'))
    await page.getByRole('button', { name: 'Control', exact: true }).click()
    await expect(page.getByText('In control')).toBeVisible()
    const channel = desktop.channel!

    for (const [name, payloads] of Object.entries(attacks) as [DeviceMessage, readonly never[]][]) {
      for (const payload of payloads) {
        await channel.send(name, payload)
      }
    }
    await channel.send('ToastNotification', { message: 'after all', severity: 0 })
    await expect(page.getByText('The device says: after all')).toBeVisible()

    // A picture that the page asks for, and that is none or cannot be drawn, leaves the clipboard as it was.
    for (const [offerId, picture] of [
      [7, Buffer.from(bytes)],
      [8, hugePicture()],
    ] as const) {
      const byteCount = picture.length
      await page.getByTestId('remote-screen').click()
      await channel.send('ClipboardOffer', { offerId, byteCount, width: 10, height: 10, files: [] })
      await expect
        .poll(() => desktop.sent('RequestClipboardPicture').map((request) => request.offerId))
        .toContain(offerId)
      await channel.send('ClipboardPicture', { contentId: offerId, byteCount, part: picture })
      await expect(page.getByText('The picture of the device cannot be shown.')).toBeVisible()
      await page.getByRole('button', { name: 'Dismiss' }).first().click()
    }
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine')

    await page.getByRole('button', { name: 'Extras' }).click()
    await expect(page.getByText(markup).first()).toBeVisible()
    await desktop.paint(blue)
    await expect.poll(async () => isNear(await pixelAt(page, 200, 100, { width: 320, height: 200 }), blue)).toBe(true)
    await channel.send('RemoteControlSessionError', { message: markup, isFatal: true })
    await expect(page.getByText(markup).first()).toBeVisible()
    expect(await page.locator('img[src*="example.org"]').count()).toBe(0)
    expect(await page.title()).not.toBe('taken')
    expect(caused).toEqual([])
    await desktop.stop()
  },
)
