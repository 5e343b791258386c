import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import type { Page } from '@playwright/test'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
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

export const test = base.extend<{ desktop: RealDesktop }>({
  desktop: async ({ owner }, use) => {
    const display = await startXvfb(`${desktopSize.width}x${desktopSize.height}x24`)
    const manager = spawn('openbox', { env: { ...process.env, DISPLAY: display.name }, stdio: 'ignore' })
    // With an empty home folder, so that the user's login scripts do not matter.
    const device = await startRealDevice(owner, { HOME: tmpdir() })
    await use({ device, display, name: `Console - X11: ${display.name}` })
    await device.stop()
    manager.kill()
    await once(manager, 'exit')
    await display.stop()
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
