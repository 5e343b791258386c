import type { DisplayDto } from './messages.ts'

export type LaidOut = Pick<DisplayDto, 'layoutBounds'>

/** Bounding box of all displays. */
export function spanOf(displays: readonly LaidOut[]): { left: number; top: number; width: number; height: number } {
  const left = Math.min(...displays.map(({ layoutBounds: { x } }) => x))
  const top = Math.min(...displays.map(({ layoutBounds: { y } }) => y))
  const width = Math.max(1, ...displays.map(({ layoutBounds: { x, width: across } }) => x + across - left))
  const height = Math.max(1, ...displays.map(({ layoutBounds: { y, height: down } }) => y + down - top))
  return { left, top, width, height }
}
