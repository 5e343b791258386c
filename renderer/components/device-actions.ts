import {
  IconAppWindow,
  IconBellOff,
  IconBellPlus,
  IconBolt,
  IconCalendarClock,
  IconCloudDownload,
  IconCpu,
  IconExternalLink,
  IconFirstAidKit,
  IconLayoutSidebarRight,
  IconLock,
  IconLogout,
  IconMoon,
  IconPencil,
  IconPlugOff,
  IconPower,
  IconRefresh,
  IconRotateClockwise,
  IconShare3,
  IconShieldCheck,
  IconTrash,
  type Icon,
} from '@tabler/icons-react'
import type { NavigateFunction } from 'react-router'
import type { DevicePermission } from '../../shared/access.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import type { PowerVariant } from '../../shared/dtos/power-change.ts'
import * as t from '../texts.ts'
import type { Action } from './actions.ts'
import { beginOf, deviceAddress, deviceTabs, type DeviceTabName } from './device-tabs.ts'
import { hasWindows, openOwnWindow } from './own-window.ts'

/** Actions that the page of the device carries out and whose outcome it shows. */
export type AskedAction = keyof typeof t.visit.outcomes

/** State of the history entry that has the page of the device carry out an action. */
export interface ActionRequest {
  action: AskedAction
}

/** Device of an action, with how the place that offers the action carries it out. */
export interface DeviceActionContext {
  device: DeviceResponseDto
  can: (permission: DevicePermission) => boolean
  /** False for the agent of another make; undefined until the server has answered. */
  isUpdatable?: boolean | undefined
  /** Power changes that the system of the device has, where its agent has said so. */
  variants?: readonly PowerVariant[] | null | undefined
  /** Reason why the device cannot be woken, where the place knows it. */
  wakeObstacle?: string | undefined
  open: (tab?: DeviceTabName) => void
  ask: (action: AskedAction) => void
  /** Opens the dialog that shares the device. */
  share?: () => void
  /** Opens the rights that reach the device. */
  showRights?: () => void
  rename?: () => void
  /** Opens the dialog that orders a restart or shutdown. */
  orderPower?: () => void
  showDetails?: () => void
  remove?: () => void
  /** Whether the person is told when the device is back; undefined where that cannot be asked for. */
  isWatched?: boolean | undefined
  /** Asks to be told when the device is back, or takes that back. */
  watch?: (isWanted: boolean) => void
}

export interface DeviceAction extends Action<DeviceActionContext> {
  permission?: DevicePermission
  /** Tab that the action opens, for places that render links. */
  tab?: DeviceTabName
  /** Reason why the action cannot be carried out now. */
  obstacle?: (context: DeviceActionContext) => string | undefined
}

const whileOnline = ({ device }: DeviceActionContext) => (device.isOnline ? undefined : t.common.deviceOffline)

const opening = (tab: DeviceTabName) =>
  ({ name: tab, ...deviceTabs[tab], tab, run: ({ open }) => open(tab) }) satisfies DeviceAction

const [windows, macOs] = [1, 3]

/** Actions that are changes of power beyond restart and shutdown. */
const variantOf = {
  lock: 'lock',
  logOff: 'log-off',
  sleep: 'sleep',
  firmware: 'firmware',
  safeMode: 'safe-mode',
} as const satisfies Record<string, PowerVariant>

/** Whether a device is likely to have a change, where its agent has not said so. */
const isLikely = (change: PowerVariant, { isUpdatable, device }: DeviceActionContext) =>
  isUpdatable !== false &&
  (device.platform !== macOs || change === 'sleep') &&
  (device.platform === windows || change !== 'safe-mode')

/** Change that only the agent of this product makes, on systems that have it. */
const powerVariant = (name: keyof typeof variantOf, icon: Icon) =>
  ({
    name,
    label: t.visit[name],
    icon,
    permission: 'device.power.manage',
    isOffered: (context) => context.variants?.includes(variantOf[name]) ?? isLikely(variantOf[name], context),
    obstacle: whileOnline,
    run: ({ ask }) => ask(name),
  }) satisfies DeviceAction

/** Actions on one device, for the head of its page, the list, the details beside the list, and the palette. */
export const deviceActions = {
  overview: { ...opening('overview'), label: t.device.open, icon: IconExternalLink },
  control: opening('control'),
  vnc: opening('vnc'),
  terminal: opening('terminal'),
  files: opening('files'),
  chat: opening('chat'),
  logs: opening('logs'),
  timeline: opening('timeline'),
  wake: {
    name: 'wake',
    label: t.visit.wake,
    icon: IconBolt,
    permission: 'device.wake.send',
    obstacle: ({ device, wakeObstacle }) => (device.isOnline ? t.visit.alreadyOnline : wakeObstacle),
    run: ({ ask }) => ask('wake'),
  },
  watch: {
    name: 'watch',
    label: t.alerts.watch,
    icon: IconBellPlus,
    isOn: ({ isWatched }) => isWatched === true,
    on: { label: t.alerts.unwatch, icon: IconBellOff },
    obstacle: ({ device, isWatched }) =>
      device.isOnline || isWatched === undefined ? t.visit.alreadyOnline : undefined,
    run: ({ watch, isWatched }) => watch?.(isWatched !== true),
  },
  restart: {
    name: 'restart',
    label: t.visit.restart,
    icon: IconRotateClockwise,
    permission: 'device.power.manage',
    obstacle: whileOnline,
    run: ({ ask }) => ask('restart'),
  },
  shutdown: {
    name: 'shutdown',
    label: t.visit.shutdown,
    icon: IconPower,
    permission: 'device.power.manage',
    obstacle: whileOnline,
    run: ({ ask }) => ask('shutdown'),
  },
  lock: powerVariant('lock', IconLock),
  logOff: powerVariant('logOff', IconLogout),
  sleep: powerVariant('sleep', IconMoon),
  firmware: powerVariant('firmware', IconCpu),
  safeMode: powerVariant('safeMode', IconFirstAidKit),
  orderPower: {
    name: 'orderPower',
    label: t.visit.orderPower,
    icon: IconCalendarClock,
    permission: 'device.power.manage',
    isOffered: ({ variants }) => variants != null,
    obstacle: whileOnline,
    run: ({ orderPower }) => orderPower?.(),
  },
  refresh: {
    name: 'refresh',
    label: t.common.refresh,
    icon: IconRefresh,
    obstacle: whileOnline,
    run: ({ ask }) => ask('refresh'),
  },
  update: {
    name: 'update',
    label: t.visit.update,
    icon: IconCloudDownload,
    permission: 'device.agent.update',
    obstacle: (context) => whileOnline(context) ?? (context.isUpdatable === false ? t.visit.otherMake : undefined),
    run: ({ ask }) => ask('update'),
  },
  rename: {
    name: 'rename',
    label: t.device.editAlias,
    icon: IconPencil,
    permission: 'device.alias.write',
    run: ({ rename }) => rename?.(),
  },
  share: {
    name: 'share',
    label: t.rights.share,
    icon: IconShare3,
    permission: 'device.logon-token.create',
    run: ({ share }) => share?.(),
  },
  rights: {
    name: 'rights',
    label: t.rights.whoMay,
    icon: IconShieldCheck,
    run: ({ showRights }) => showRights?.(),
  },
  window: {
    name: 'window',
    label: hasWindows ? t.visit.ownWindow : t.visit.newTab,
    icon: IconAppWindow,
    run: ({ device }) => openOwnWindow(device.id),
  },
  details: {
    name: 'details',
    label: t.devices.details,
    icon: IconLayoutSidebarRight,
    run: ({ showDetails }) => showDetails?.(),
  },
  uninstall: {
    name: 'uninstall',
    label: t.visit.uninstall,
    icon: IconPlugOff,
    permission: 'device.delete',
    isDangerous: true,
    obstacle: whileOnline,
    run: ({ ask }) => ask('uninstall'),
  },
  delete: {
    name: 'delete',
    label: t.common.delete,
    icon: IconTrash,
    permission: 'device.delete',
    isDangerous: true,
    run: ({ remove }) => remove?.(),
  },
} as const satisfies Record<string, DeviceAction>
export type DeviceActionName = keyof typeof deviceActions

/** The named actions that the person has the right to, in the order of the names. */
export const permittedActions = (names: readonly DeviceActionName[], can: DeviceActionContext['can']) =>
  names
    .map((name): DeviceAction => deviceActions[name])
    .filter(({ permission }) => permission === undefined || can(permission))

/** How places other than the page of the device open it and have it carry out an action. */
export const byAddress = (device: DeviceResponseDto, navigate: NavigateFunction) => ({
  open: (tab?: DeviceTabName) => void navigate(deviceAddress(device.id, tab), { state: beginOf(tab) }),
  ask: (action: AskedAction) => void navigate(deviceAddress(device.id), { state: { action } satisfies ActionRequest }),
  share: () => void navigate(`${deviceAddress(device.id)}?share`),
  showRights: () => void navigate(`/rights?${new URLSearchParams({ device: device.id }).toString()}`),
})
