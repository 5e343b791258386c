import { Alert, Button, Skeleton, Switch } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceDesktopOff, IconRefresh, IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useLocation } from 'react-router'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { DeviceOffline } from '../../components/device-offline.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { useLiveState } from '../../hooks/use-live-state.ts'
import * as t from '../../texts.ts'
import { describeDesktop, desktopsOf, mostDesktops } from './desktops.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import classes from './cards.module.css'
import { SessionCard } from './session-card.tsx'
import type { ChangeSettings, ControlSettings } from './settings.ts'
import { prepareStageWorker } from './spare-stage-worker.ts'
import { useOtherViewers } from './use-other-viewers.ts'
import type { DevicePermission } from '../../../shared/access.ts'
import { hasClipboard } from '../viewer-kit/session-clipboard.ts'

interface Limit {
  text: string
  permission?: DevicePermission
}

const rights: readonly [DevicePermission, string][] = [
  ['device.remote-control.interact', t.control.cannotInteract],
  ['device.clipboard.read', t.control.cannotRead],
  ['device.clipboard.write', t.control.cannotWrite],
  ['device.remote-control.block-input', t.control.cannotBlock],
  ['device.ctrl-alt-del.send', t.control.cannotCtrlAltDel],
  ['device.desktop-preview.read', t.control.cannotPreview],
]

/** Abilities that a session will lack, shown before connecting. */
const limitsOf = (can: (permission: DevicePermission) => boolean): Limit[] => [
  ...rights.filter(([permission]) => !can(permission)).map(([permission, text]) => ({ text, permission })),
  ...(hasClipboard() ? [] : [{ text: t.control.noClipboardHere }]),
]

/** Session to begin without a choice; without further members the one of the only desktop. */
export interface BeginningSession {
  /** Time of the request: older lists may name processes that have ended. */
  since: number
  systemSessionId?: number
  displayId?: string
  isViewOnly?: boolean
}

interface SessionCardsProps {
  settings: ControlSettings
  onChange: ChangeSettings
  /** Request to begin a session without a choice, where that is clear and nobody is asked. */
  request: BeginningSession | undefined
  onChoose: (desktop: DesktopSession, isViewOnly: boolean, displayId?: string) => void
  /** Called if there is something to choose, to ask or to read first. */
  onStay: () => void
  isAfterSession: boolean
}

/** Chooses the requested desktop, or the only one, once the list of the device has arrived. */
function useOnlyDesktop(desktops: readonly DesktopSession[] | undefined, props: SessionCardsProps) {
  const { request, settings, onChoose, onStay } = props
  const { device, can } = usePageDevice()
  const choose = useEffectEvent(() => {
    const candidates = (desktops ?? []).filter(
      ({ systemSessionId }) => systemSessionId === (request?.systemSessionId ?? systemSessionId),
    )
    const [only, ...others] = candidates
    const asksNobody = !settings.needsConsent && !only?.asksPerson
    if (device.isOnline && only && others.length === 0 && describeDesktop(only).isShowable && asksNobody) {
      const isViewOnly = request?.isViewOnly ?? settings.isViewOnly
      onChoose(only, isViewOnly || !can('device.remote-control.interact'), request?.displayId)
    } else {
      onStay()
    }
  })
  const isDue = request !== undefined && (desktops !== undefined || !device.isOnline)
  useEffect(() => {
    if (isDue) {
      choose()
    }
  }, [isDue])
}

/**
 * Focuses the way into the first desktop when the first cards come, if the list that led here was removed with the focus in it. Later
 * ones leave it: a key that ended a session, or is held, must not begin another one.
 */
function useFirstFocus(hasCards: boolean, isAfterSession: boolean) {
  const cards = useRef<HTMLUListElement>(null)
  const isOver = useRef(isAfterSession)
  const { key } = useLocation()
  const takeFocus = useEffectEvent(() => {
    // An address that is opened leaves the focus to the browser.
    if (!isOver.current && key !== 'default' && document.activeElement === document.body) {
      cards.current?.querySelector<HTMLElement>('[data-variant="filled"]')?.focus({ preventScroll: true })
    }
    isOver.current = true
  })
  useEffect(() => {
    if (hasCards) {
      takeFocus()
    }
  }, [hasCards])
  return cards
}

function Limits() {
  const { can } = usePageDevice()
  const limits = limitsOf(can)
  return (
    limits.length > 0 && (
      <section aria-label={t.control.limits}>
        <h2>{t.control.limits}</h2>
        <ul className="bullets">
          {limits.map(({ text, permission }) => (
            <li key={text}>
              {text}
              {permission && <span className="muted"> ({t.control.permission(permission)})</span>}
            </li>
          ))}
        </ul>
      </section>
    )
  )
}

/** Desktops of the device, with their actions and the missing permissions. */
export function SessionCards(props: SessionCardsProps) {
  const { settings, onChange, request, onChoose } = props
  const { device } = usePageDevice()
  const isShown = useTabIsShown()
  const isLive = useLiveState().state === 'live'
  const query = useQuery(desktopsOf(device, isShown && isLive))
  const { data, error, isPending, isFetching, refetch } = query
  const presence = useOtherViewers(device.id, isShown && isLive)
  useEffect(() => {
    if (device.isOnline && isShown) {
      prepareStageWorker()
    }
  }, [device.isOnline, isShown])
  const isBeginning = request !== undefined
  const isLate = useIsLate((isPending || isBeginning) && device.isOnline)
  // A list from before may name a process that has ended.
  const isNew = Math.max(query.dataUpdatedAt, query.errorUpdatedAt) >= (request?.since ?? 0)
  const hasCards = isShown && device.isOnline && !isBeginning && data !== undefined && data.length > 0
  const cards = useFirstFocus(hasCards, props.isAfterSession)
  useOnlyDesktop(isNew && !isPending ? (data ?? []) : undefined, props)
  useEffect(() => {
    if (device.isOnline && isLive && isShown) {
      void refetch()
    }
  }, [device.isOnline, isLive, isShown, request, refetch])

  if (!device.isOnline) {
    return <DeviceOffline device={device} hint={t.control.offline} />
  }
  if (error && !data) {
    return (
      <EmptyState icon={IconDeviceDesktopOff} title={t.control.listFailed} hint={error.message}>
        <Button variant="default" onClick={() => void refetch()}>
          {t.control.again}
        </Button>
      </EmptyState>
    )
  }
  if (!data || isBeginning) {
    return (
      <div className={classes.page} aria-busy>
        <div className={classes.cards}>{isLate && <Skeleton height={320} maw={420} />}</div>
      </div>
    )
  }
  if (data.length === 0) {
    return (
      <EmptyState icon={IconDeviceDesktop} title={t.control.none} hint={t.control.noneHint}>
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          {t.control.again}
        </Button>
      </EmptyState>
    )
  }
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <p className="muted">{t.control.intro}</p>
        <Switch
          label={t.control.consent}
          description={t.control.consentHint}
          checked={settings.needsConsent}
          onChange={({ currentTarget }) => onChange({ needsConsent: currentTarget.checked })}
        />
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.6} />}
          loading={isFetching}
          onClick={() => void refetch()}
        >
          {t.control.again}
        </Button>
      </div>
      {presence && (
        <Alert icon={<IconUsers size={18} />} role="status">
          {presence}
        </Alert>
      )}
      <ul ref={cards} className={classes.cards}>
        {data.slice(0, mostDesktops).map((desktop) => (
          <SessionCard
            key={desktop.processId}
            desktop={desktop}
            prefersViewOnly={settings.isViewOnly}
            onChoose={onChoose}
          />
        ))}
      </ul>
      {data.length > mostDesktops && (
        <p className="muted" role="status">
          {t.control.manyDesktops(mostDesktops, data.length)}
        </p>
      )}
      <Limits />
    </div>
  )
}
