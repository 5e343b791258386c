import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { until } from '../../support/until.ts'
import { expect } from './real-desktop.ts'

export const green = [0x20, 0xa0, 0x40] as const
export const red = [0xc0, 0x20, 0x40] as const
export const numberOf = ([r, g, b]: readonly [number, number, number]) => (r << 16) | (g << 8) | b

/** Color of a pixel of the recorded picture. */
export const recordedPixel = (canvas: Locator) =>
  canvas.evaluate((element: HTMLCanvasElement) =>
    Array.from(element.getContext('2d')!.getImageData(250, 200, 1, 1).data.slice(0, 3)),
  )

/** Bytes of a recording that has no picture yet. */
const headBytes = 8

/** Starts the first recording of a server; resolves once a picture is recorded: on a busy machine the device needs a while. */
export async function record(page: Page, { directory }: { directory: string }) {
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  await expect(page.getByRole('status', { name: 'Recording', exact: true })).toBeVisible()
  const folder = join(directory, 'recordings')
  await until(() => readdirSync(folder).some((file) => statSync(join(folder, file)).size > headBytes))
}
