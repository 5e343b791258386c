/** Limits of canvas sizes in browsers, in pixels. */
const maxSide = 16_384
export const maxPixels = 64 * 1024 * 1024

/** Whether browsers can draw a picture of this size; sizes sent by a device are untrusted. */
export const isDrawable = (width: number, height: number): boolean =>
  width > 0 && height > 0 && Math.max(width, height) <= maxSide && width * height <= maxPixels
