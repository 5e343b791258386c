import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import type { Page } from '@playwright/test'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import type { Member } from '../../support/server.ts'
import { expect as plainExpect, test as base } from './fixtures.ts'

/** Desktop processes and whole-screen pictures are slow on a busy machine. */
export const expect = plainExpect.configure({ timeout: 60_000 })

export const desktopSize = { width: 900, height: 700 }

/** Display with a window manager, and this machine as a device with the real agent. */
export interface RealDesktop {
  device: RealDevice
  display: XDisplay
  /** Name in the device's list of desktops. */
  name: string
}

/** Starts a display with a window manager, and this machine as a device; the caller calls `stop`. */
export async function startRealDesktop(owner: Member): Promise<RealDesktop & { stop(): Promise<void> }> {
  const display = await startXvfb(`${desktopSize.width}x${desktopSize.height}x24`)
  const manager = spawn('openbox', { env: { ...process.env, DISPLAY: display.name }, stdio: 'ignore' })
  // With an empty home folder, so that the user's login scripts do not matter.
  const device = await startRealDevice(owner, { HOME: tmpdir() })
  return {
    device,
    display,
    name: `Console - X11: ${display.name}`,
    async stop() {
      await device.stop()
      manager.kill()
      await once(manager, 'exit')
      await display.stop()
    },
  }
}

export const test = base.extend<{ desktop: RealDesktop }>({
  desktop: async ({ owner }, use) => {
    const { stop, ...desktop } = await startRealDesktop(owner)
    await use(desktop)
    await stop()
  },
})

/** Card of the test's desktop; other displays and Wayland sockets of this machine have cards too. */
export const cardOf = (page: Page, { name }: Pick<RealDesktop, 'name'>) =>
  page.getByRole('listitem').filter({ hasText: new RegExp(`${name}(?!\\d| wayland)`) })

/** The picture of the session on screen: sessions of other devices may go on beside it. */
export const screenOf = (page: Page) => page.getByTestId('remote-screen').locator('canvas').filter({ visible: true })

export const openCards = async (page: Page, url: string, { device }: RealDesktop) => {
  await page.goto(`${url}/devices/${device.id}/control`)
}

export async function takeControl(page: Page, url: string, desktop: RealDesktop, button = 'Control') {
  await openCards(page, url, desktop)
  await cardOf(page, desktop).getByRole('button', { name: button, exact: true }).click()
  await running(page)
}

/** Waits until the session is open and has drawn a picture. */
export async function running(page: Page) {
  await expect(page.getByRole('toolbar', { name: 'Remote control toolbar' }).filter({ visible: true })).toContainText(
    /In control|View only|Watching/,
  )
  await expect(page.getByText(/Connecting…|Loading the picture/).filter({ visible: true })).toHaveCount(0)
}

/** Color of one pixel of the device as shown on the page, 0 to 255 per channel. */
export async function pixelAt(page: Page, x: number, y: number, size = desktopSize): Promise<[number, number, number]> {
  const image = await screenOf(page).screenshot()
  return await page.evaluate(
    async ({ bytes, across, down }) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }))
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
      context.drawImage(bitmap, 0, 0)
      const { data } = context.getImageData(Math.floor(across * bitmap.width), Math.floor(down * bitmap.height), 1, 1)
      return [data[0]!, data[1]!, data[2]!] as [number, number, number]
    },
    { bytes: [...image], across: x / size.width, down: y / size.height },
  )
}

export const isNear = (a: readonly number[], b: readonly number[]) =>
  a.every((value, index) => Math.abs(value - b[index]!) < 14)

/** Digest of the picture that a display shows, as red, green, blue and alpha. */
export async function digestOfDisplay({ name }: XDisplay): Promise<string> {
  const desktop = await openX11Desktop({ display: name })
  const screen = await desktop.openScreen(desktop.displays()[0]!)
  const { pixels } = (await screen.capture(true)).picture
  desktop.close()
  const colors = Buffer.from(pixels).swap32()
  for (let at = 0; at < colors.length; at += 4) {
    // Now unused, red, green, blue.
    colors.writeUInt32BE(((colors.readUInt32BE(at) << 8) | 0xff) >>> 0, at)
  }
  return createHash('sha256').update(colors).digest('hex')
}

/** Digest of the picture of the session on screen, in the same order. */
export const digestOfPicture = (page: Page) =>
  screenOf(page).evaluate(async (element) => {
    const canvas = element as HTMLCanvasElement
    const context = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')!
    context.drawImage(canvas, 0, 0)
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data))
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  })
