import { lazy, type ComponentType } from 'react'
import type { DeviceTabName } from '../../../components/device-tabs.ts'

/** Content of each tab, loaded when first opened. */
export const panels: Record<DeviceTabName, ComponentType> = {
  overview: lazy(() => import('./overview.tsx')),
  control: lazy(() => import('../../../features/control/control.tsx')),
  vnc: lazy(() => import('../../../features/vnc/vnc.tsx')),
  terminal: lazy(() => import('../../../features/terminal/terminal.tsx')),
  files: lazy(() => import('../../../features/files/files.tsx')),
  chat: lazy(() => import('../../../features/chat/chat.tsx')),
  logs: lazy(() => import('../../../features/logs/logs.tsx')),
}
