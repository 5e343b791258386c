import { cutText } from '../../../shared/cut-text.ts'
import { heirOf, panesOf, withoutPane, withShare, withSplit, type Layout, type Split } from './layout.ts'

/** Tab with one or more panes, each with its own shell. */
export interface Tab {
  /** Unique per window and device; shown for a tab without name and title. */
  id: number
  /** Name set by the user. */
  name?: string
  layout: Layout
  /** Pane with the keyboard focus. */
  pane: number
}

/** Terminals of one window on one device. */
export interface Tabs {
  tabs: Tab[]
  active: number
  /** Requested shells by pane; an empty text means the device's default. */
  shells: Record<number, string>
}

/** Maximum number of panes per tab. */
export const maxPanes = 4
export const maxName = 60

export const firstTabs: Tabs = { tabs: [{ id: 1, layout: 1, pane: 1 }], active: 1, shells: {} }

/** Tab on screen. */
export const activeTab = ({ tabs, active }: Tabs): Tab => tabs.find(({ id }) => id === active) ?? tabs[0]!

export const allPanes = ({ tabs }: Tabs) => tabs.flatMap(({ layout }) => panesOf(layout))

/** Number of the next pane. Numbers are never reused, since stored terminals are keyed by them. */
export const nextPane = (state: Tabs) => Math.max(...allPanes(state), ...Object.keys(state.shells).map(Number)) + 1

const withChosen = ({ shells }: Tabs, pane: number, shell: string | undefined) => ({ ...shells, [pane]: shell ?? '' })

const changed = (state: Tabs, id: number, change: (tab: Tab) => Tab): Tabs => ({
  ...state,
  tabs: state.tabs.map((tab) => (tab.id === id ? change(tab) : tab)),
})

export function withTab(state: Tabs, shell?: string): Tabs {
  const id = Math.max(...state.tabs.map((tab) => tab.id)) + 1
  const pane = nextPane(state)
  return { tabs: [...state.tabs, { id, layout: pane, pane }], active: id, shells: withChosen(state, pane, shell) }
}

/** Splits the focused pane; the new pane gets the focus. */
export function withSplitPane(state: Tabs, direction: Split['direction'], shell?: string): Tabs {
  const { id, layout, pane } = activeTab(state)
  if (panesOf(layout).length >= maxPanes) {
    return state
  }
  const added = nextPane(state)
  const shells = withChosen(state, added, shell)
  return changed({ ...state, shells }, id, (tab) => ({
    ...tab,
    layout: withSplit(layout, pane, direction, added),
    pane: added,
  }))
}

/** Removes a tab and activates its neighbour. The last tab stays. */
export function withoutTab(state: Tabs, id: number): Tabs {
  const index = state.tabs.findIndex((tab) => tab.id === id)
  const tabs = state.tabs.filter((tab) => tab.id !== id)
  const neighbour = tabs[Math.min(index, tabs.length - 1)]
  return neighbour ? { ...state, tabs, active: id === state.active ? neighbour.id : state.active } : state
}

/** Removes a pane; its sibling gets the focus. Removing the last pane of a tab removes the tab. */
export function withoutPaneOf(state: Tabs, id: number, pane: number): Tabs {
  const tab = state.tabs.find((each) => each.id === id)
  const layout = tab && withoutPane(tab.layout, pane)
  if (!tab || layout === undefined) {
    return withoutTab(state, id)
  }
  const next = tab.pane === pane ? heirOf(tab.layout, pane) : undefined
  return changed(state, id, () => ({ ...tab, layout, pane: next ?? tab.pane }))
}

/** Sets the name of a tab; an empty name restores the shell's title. */
export const withName = (state: Tabs, id: number, name: string) =>
  changed(state, id, (tab) => ({ ...tab, name: cutText(name.trim(), maxName) || undefined }))

export const withDivider = (state: Tabs, path: string, share: number) =>
  changed(state, activeTab(state).id, (tab) => ({ ...tab, layout: withShare(tab.layout, path, share) }))

export const withPane = (state: Tabs, pane: number) => changed(state, activeTab(state).id, (tab) => ({ ...tab, pane }))

/** Activates the previous (-1) or next (1) tab, cyclically. */
export function withNextTab(state: Tabs, step: 1 | -1): Tabs {
  const { tabs, active } = state
  const index = tabs.findIndex(({ id }) => id === active)
  const next = tabs[(index + step + tabs.length) % tabs.length]
  return next ? { ...state, active: next.id } : state
}
