import { useSessionStorage } from '@mantine/hooks'

interface Tabs {
  tabs: number[]
  active: number
}

const first: Tabs = { tabs: [1], active: 1 }

/** The terminals of this window on one device, by number; a reload finds them again. */
export function useTerminalTabs(deviceId: string) {
  const [{ tabs, active }, set] = useSessionStorage<Tabs>({
    key: `farhand.terminals.${deviceId}`,
    defaultValue: first,
    getInitialValueInEffect: false,
  })
  return {
    tabs,
    active,
    select: (tab: number) => set({ tabs, active: tab }),
    add() {
      const tab = Math.max(...tabs) + 1
      set({ tabs: [...tabs, tab], active: tab })
    },
    remove(tab: number) {
      const left = tabs.filter((each) => each !== tab)
      const neighbour = left[Math.min(tabs.indexOf(tab), left.length - 1)]
      if (neighbour !== undefined) {
        set({ tabs: left, active: tab === active ? neighbour : active })
      }
    },
  }
}

export type TerminalTabs = ReturnType<typeof useTerminalTabs>
