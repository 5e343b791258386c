/** How the panes of a tab share its room: one pane by its number, or two parts side by side or one above the other. */
export type Layout = number | Split

export interface Split {
  direction: 'row' | 'column'
  /** Part of the room that the first has, from 0 to 1. */
  share: number
  first: Layout
  second: Layout
}

/** In percent of the tab's room. */
export interface Rect {
  left: number
  top: number
  width: number
  height: number
}

export interface Divider {
  /** Leads from the whole to the split that it divides: `1` and `2` for the first and the second part. */
  path: string
  direction: Split['direction']
  share: number
  /** Of both parts together. */
  rect: Rect
}

export type Side = 'left' | 'right' | 'up' | 'down'

const whole: Rect = { left: 0, top: 0, width: 100, height: 100 }
const shares = { min: 0.15, max: 0.85 }
/** Two edges that meet may differ by what calculating costs. */
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

/** Where each pane is. */
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

/** Gives half of a pane's room to a new one, behind it or below it. */
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

/** Gives a pane's room back to what it was split from; undefined when it was the only one. */
export function withoutPane(layout: Layout, pane: number): Layout | undefined {
  if (typeof layout === 'number') {
    return layout === pane ? undefined : layout
  }
  const [first, second] = [withoutPane(layout.first, pane), withoutPane(layout.second, pane)]
  return first !== undefined && second !== undefined ? { ...layout, first, second } : (first ?? second)
}

/** The pane that gets a pane's room, when that is closed: the one beside it. */
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

/** Moves the divider that `path` leads to. */
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

/** The pane that one meets on a side of another: the one with the longest edge in common. */
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
