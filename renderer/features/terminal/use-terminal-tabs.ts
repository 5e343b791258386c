import { useSessionStorage } from '@mantine/hooks'
import type { Split } from './layout.ts'
import {
  firstTabs,
  nextPane,
  withDivider,
  withName,
  withNextTab,
  withoutPaneOf,
  withoutTab,
  withPane,
  withSplitPane,
  withTab,
  type Tabs,
} from './tabs.ts'
import { placeOf, rememberTerminal } from './terminal-id.ts'

/** Tabs of this window's terminals on one device; they survive a reload. */
export function useTerminalTabs(deviceId: string) {
  const [state, set] = useSessionStorage<Tabs>({
    key: `farhand.terminal-tabs.${deviceId}`,
    defaultValue: firstTabs,
    getInitialValueInEffect: false,
  })
  return {
    ...state,
    state,
    select: (active: number) => set((before) => ({ ...before, active })),
    selectPane: (pane: number) => set((before) => withPane(before, pane)),
    step: (step: 1 | -1) => set((before) => withNextTab(before, step)),
    add: (shell?: string) => set((before) => withTab(before, shell)),
    /** Opens a tab that attaches to a running terminal. */
    reattach(terminalId: string) {
      rememberTerminal(placeOf(deviceId, nextPane(state)), terminalId)
      set(withTab(state))
    },
    split: (direction: Split['direction'], shell?: string) => set((before) => withSplitPane(before, direction, shell)),
    rename: (tab: number, name: string) => set((before) => withName(before, tab, name)),
    moveDivider: (path: string, share: number) => set((before) => withDivider(before, path, share)),
    /** Forgets all tabs. */
    clear: () => set(firstTabs),
    remove: (tab: number) => set((before) => withoutTab(before, tab)),
    removePane: (tab: number, pane: number) => set((before) => withoutPaneOf(before, tab, pane)),
  }
}

export type TerminalTabs = ReturnType<typeof useTerminalTabs>
