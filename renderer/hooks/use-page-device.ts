import { createContext, use } from 'react'
import type { DevicePermission } from '../../shared/access.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'

export interface PageDevice {
  device: DeviceResponseDto
  /** Whether the user has a permission on this device. */
  can: (permission: DevicePermission) => boolean
}

export const PageDeviceContext = createContext<PageDevice | undefined>(undefined)

/** Whether the tab is visible. Opened tabs stay mounted, so their sessions continue. */
export const TabIsShown = createContext(false)

/** Device of the page, for its tabs. */
export function usePageDevice() {
  const page = use(PageDeviceContext)
  if (!page) {
    throw new Error('usePageDevice is for tabs of a device page')
  }
  return page
}

export const useTabIsShown = () => use(TabIsShown)
