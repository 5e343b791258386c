/** Layout of a tab: a pane by its number, or two parts side by side or stacked. */
export type Layout = number | Split

export interface Split {
  direction: 'row' | 'column'
  /** Share of the first part, 0 to 1. */
  share: number
  first: Layout
  second: Layout
}

/** Rectangle in percent of the tab. */
export interface Rect {
  left: number
  top: number
  width: number
  height: number
}

export interface Divider {
  /** Path from the root to the split: `1` for the first part, `2` for the second. */
  path: string
  direction: Split['direction']
  share: number
  /** Rectangle of both parts together. */
  rect: Rect
}

export type Side = 'left' | 'right' | 'up' | 'down'

const whole: Rect = { left: 0, top: 0, width: 100, height: 100 }
const shares = { min: 0.15, max: 0.85 }
/** Tolerance for rounding errors when comparing edges. */
const nothing = 0.01

export const panesOf = (layout: Layout): number[] =>
  typeof layout === 'number' ? [layout] : [...panesOf(layout.first), ...panesOf(layout.second)]

function partsOf({ direction, share }: Split, { left, top, width, height }: Rect): [Rect, Rect] {
  return direction === 'row'
    ? [
        { left, top, height, width: width * share },
        { left: left + width * share, top, height, width: width * (1 - share) },
      ]
    : [
        { left, top, width, height: height * share },
        { left, top: top + height * share, width, height: height * (1 - share) },
      ]
}

/** Rectangles of all panes. */
export function rectsOf(layout: Layout, rect = whole): ReadonlyMap<number, Rect> {
  if (typeof layout === 'number') {
    return new Map([[layout, rect]])
  }
  const [first, second] = partsOf(layout, rect)
  return new Map([...rectsOf(layout.first, first), ...rectsOf(layout.second, second)])
}

export function dividersOf(layout: Layout, rect = whole, path = ''): Divider[] {
  if (typeof layout === 'number') {
    return []
  }
  const { direction, share } = layout
  const [first, second] = partsOf(layout, rect)
  return [
    { path, direction, share, rect },
    ...dividersOf(layout.first, first, `${path}1`),
    ...dividersOf(layout.second, second, `${path}2`),
  ]
}

/** Splits a pane; the new pane is to the right or below. */
export function withSplit(layout: Layout, pane: number, direction: Split['direction'], added: number): Layout {
  if (typeof layout === 'number') {
    return layout === pane ? { direction, share: 0.5, first: pane, second: added } : layout
  }
  const { first, second } = layout
  return {
    ...layout,
    first: withSplit(first, pane, direction, added),
    second: withSplit(second, pane, direction, added),
  }
}

/** Removes a pane; its sibling takes the space. Undefined when the last pane was removed. */
export function withoutPane(layout: Layout, pane: number): Layout | undefined {
  if (typeof layout === 'number') {
    return layout === pane ? undefined : layout
  }
  const [first, second] = [withoutPane(layout.first, pane), withoutPane(layout.second, pane)]
  return first !== undefined && second !== undefined ? { ...layout, first, second } : (first ?? second)
}

/** Pane that gets the focus when a pane closes: its sibling. */
export function heirOf(layout: Layout, pane: number): number | undefined {
  if (typeof layout === 'number') {
    return undefined
  }
  const { first, second } = layout
  return first === pane
    ? panesOf(second)[0]
    : second === pane
      ? panesOf(first).at(-1)
      : (heirOf(first, pane) ?? heirOf(second, pane))
}

/** Moves the divider at `path`. */
export function withShare(layout: Layout, path: string, share: number): Layout {
  if (typeof layout === 'number') {
    return layout
  }
  if (path === '') {
    return { ...layout, share: Math.min(shares.max, Math.max(shares.min, share)) }
  }
  const part = path.startsWith('1') ? 'first' : 'second'
  return { ...layout, [part]: withShare(layout[part], path.slice(1), share) }
}

const overlap = (start: number, length: number, otherStart: number, otherLength: number) =>
  Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart)

/** Neighbour of a pane on one side: the pane with the longest common edge. */
export function neighbourOf(layout: Layout, pane: number, side: Side): number | undefined {
  const rects = rectsOf(layout)
  const from = rects.get(pane)
  if (!from) {
    return undefined
  }
  const meets: Record<Side, (to: Rect) => number> = {
    left: (to) => to.left + to.width - from.left,
    right: (to) => from.left + from.width - to.left,
    up: (to) => to.top + to.height - from.top,
    down: (to) => from.top + from.height - to.top,
  }
  const common = (to: Rect) =>
    side === 'left' || side === 'right'
      ? overlap(from.top, from.height, to.top, to.height)
      : overlap(from.left, from.width, to.left, to.width)
  const [nearest] = [...rects]
    .filter(([, to]) => Math.abs(meets[side](to)) < nothing && common(to) > nothing)
    .toSorted(([, a], [, b]) => common(b) - common(a))
  return nearest?.[0]
}
