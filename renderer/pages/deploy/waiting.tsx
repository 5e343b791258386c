import { IconCircleCheckFilled } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ButtonLink } from '../../components/links.tsx'
import type { CreateInstallerKeyResponseDto } from '../../../shared/dtos/installer-key.ts'
import { deployQueries } from '../../api/deploy-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { useDevice } from '../../hooks/use-device.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import classes from './deploy-page.module.css'

const waitingMs = 1_000
const servedMs = 3_000

/** Device that used the key, with its state. */
function Arrival({ deviceId }: { deviceId: string }) {
  const { can } = useSession()
  const { data: device } = useDevice(deviceId)
  if (!device) {
    return null
  }
  return (
    <div className={classes.waiting} data-state={device.isOnline ? 'online' : 'registered'}>
      {device.isOnline ? (
        <IconCircleCheckFilled size={20} color="var(--online-mark)" aria-hidden />
      ) : (
        <span className={classes.pulse} aria-hidden />
      )}
      <p style={{ flex: 1, minWidth: 0 }} className="truncate">
        <strong>
          {device.isOnline ? t.deploy.online(nameOfDevice(device)) : t.deploy.registered(nameOfDevice(device))}
        </strong>
      </p>
      <ButtonLink to={`/devices/${device.id}`} variant="default">
        {t.deploy.openDevice}
      </ButtonLink>
      {device.isOnline && can('device.terminal.use') && (
        <ButtonLink to={`/devices/${device.id}/terminal`}>{t.deploy.openTerminal}</ButtonLink>
      )}
    </div>
  )
}

/** Waits for devices that register with the new key. */
export function Waiting({ installerKey }: { installerKey: CreateInstallerKeyResponseDto }) {
  const { data: usages } = useQuery({
    ...deployQueries.installerKeyUsages(installerKey.id),
    refetchInterval: ({ state }) => (state.data?.length ? servedMs : waitingMs),
  })
  const used = usages?.length
  useEffect(() => {
    if (used) {
      void invalidate(deployQueries.installerKeys.queryKey)
    }
  }, [used])
  const deviceIds = [...new Set(usages?.map(({ deviceId }) => deviceId))]
  const left =
    installerKey.keyType === 'UsageBased' ? (installerKey.allowedUses ?? 1) - (usages?.length ?? 0) : undefined
  return (
    <div role="status" aria-live="polite">
      {deviceIds.map((deviceId) => (
        <Arrival key={deviceId} deviceId={deviceId} />
      ))}
      {deviceIds.length === 0 && (
        <div className={classes.waiting}>
          <span className={classes.pulse} aria-hidden />
          <div>
            <p>
              <strong>{t.deploy.waiting}</strong>
            </p>
            <p className="small muted">{t.deploy.waitingHint}</p>
          </div>
        </div>
      )}
      {deviceIds.length > 0 && left !== undefined && left > 0 && (
        <p className="small muted">{t.deploy.moreUses(left)}</p>
      )}
    </div>
  )
}
