import { spanOf, type LaidOut } from '../../../shared/remote-control/span.ts'

/** Position and size of the device's picture on the stage. */

export const sizeModes = ['fit', 'stretch', 'actual', 'zoom'] as const
export type SizeMode = (typeof sizeModes)[number]

export const smoothings = ['auto', 'smooth', 'sharp'] as const
export type Smoothing = (typeof smoothings)[number]

export interface Size {
  width: number
  height: number
}

/** Point on the page, in CSS pixels. */
export interface Point {
  x: number
  y: number
}

export interface Placement extends Size {
  left: number
  top: number
  /** CSS `image-rendering`. */
  rendering: 'auto' | 'pixelated'
}

interface PlacementOptions {
  mode: SizeMode
  /** Physical pixels of the viewer per pixel of the device, for the mode `zoom`. */
  zoom: number
  smoothing: Smoothing
  /** In CSS pixels. */
  stage: Size
  /** In pixels of the device. */
  picture: Size
  /** `devicePixelRatio`. */
  ratio: number
}

export const zoomLimits = { least: 0.1, most: 8 }
export const clampZoom = (zoom: number) => Math.min(zoomLimits.most, Math.max(zoomLimits.least, zoom))

/** CSS pixels per pixel of the device, horizontally and vertically. */
function scales({ mode, zoom, stage, picture, ratio }: PlacementOptions): [number, number] {
  const across = stage.width / picture.width
  const down = stage.height / picture.height
  switch (mode) {
    case 'stretch':
      return [across, down]
    case 'fit':
      return [Math.min(across, down), Math.min(across, down)]
    case 'actual':
      return [1 / ratio, 1 / ratio]
    case 'zoom':
      return [clampZoom(zoom) / ratio, clampZoom(zoom) / ratio]
  }
}

/** Rounds to whole screen pixels, so that 1:1 text stays sharp. */
const snap = (value: number, ratio: number) => Math.round(value * ratio) / ratio
/** Rounds down to whole screen pixels: a fraction too many would make scroll bars appear. */
const snapInside = (value: number, ratio: number) => Math.floor(value * ratio + 0.001) / ratio

/** Whether each pixel of the device takes a whole number of screen pixels. */
const isWhole = (scale: number) => scale >= 0.999 && Math.abs(scale - Math.round(scale)) < 0.001

/** Placement of the picture in CSS pixels. A picture larger than the stage starts at the top left and scrolls. */
export function placementOf(options: PlacementOptions): Placement {
  const { mode, smoothing, stage, picture, ratio } = options
  const [across, down] = scales(options)
  const snapSize = mode === 'fit' || mode === 'stretch' ? snapInside : snap
  const width = snapSize(picture.width * across, ratio)
  const height = snapSize(picture.height * down, ratio)
  const isExact = isWhole(across * ratio) && isWhole(down * ratio)
  return {
    width,
    height,
    left: snap(Math.max(0, (stage.width - width) / 2), ratio),
    top: snap(Math.max(0, (stage.height - height) / 2), ratio),
    rendering: smoothing === 'sharp' || (smoothing === 'auto' && isExact) ? 'pixelated' : 'auto',
  }
}

/** Zoom that corresponds to a placement. */
export const zoomOf = ({ width }: Placement, picture: Size, ratio: number) => clampZoom((width / picture.width) * ratio)

/** Scroll offset along one axis that moves the point from `from` to `to`, both relative to the stage's edge. */
export function scrollFor(
  [from, to]: [from: number, to: number],
  scrolled: number,
  before: [start: number, length: number],
  after: number,
) {
  const share = (from + scrolled - before[0]) / Math.max(1, before[1])
  return Math.max(0, share * after - to)
}

/**
 * Share sent for points at or beyond the last pixel: still inside displays of up to 65,536 pixels, also if the device
 * does not clamp at 1.
 */
const lastShare = 1 - 1 / 65_536

/**
 * Converts a point of the page to a share of the picture. A quarter pixel is added so that rounding at the device hits
 * the same pixel; the viewer's last pixel maps to the device's last pixel, also when the picture is scaled down.
 */
export function shareOf(point: Point, box: { left: number; top: number } & Size, ratio: number) {
  const pixel = 1 / ratio
  const along = (value: number, start: number, length: number) => {
    const inside = value - start + pixel / 4
    return inside >= length - pixel ? lastShare : Math.max(0, inside / length)
  }
  const isEmpty = box.width <= 0 || box.height <= 0
  return isEmpty
    ? { normalizedX: 0, normalizedY: 0 }
    : { normalizedX: along(point.x, box.left, box.width), normalizedY: along(point.y, box.top, box.height) }
}

/** Position of each display, as shares of the bounding box of all displays. */
export function stripOf<D extends LaidOut>(displays: readonly D[]) {
  const { left, top, width, height } = spanOf(displays)
  return {
    ratio: width / height,
    places: displays.map((display) => {
      const { x, y, width: across, height: down } = display.layoutBounds
      return {
        display,
        left: (x - left) / width,
        top: (y - top) / height,
        width: across / width,
        height: down / height,
      }
    }),
  }
}
