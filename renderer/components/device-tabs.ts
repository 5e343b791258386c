import { IconDeviceDesktop, IconInfoCircle, IconTerminal2, type Icon } from '@tabler/icons-react'
import type { DevicePermission } from '../../shared/access.ts'
import { en as t } from '../strings/en.ts'

/** A part of a device's page, with an address of its own. */
export interface DeviceTab {
  /** Last part of the address; the first tab has none. */
  path: string
  label: string
  icon: Icon
  /** Without it on this device the tab is not there. */
  permission: DevicePermission
}

/** The tabs of a device's page, in their order, for whatever leads to one. */
export const deviceTabs = {
  overview: { path: '', label: t.device.overview, icon: IconInfoCircle, permission: 'device.read' },
  control: {
    path: 'control',
    label: t.device.control,
    icon: IconDeviceDesktop,
    permission: 'device.remote-control.connect',
  },
  terminal: { path: 'terminal', label: t.device.terminal, icon: IconTerminal2, permission: 'device.terminal.use' },
} as const satisfies Record<string, DeviceTab>
export type DeviceTabName = keyof typeof deviceTabs

export const deviceTabNames = Object.keys(deviceTabs) as DeviceTabName[]

export const deviceAddress = (deviceId: string, tab: DeviceTabName = 'overview') =>
  [`/devices/${deviceId}`, deviceTabs[tab].path].filter(Boolean).join('/')
