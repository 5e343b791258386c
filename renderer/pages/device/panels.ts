import { lazy, type ComponentType } from 'react'
import type { DeviceTabName } from '../../components/device-tabs.ts'

/** What each tab shows, loaded when it is first opened. */
export const panels: Record<DeviceTabName, ComponentType> = {
  overview: lazy(() => import('./overview.tsx')),
  control: lazy(() => import('./control/control.tsx')),
  terminal: lazy(() => import('./terminal/terminal.tsx')),
}
