/** Larger pictures than browsers draw. */
const maxSide = 16_384
export const maxPixels = 64 * 1024 * 1024

/** Whether a browser can draw a picture of so many pixels; a device says of its screen what it likes. */
export const isDrawable = (width: number, height: number): boolean =>
  width > 0 && height > 0 && Math.max(width, height) <= maxSide && width * height <= maxPixels
