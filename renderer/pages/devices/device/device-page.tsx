import { Box, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconDeviceDesktopOff } from '@tabler/icons-react'
import { lazy, memo, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState, type ComponentType } from 'react'
import { useNavigate, useSearchParams, useLocation } from 'react-router'
import { BackLink } from '../../../components/back-link.tsx'
import { ButtonLink } from '../../../components/links.tsx'
import type { DeviceResponseDto } from '../../../../shared/dtos/device.ts'
import { statusOf } from '../../../api/http.ts'
import { deviceQueries } from '../../../api/device-queries.ts'
import { sessionQueries } from '../../../api/session-queries.ts'
import { DeleteDevices } from '../delete-devices.tsx'
import type { AskedAction, ActionRequest } from '../../../components/device-actions.ts'
import { DeviceHead } from '../device-head.tsx'
import {
  deviceAddress,
  deviceTabNames,
  deviceTabs,
  isSessionTab,
  type DeviceTabName,
} from '../../../components/device-tabs.ts'
import { isOwnWindow } from '../../../components/own-window.ts'
import { useRemembered } from '../../../components/recent-devices.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ShareDialog } from '../../../features/shares/share-dialog.tsx'
import { useRunningSessions } from '../../../features/viewer-kit/running-sessions.ts'
import { SessionTransfers } from '../../../features/transfers/transfer-dock.tsx'
import { UnreadBadge } from '../../../features/chat/unread-badge.tsx'
import { useDevice, useDeviceAccess } from '../../../hooks/use-device.ts'
import { usePageTitle } from '../../../hooks/use-page-title.ts'
import { nameOfDevice } from '../../../text/name-of-device.ts'
import { useWidth } from '../../../hooks/use-width.ts'
import * as t from '../../../texts.ts'
import { NotFound } from '../../../components/not-found.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import classes from './device-page.module.css'
import { ConfirmAction, needsConfirmation, type ConfirmedAction } from './confirm-action.tsx'
import { ActionButtons } from './action-buttons.tsx'
import { PowerOrderDialog, PowerOrderLine } from './power-order.tsx'
import { OutcomeLine } from './outcome-line.tsx'
import { PageDeviceContext, TabIsShown, usePageDevice } from '../../../hooks/use-page-device.ts'
import { useActions, useVisit, VisitContext } from './visit.ts'

/** Shown while the code of a tab loads. */
const PanelLoad = () => (
  <div className={classes.loading}>
    <QueryState query={neverLoaded} height={320} />
  </div>
)

const neverLoaded = { error: null, isPending: true, refetch() {} }

/** Content of a tab. Changes of the page around it render nothing there: a session begins with several. */
const panel = (load: () => Promise<{ default: ComponentType }>) => memo(lazy(load))

/** Content of each tab, loaded when first opened. */
const panels: Record<DeviceTabName, ComponentType> = {
  overview: panel(() => import('./overview.tsx')),
  control: panel(() => import('../../../features/control/control.tsx')),
  vnc: panel(() => import('../../../features/vnc/vnc.tsx')),
  terminal: panel(() => import('../../../features/terminal/terminal.tsx')),
  files: panel(() => import('../../../features/files/files.tsx')),
  chat: panel(() => import('../../../features/chat/chat.tsx')),
  logs: panel(() => import('../../../features/logs/logs.tsx')),
  timeline: panel(() => import('../../../features/timeline/device-timeline.tsx')),
}

/**
 * Runs the palette's action once. The action is in the history state, which only this page can write, so external links
 * cannot trigger it.
 */
function useActionFromHistory(ask: (action: AskedAction) => void) {
  const { state, pathname } = useLocation()
  const navigate = useNavigate()
  const requested = (state as Partial<ActionRequest> | null)?.action
  useEffect(() => {
    if (!requested) {
      return
    }
    void navigate(pathname, { replace: true })
    ask(requested)
    // Runs once per action: later renders must not repeat it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [requested])
}

/** The tabs for which `isNow` was true of the active one since the page of this device was opened. */
function useTabsSoFar(active: DeviceTabName | undefined, isNow: boolean) {
  const [tabs, setTabs] = useState<readonly DeviceTabName[]>([])
  if (active && isNow && !tabs.includes(active)) {
    setTabs([...tabs, active])
  }
  return tabs
}

const buttonWidth = 128
/** Width of "More" and the margins, in px; includes the extra width of the first button. */
const moreWidth = 140
/** In a wide head the buttons are beside the title, else below. */
const wideHead = 1080
const titleWidth = 420

/** Number of buttons that fit a width; none before the head is measured. */
const roomFor = (width: number) =>
  Math.floor(((width >= wideHead ? width - titleWidth : width) - moreWidth) / buttonWidth)

interface HeadProps {
  device: DeviceResponseDto
  active: DeviceTabName
  permitted: readonly DeviceTabName[]
  /** Whether a session runs in the active tab, which gets the space of the facts and of a row for the tabs. */
  isSlim: boolean
}

/** Head of a device page, with its actions and tabs. */
function Head({ device, active, permitted, isSlim }: HeadProps) {
  const navigate = useNavigate()
  const { can } = usePageDevice()
  const { act } = useVisit()
  const [isDeleting, setIsDeleting] = useState(false)
  const [isOrdering, setIsOrdering] = useState(false)
  const [isRenaming, setIsRenaming] = useState(false)
  const [confirmed, setConfirmed] = useState<ConfirmedAction>()
  const [query, setQuery] = useSearchParams()
  const { ref, width } = useWidth()
  usePageTitle(nameOfDevice(device))
  useRemembered(device)
  const ask = (action: AskedAction) => (needsConfirmation(action) ? setConfirmed(action) : act(action))
  useActionFromHistory(ask)
  // Sessions keep the space for themselves; the tabs lead to the other pages.
  const room = active === 'overview' ? roomFor(width) : 0
  const tabs = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Tabs that do not fit scroll.
    tabs.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [active, isSlim, width])
  const { key } = useLocation()
  const takeFocus = useEffectEvent(() => {
    // The list that led here is gone, and with it the focus; an address that is opened leaves it to the browser, and other
    // tabs take it themselves.
    if (active === 'overview' && key !== 'default' && document.activeElement === document.body) {
      tabs.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus({ preventScroll: true })
    }
  })
  useEffect(() => takeFocus(), [])
  return (
    <header className={classes.head} data-slim={isSlim || undefined} ref={ref}>
      {!isOwnWindow && (
        <BackLink to="/devices" className={classes.back}>
          {t.devices.title}
        </BackLink>
      )}
      <div
        className={classes.top}
        data-lone={room === 0 || undefined}
        data-wide={(!isSlim && width >= wideHead) || undefined}
      >
        <DeviceHead
          device={device}
          isPageTitle
          isSlim={isSlim}
          isShort={active !== 'overview'}
          canRename={can('device.alias.write')}
          isRenaming={isRenaming}
          onRename={setIsRenaming}
        />
        <ActionButtons
          room={room}
          ask={ask}
          rename={() => setIsRenaming(true)}
          orderPower={() => setIsOrdering(true)}
          remove={() => setIsDeleting(true)}
        />
        {isSessionTab(active) && <SessionTransfers deviceId={device.id} />}
      </div>
      <OutcomeLine />
      <PowerOrderLine />
      <Tabs.List ref={tabs} className={classes.tabs} aria-label={nameOfDevice(device)}>
        {permitted.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {deviceTabs[name].label}
            {name === 'chat' && <UnreadBadge deviceId={device.id} />}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <DeleteDevices
        devices={isDeleting ? [device] : []}
        onClose={() => setIsDeleting(false)}
        onDeleted={(ids) => ids.length > 0 && void navigate('/devices', { replace: true })}
      />
      <ShareDialog
        device={query.has('share') && can('device.logon-token.create') ? device : undefined}
        onClose={() => setQuery({}, { replace: true })}
      />
      <PowerOrderDialog isOpen={isOrdering} onClose={() => setIsOrdering(false)} />
      <ConfirmAction
        action={confirmed}
        name={nameOfDevice(device)}
        onClose={() => setConfirmed(undefined)}
        onConfirm={act}
      />
    </header>
  )
}

/**
 * Head and tabs of a device. Opened tabs stay mounted but hidden until the page is left; tabs with running sessions stay
 * until the sessions end. `active` is undefined while another page is shown.
 */
function DevicePage({ device, active }: { device: DeviceResponseDto; active: DeviceTabName | undefined }) {
  const navigate = useNavigate()
  const can = useDeviceAccess(device.id)
  const isKnown = useQuery(deviceQueries.permissions(device.id)).isSuccess
  const opened = useTabsSoFar(active, true)
  const running = useRunningSessions()
  const visit = useActions(device)
  const { data: guest } = useQuery(sessionQueries.guest)
  // Guests with a link do not see who worked on the device.
  const permitted = deviceTabNames.filter(
    (name) => can(deviceTabs[name].permission) && (name !== 'timeline' || guest === null),
  )
  const used = useTabsSoFar(active, isKnown && active !== undefined && permitted.includes(active))
  const page = useMemo(() => ({ device, can }), [device, can])
  const isKept = (name: DeviceTabName) => running.some(({ deviceId, tab }) => deviceId === device.id && tab === name)

  return (
    <PageDeviceContext value={page}>
      <VisitContext value={visit}>
        <Tabs
          className={classes.page}
          value={active ?? null}
          display={active ? undefined : 'none'}
          // Otherwise React stops the effects of a hidden tab, and with them its session.
          keepMountedMode="display-none"
          onChange={(name) => void navigate(deviceAddress(device.id, name as DeviceTabName))}
        >
          {active && <Head {...{ device, active, permitted }} isSlim={isSessionTab(active) && isKept(active)} />}
          {opened
            .filter((name) => active ?? isKept(name))
            .map((name) => {
              const Panel = panels[name]
              return (
                <Tabs.Panel key={name} value={name} className={classes.content}>
                  <TabIsShown value={name === active}>
                    {permitted.includes(name) ? (
                      <Suspense fallback={<PanelLoad />}>
                        <Panel />
                      </Suspense>
                    ) : (
                      <Box px="var(--page-side)" py={20} role="alert">
                        {used.includes(name) ? t.device.tabEnded : t.device.tabRefused}
                      </Box>
                    )}
                  </TabIsShown>
                </Tabs.Panel>
              )
            })}
        </Tabs>
      </VisitContext>
    </PageDeviceContext>
  )
}

/** Page of a device. `tab` is that of the address; undefined while another page is shown. */
export function Component({ deviceId, tab }: { deviceId: string; tab: string | undefined }) {
  const query = useDevice(deviceId)
  const { data: device, error } = query
  const active = deviceTabNames.find((name) => deviceTabs[name].path === tab)

  if (statusOf(error) === 404 || statusOf(error) === 400) {
    return (
      active && (
        <EmptyState
          icon={IconDeviceDesktopOff}
          title={device ? t.device.accessEnded(nameOfDevice(device)) : t.device.notFound}
          hint={device ? t.device.accessEndedHint : t.device.notFoundHint}
        >
          <ButtonLink to="/devices">{t.notFound.home}</ButtonLink>
        </EmptyState>
      )
    )
  }
  if (!device) {
    return (
      <div className={classes.head}>
        <QueryState query={query} height={109} />
      </div>
    )
  }
  return (
    <>
      {tab !== undefined && !active && <NotFound />}
      <DevicePage device={device} active={active} />
    </>
  )
}
