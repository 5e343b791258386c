import { heirOf, panesOf, withoutPane, withShare, withSplit, type Layout, type Split } from './layout.ts'

/** One tab: its panes, each with a shell of its own. */
export interface Tab {
  /** Counts up in a window on a device; a tab without a name or a title shows it. */
  id: number
  /** Given by the person. */
  name?: string
  layout: Layout
  /** The pane that has the keyboard. */
  pane: number
}

/** The terminals of one window on one device. */
export interface Tabs {
  tabs: Tab[]
  active: number
  /** Shells that were asked for, by pane; the device chooses for the others. */
  shells: Record<number, string>
}

/** More than that nobody reads side by side. */
export const maxPanes = 4
export const maxName = 60

export const firstTabs: Tabs = { tabs: [{ id: 1, layout: 1, pane: 1 }], active: 1, shells: {} }

/** The tab on screen. */
export const activeTab = ({ tabs, active }: Tabs): Tab => tabs.find(({ id }) => id === active) ?? tabs[0]!

export const allPanes = ({ tabs }: Tabs) => tabs.flatMap(({ layout }) => panesOf(layout))

/** The number of the next pane. It was never used before: what is kept under it is nobody else's. */
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

/** Splits the pane that has the keyboard; the new one gets it. */
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

/** Without a tab; its neighbour comes to the front. The last one stays. */
export function withoutTab(state: Tabs, id: number): Tabs {
  const index = state.tabs.findIndex((tab) => tab.id === id)
  const tabs = state.tabs.filter((tab) => tab.id !== id)
  const neighbour = tabs[Math.min(index, tabs.length - 1)]
  return neighbour ? { ...state, tabs, active: id === state.active ? neighbour.id : state.active } : state
}

/** Without a pane; the one that gets its room gets the keyboard. The last pane of a tab takes the tab with it. */
export function withoutPaneOf(state: Tabs, id: number, pane: number): Tabs {
  const tab = state.tabs.find((each) => each.id === id)
  const layout = tab && withoutPane(tab.layout, pane)
  if (!tab || layout === undefined) {
    return withoutTab(state, id)
  }
  const next = tab.pane === pane ? heirOf(tab.layout, pane) : undefined
  return changed(state, id, () => ({ ...tab, layout, pane: next ?? tab.pane }))
}

/** An empty name gives the title of the shell back. */
export const withName = (state: Tabs, id: number, name: string) =>
  changed(state, id, (tab) => ({ ...tab, name: name.trim().slice(0, maxName) || undefined }))

export const withDivider = (state: Tabs, path: string, share: number) =>
  changed(state, activeTab(state).id, (tab) => ({ ...tab, layout: withShare(tab.layout, path, share) }))

export const withPane = (state: Tabs, pane: number) => changed(state, activeTab(state).id, (tab) => ({ ...tab, pane }))

/** The tab before (-1) or behind (1) the one on screen, round and round. */
export function withNextTab(state: Tabs, step: 1 | -1): Tabs {
  const { tabs, active } = state
  const index = tabs.findIndex(({ id }) => id === active)
  const next = tabs[(index + step + tabs.length) % tabs.length]
  return next ? { ...state, active: next.id } : state
}
