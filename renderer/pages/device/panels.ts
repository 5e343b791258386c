import { lazy, type ComponentType } from 'react'
import type { DeviceTabName } from '../../components/device-tabs.ts'

/** What each tab shows, loaded when it is first opened. */
export const panels: Record<DeviceTabName, ComponentType> = {
  overview: lazy(() => import('./overview/overview.tsx')),
  control: lazy(() => import('./control/control.tsx')),
  vnc: lazy(() => import('./vnc/vnc.tsx')),
  terminal: lazy(() => import('./terminal/terminal.tsx')),
  files: lazy(() => import('./files/files.tsx')),
  chat: lazy(() => import('./chat/chat.tsx')),
  logs: lazy(() => import('./logs/logs.tsx')),
}
