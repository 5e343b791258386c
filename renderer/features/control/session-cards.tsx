import { Alert, Button, Skeleton, Switch } from '@mantine/core'
import {
  IconDeviceDesktop,
  IconDeviceDesktopOff,
  IconPlugConnectedX,
  IconRefresh,
  IconUsers,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { statusText } from '../../components/status.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { useLiveState } from '../../hooks/use-live-state.ts'
import * as t from '../../texts.ts'
import { desktopsOf, mostDesktops } from './desktops.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import classes from './cards.module.css'
import { SessionCard } from './session-card.tsx'
import type { ChangeSettings, ControlSettings } from './settings.ts'
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

interface SessionCardsProps {
  settings: ControlSettings
  onChange: ChangeSettings
  onChoose: (desktop: DesktopSession, isViewOnly: boolean) => void
}

/** Desktops of the device, with their actions and the missing permissions. */
export function SessionCards({ settings, onChange, onChoose }: SessionCardsProps) {
  const { device, can } = usePageDevice()
  const isShown = useTabIsShown()
  const isLive = useLiveState().state === 'live'
  const { data, error, isPending, isFetching, refetch } = useQuery(desktopsOf(device, isShown && isLive))
  const presence = useOtherViewers(device.id, isShown && isLive)
  const isLate = useIsLate(isPending && device.isOnline)
  useEffect(() => {
    if (device.isOnline && isLive && isShown) {
      void refetch()
    }
  }, [device.isOnline, isLive, isShown, refetch])

  if (!device.isOnline) {
    return <EmptyState icon={IconPlugConnectedX} title={statusText(device)} hint={t.control.offline} />
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
  if (!data) {
    return (
      <div className={classes.cards} aria-busy>
        {isLate && <Skeleton height={320} maw={420} />}
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
  const limits = limitsOf(can)
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
      <ul className={classes.cards}>
        {data.slice(0, mostDesktops).map((desktop) => (
          <SessionCard key={desktop.processId} desktop={desktop} onChoose={onChoose} />
        ))}
      </ul>
      {data.length > mostDesktops && (
        <p className="muted" role="status">
          {t.control.manyDesktops(mostDesktops, data.length)}
        </p>
      )}
      {limits.length > 0 && (
        <section className={classes.limits} aria-label={t.control.limits}>
          <h2>{t.control.limits}</h2>
          <ul>
            {limits.map(({ text, permission }) => (
              <li key={text}>
                {text}
                {permission && <span className="muted"> ({t.control.permission(permission)})</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
