import {
  IconDeviceDesktop,
  IconFileText,
  IconFolder,
  IconInfoCircle,
  IconMessage,
  IconScreenShare,
  IconTerminal2,
  IconTimeline,
  type Icon,
} from '@tabler/icons-react'
import type { DevicePermission } from '../../shared/access.ts'
import * as t from '../texts.ts'

/** Tab of a device page, with its own address. */
export interface DeviceTab {
  /** Last segment of the path; empty for the first tab. */
  path: string
  label: string
  icon: Icon
  /** The tab is hidden without this permission on the device. */
  permission: DevicePermission
}

/** Tabs of a device page, in display order. */
export const deviceTabs = {
  overview: { path: '', label: t.device.overview, icon: IconInfoCircle, permission: 'device.read' },
  control: {
    path: 'control',
    label: t.device.control,
    icon: IconDeviceDesktop,
    permission: 'device.remote-control.connect',
  },
  vnc: { path: 'vnc', label: t.device.vnc, icon: IconScreenShare, permission: 'device.vnc-relay.connect' },
  terminal: { path: 'terminal', label: t.device.terminal, icon: IconTerminal2, permission: 'device.terminal.use' },
  files: { path: 'files', label: t.device.files, icon: IconFolder, permission: 'device.file-system.read' },
  chat: { path: 'chat', label: t.device.chat, icon: IconMessage, permission: 'device.chat.send' },
  logs: { path: 'logs', label: t.device.logs, icon: IconFileText, permission: 'device.logs.read' },
  timeline: { path: 'timeline', label: t.timeline.title, icon: IconTimeline, permission: 'device.read' },
} as const satisfies Record<string, DeviceTab>
export type DeviceTabName = keyof typeof deviceTabs

export const deviceTabNames = Object.keys(deviceTabs) as DeviceTabName[]

export const deviceAddress = (deviceId: string, tab: DeviceTabName = 'overview') =>
  [`/devices/${deviceId}`, deviceTabs[tab].path].filter(Boolean).join('/')

/** State of the history entry that has the page of the device begin a session. */
export interface BeginRequest {
  begin: true
}

/**
 * Begins remote control where there is nothing to choose or to ask. In the history state, which only this page can
 * write: a link from elsewhere begins no session.
 */
export const beginOf = (tab: DeviceTabName | undefined): BeginRequest | undefined =>
  tab === 'control' ? { begin: true } : undefined

const sessions: readonly string[] = ['control', 'vnc', 'terminal']

/** Whether the tab shows the device's screen or shell, which fills the page. */
export const isSessionTab = (tab: string | undefined) => tab !== undefined && sessions.includes(tab)

const quick: readonly string[] = ['control', 'terminal', 'files', 'chat']

/** Most used tabs, for buttons and menus. */
export const quickTabs = deviceTabNames.filter((name) => quick.includes(name))
