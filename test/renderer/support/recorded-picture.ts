import type { Locator } from '@playwright/test'

export const green = [0x20, 0xa0, 0x40] as const
export const red = [0xc0, 0x20, 0x40] as const
export const numberOf = ([r, g, b]: readonly [number, number, number]) => (r << 16) | (g << 8) | b

/** Color of a pixel of the recorded picture. */
export const recordedPixel = (canvas: Locator) =>
  canvas.evaluate((element: HTMLCanvasElement) =>
    Array.from(element.getContext('2d')!.getImageData(250, 200, 1, 1).data.slice(0, 3)),
  )
