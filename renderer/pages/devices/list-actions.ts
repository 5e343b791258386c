import { createContext, use } from 'react'
import type { DeviceTabName } from '../../components/device-tabs.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'

/** Row actions for components inside the list. */
export interface ListActions {
  /** Device whose alias is being edited in its row. */
  renamedId: string | undefined
  rename: (id: string) => void
  stopRenaming: () => void
  /** Opens the page of a device, which begins no session. */
  open: (id: string, tab?: DeviceTabName) => void
  showDetails: (id: string | undefined) => void
  remove: (devices: readonly DeviceResponseDto[]) => void
}

export const ListActionsContext = createContext<ListActions | undefined>(undefined)

export function useListActions() {
  const actions = use(ListActionsContext)
  if (!actions) {
    throw new Error('useListActions is for parts of the device list')
  }
  return actions
}
