import { expect } from './support/fixtures.ts'
import { isNear, pixelAt } from './support/real-desktop.ts'
import { displayOf, plainPicture, scriptedDesktop, ScriptedDesktop } from './support/scripted-desktop.ts'
import { test } from './support/stage.ts'

// T18: a device under foreign control cannot harm the viewer through what it shows.

const red = [200, 30, 30] as const
const blue = [30, 40, 200] as const
const markup = '<img src=x onerror=document.title="taken">'

test('names and messages of a device are plain text, its cursor is no style, and broken pictures end nothing', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  desktop.desktops = [
    { ...scriptedDesktop, username: markup, desktopName: markup },
    { ...scriptedDesktop, processId: 0, areRemoteControlPermissionsGranted: false, name: `Console (${markup})` },
  ]
  await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
  await expect(page.getByRole('heading', { name: markup })).toBeVisible()
  await expect(page.getByText('No preview: This device shows no pictures.')).toBeVisible()
  await page.getByRole('button', { name: 'Control', exact: true }).click()
  await expect(page.getByText('In control')).toBeVisible()
  const { channel, sessionId } = desktop

  await channel!.send('CursorChanged', {
    cursor: 9,
    customCursorBase64Png: 'AAAA); background: url(https://example.org/x',
    xHotspot: 0,
    yHotspot: 0,
    sessionId,
  })
  await channel!.sendFrame(async () => ({
    regions: [{ x: 0, y: 0, width: 320, height: 200, encodedImage: new TextEncoder().encode(markup), imageFormat: 0 }],
  }))
  // A frame with far more pixels than the screen is not decoded; the next frame is drawn.
  await desktop.paint(red)
  const large = {
    x: 0,
    y: 0,
    width: 320,
    height: 200,
    encodedImage: plainPicture(640, 400, blue),
    imageFormat: 0 as const,
  }
  await channel!.sendFrame(async () => ({ regions: Array.from({ length: 9 }, () => large) }))
  const corner = {
    x: 0,
    y: 0,
    width: 40,
    height: 40,
    encodedImage: plainPicture(40, 40, blue),
    imageFormat: 0 as const,
  }
  await channel!.sendFrame(async () => ({ regions: [corner] }))
  const shown = (x: number, y: number) => pixelAt(page, x, y, { width: 320, height: 200 })
  await expect.poll(async () => isNear(await shown(20, 20), blue)).toBe(true)
  expect(isNear(await shown(200, 100), red)).toBe(true)

  // A frame that cheaply covers or moves the screen many times is rejected too.
  const stretched = { ...large, encodedImage: plainPicture(1, 1, blue) }
  await channel!.sendFrame(async () => ({ regions: Array.from({ length: 9 }, () => stretched) }))
  await channel!.sendFrame(async () => ({ regions: Array.from({ length: 2_000 }, () => ({ ...stretched, width: 8 })) }))
  const moved = { x: 100, y: 0, width: 320, height: 200, fromX: 0, fromY: 0 }
  await channel!.sendFrame(async () => ({ regions: [], moves: Array.from({ length: 9 }, () => moved) }))
  const huge = { ...moved, width: 2_000_000_000, height: -2_000_000_000 }
  await channel!.sendFrame(async () => ({ regions: [], moves: Array.from({ length: 9 }, () => huge) }))
  const nothing = { ...stretched, width: Number.NaN }
  await channel!.sendFrame(async () => ({ regions: [nothing] }))
  await channel!.sendFrame(async () => ({ regions: [{ ...corner, x: 280 }] }))
  await expect.poll(async () => isNear(await shown(300, 20), blue)).toBe(true)
  for (const [x, y] of [
    [4, 100],
    [120, 20],
    [200, 100],
  ] as const) {
    expect(isNear(await shown(x, y), red)).toBe(true)
  }

  await channel!.send('DisplayData', { displays: [displayOf(0, 320, 200), displayOf(1, 4_000_000, 4_000_000)] })
  await channel!.send('ToastNotification', { message: markup, severity: 0 })
  await expect(page.getByText(`The device says: ${markup}`)).toBeVisible()
  const canvas = page.getByTestId('remote-screen').locator('canvas')
  expect(await canvas.evaluate((element) => element.style.cursor)).toBe('default')
  // An unreadable picture is requested again.
  await expect.poll(() => desktop.sent('RequestKeyFrame').length).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'View', exact: true }).click()
  await expect(page.getByRole('group', { name: 'Displays' })).toHaveCount(0)
  expect(await page.title()).not.toBe('taken')
  await desktop.stop()
})

test('clipboard text never moves to another device by itself, nor to this device without focus', async ({
  page,
  server,
  owner,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  const [first, second] = [await ScriptedDesktop.start(owner), await ScriptedDesktop.start(owner)]
  const open = async (desktop: ScriptedDesktop) => {
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await page.evaluate(() => navigator.clipboard.writeText('mine').catch(() => {}))
    await page.getByRole('button', { name: 'Control', exact: true }).click()
    await expect(page.getByText('In control')).toBeVisible()
  }
  await open(first)
  await expect.poll(() => first.sent('ClipboardText').map(({ text }) => text)).toEqual(['mine'])

  // While the focus is in the toolbar, the local clipboard does not change.
  await page.getByRole('button', { name: 'Extras' }).click()
  await expect(page.getByRole('switch', { name: 'Share the clipboard' })).toBeVisible()
  await first.channel!.send('ClipboardText', { text: 'unseen', sessionId: first.sessionId })
  await first.channel!.send('ToastNotification', { message: 'after', severity: 0 })
  await expect(page.getByText('The device says: after')).toBeVisible()
  expect(await clipboard()).toBe('mine')

  await page.keyboard.press('Escape')
  await page.getByTestId('remote-screen').click()
  await first.channel!.send('ClipboardText', { text: 'secret of the first', sessionId: first.sessionId })
  await expect.poll(clipboard).toBe('secret of the first')

  await page.goto(`${server.url}/devices/${second.deviceId}/control`)
  await page.getByRole('button', { name: 'Control', exact: true }).click()
  await expect(page.getByText('The text on your clipboard is from another device')).toBeVisible()
  expect(second.sent('ClipboardText')).toEqual([])
  await page.getByRole('button', { name: 'Extras' }).click()
  await page.getByRole('button', { name: 'Send my clipboard now' }).click()
  await expect.poll(() => second.sent('ClipboardText').map(({ text }) => text)).toEqual(['secret of the first'])
  await Promise.all([first.stop(), second.stop()])
})
