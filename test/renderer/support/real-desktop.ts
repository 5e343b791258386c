import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import type { Page } from '@playwright/test'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import type { Member } from '../../support/server.ts'
import { expect as plainExpect, freshPageTest } from './fixtures.ts'

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

export const test = freshPageTest.extend<{ desktop: RealDesktop }>({
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

/** Color of one pixel of the device on the page's canvas, 0 to 255 per channel. A screenshot would draw the page once more. */
export const pixelAt = (page: Page, x: number, y: number, size = desktopSize) =>
  screenOf(page).evaluate(
    (element, [across, down]) => {
      const canvas = element as HTMLCanvasElement
      const context = new OffscreenCanvas(1, 1).getContext('2d')!
      context.drawImage(canvas, -Math.floor(across * canvas.width), -Math.floor(down * canvas.height))
      const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
      return [red!, green!, blue!] as const
    },
    [x / size.width, y / size.height] as const,
  )

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
