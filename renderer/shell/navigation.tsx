import { Tooltip, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconBell,
  IconChevronsLeft,
  IconChevronsRight,
  IconDatabaseExport,
  IconDevices,
  IconDownload,
  IconFolders,
  IconHeartbeat,
  IconHistory,
  IconHome,
  IconListCheck,
  IconNetwork,
  IconPlugConnected,
  IconRobot,
  IconSearch,
  IconServer,
  IconSettings,
  IconShieldCheck,
  IconUsers,
  IconUsersGroup,
  IconVideo,
  type Icon,
} from '@tabler/icons-react'
import { Fragment, useMemo, type ReactElement } from 'react'
import { NavLink } from 'react-router'
import type { PermissionName } from '../../shared/access.ts'
import { useIsGuest } from '../hooks/use-is-guest.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import { usePreference } from '../styles/preferences.ts'
import { AlertBell, AlertCount } from '../features/alerts/alert-bell.tsx'
import { UnreadBadge } from '../features/chat/unread-badge.tsx'
import { loadAhead, type PagePath } from '../page-code.ts'
import { Logo } from '../components/logo.tsx'
import { AccountMenu } from './account-menu.tsx'
import { openPalette } from './palette-store.ts'
import type { ShellDialog } from './commands.ts'
import classes from './shell.module.css'
import { useLiveState } from '../hooks/use-live-state.ts'
import { moment } from '../text/format.ts'

/** State of the live channel: shows whether the page is current. */
function LiveEntry({ isCollapsed }: { isCollapsed: boolean }) {
  const { state, since } = useLiveState()
  const text =
    state === 'live'
      ? t.shell.live
      : state === 'reconnecting'
        ? t.shell.reconnecting(moment(since))
        : t.shell.connecting
  const hint = state === 'reconnecting' ? t.shell.reconnectingHint : state === 'live' ? t.shell.liveHint : undefined
  return (
    <Tooltip
      label={isCollapsed ? `${text}. ${hint ?? ''}` : hint}
      disabled={!hint}
      position="right"
      multiline
      maw={280}
    >
      <div className={`${classes.entry} ${classes.live}`} data-state={state} role="status">
        <span className={classes.mark} aria-hidden />
        <span className={classes.label}>{text}</span>
      </div>
    </Tooltip>
  )
}

export interface PageEntry {
  path: PagePath
  label: string
  icon: Icon
  /** Key that opens the page when pressed after G. */
  chord: string
  /** Heading of the entries that name it in a row. */
  of?: string
  /** Permission required to open the page. */
  permission?: PermissionName
  /** Permission that suffices as well. */
  or?: PermissionName
  /** Not for the guest of a link. */
  isForPeople?: boolean
}

/** Pages of the navigation, the palette and the shortcuts. */
export const pageEntries: PageEntry[] = [
  { path: '/home', label: t.home.title, icon: IconHome, chord: 'i' },
  { path: '/alerts', label: t.alerts.title, icon: IconBell, chord: 't', isForPeople: true },
  { path: '/devices', label: t.shell.devices, icon: IconDevices, chord: 'd' },
  { path: '/sessions', label: t.sessions.title, icon: IconPlugConnected, chord: 's' },
  { path: '/batches', label: t.batches.title, icon: IconListCheck, chord: 'b' },
  { path: '/organize', label: t.organize.title, icon: IconFolders, chord: 'o' },
  { path: '/deploy', label: t.shell.deploy, icon: IconDownload, chord: 'p', permission: 'agent.install' },
  {
    path: '/people',
    label: t.people.title,
    icon: IconUsers,
    chord: 'e',
    permission: 'tenant.users.read',
    of: t.shell.organization,
  },
  {
    path: '/user-groups',
    label: t.userGroups.title,
    icon: IconUsersGroup,
    chord: 'u',
    permission: 'tenant.user-groups.read',
    of: t.shell.organization,
  },
  {
    path: '/rights',
    label: t.rights.title,
    icon: IconShieldCheck,
    chord: 'r',
    permission: 'tenant.permissions.read',
    of: t.shell.organization,
  },
  {
    path: '/recordings',
    label: t.recordings.title,
    icon: IconVideo,
    chord: 'c',
    permission: 'appliance.recordings.read',
    of: t.shell.organization,
  },
  {
    path: '/settings',
    label: t.settings.title,
    icon: IconSettings,
    chord: ',',
    permission: 'tenant.settings.read',
    of: t.shell.organization,
  },
  {
    path: '/network',
    label: t.network.title,
    icon: IconNetwork,
    chord: 'n',
    permission: 'server.settings.write',
    of: t.shell.appliance,
  },
  {
    path: '/service-accounts',
    label: t.serviceAccounts.title,
    icon: IconRobot,
    chord: 'k',
    permission: 'service-account.read',
    or: 'server.service-accounts.read',
    of: t.shell.appliance,
  },
  {
    path: '/server',
    label: t.server.title,
    icon: IconServer,
    chord: 'v',
    permission: 'server.telemetry.read',
    or: 'server.settings.write',
    of: t.shell.appliance,
  },
  {
    path: '/backup',
    label: t.backup.title,
    icon: IconDatabaseExport,
    chord: 'a',
    permission: 'server.telemetry.read',
    of: t.shell.appliance,
  },
  {
    path: '/health-report',
    label: t.health.title,
    icon: IconHeartbeat,
    chord: 'h',
    permission: 'server.telemetry.read',
    of: t.shell.appliance,
  },
  {
    path: '/audit',
    label: t.audit.title,
    icon: IconHistory,
    chord: 'l',
    permission: 'appliance.audit.read',
    of: t.shell.appliance,
  },
]

/** Pages that the user may open. */
export function useOfferedPages(): readonly PageEntry[] {
  const { can } = useSession()
  const isGuest = useIsGuest()
  return useMemo(
    () =>
      pageEntries.filter(
        ({ permission, or, isForPeople }) =>
          !(isForPeople && isGuest) && (!permission || can(permission) || (or !== undefined && can(or))),
      ),
    [can, isGuest],
  )
}

/** Below this width the navigation shows icons only. */
const narrow = '(max-width: 900px)'

export function Navigation({ onOpen }: { onOpen: (dialog: ShellDialog) => void }) {
  const [isChosen, setIsChosen] = usePreference('navigation-collapsed', false)
  const isNarrow = useMediaQuery(narrow, undefined, { getInitialValueInEffect: false })
  const isCollapsed = isChosen || isNarrow
  const offered = useOfferedPages()
  const withHint = (label: string, entry: ReactElement) => (
    <Tooltip label={label} position="right" disabled={!isCollapsed} key={label}>
      {entry}
    </Tooltip>
  )
  const Chevrons = isCollapsed ? IconChevronsRight : IconChevronsLeft
  const collapseLabel = isCollapsed ? t.shell.expand : t.shell.collapse
  return (
    <nav className={classes.navigation} aria-label={t.shell.navigation} data-collapsed={isCollapsed || undefined}>
      <div className={classes.brand}>
        <Logo />
        <span className={classes.label}>{t.productName}</span>
        <AlertBell />
      </div>
      {withHint(
        t.shell.palette,
        <UnstyledButton className={classes.entry} onClick={openPalette} aria-label={t.shell.palette}>
          <IconSearch size={18} stroke={1.6} aria-hidden />
          <span className={classes.label}>{t.shell.search}</span>
          <kbd className="small">Ctrl K</kbd>
        </UnstyledButton>,
      )}
      {offered.map(({ path, label, of, icon: Icon }, index, shown) => (
        <Fragment key={path}>
          {of && of !== shown[index - 1]?.of && <span className={classes.heading}>{of}</span>}
          {withHint(
            label,
            <NavLink
              to={path}
              className={classes.entry}
              aria-label={label}
              data-of={of}
              onPointerEnter={() => loadAhead(path)}
              onFocus={() => loadAhead(path)}
            >
              <Icon size={18} stroke={1.6} aria-hidden />
              <span className={classes.label}>{label}</span>
              {path === '/devices' && <UnreadBadge />}
              {path === '/alerts' && <AlertCount />}
            </NavLink>,
          )}
        </Fragment>
      ))}
      <div className={classes.space} />
      <LiveEntry isCollapsed={isCollapsed} />
      <AccountMenu onOpen={onOpen} />
      {!isNarrow &&
        withHint(
          collapseLabel,
          <UnstyledButton
            className={classes.entry}
            onClick={() => setIsChosen(!isCollapsed)}
            aria-label={collapseLabel}
          >
            <Chevrons size={18} stroke={1.6} aria-hidden />
            <span className={`${classes.label} muted`}>{collapseLabel}</span>
          </UnstyledButton>,
        )}
    </nav>
  )
}
