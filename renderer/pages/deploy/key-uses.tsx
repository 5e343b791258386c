import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { InstallerKeyResponseDto, InstallerKeyUsageResponseDto } from '../../../shared/dtos/installer-key.ts'
import { statusOf } from '../../api/http.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import { deployQueries } from '../../api/deploy-queries.ts'
import { QueryState } from '../../components/query-state.tsx'
import * as t from '../../texts.ts'
import { exactTime, moment } from '../../text/format.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './deploy-page.module.css'
import { keyLimits } from './key-texts.ts'

/** Each row reads the name of its device. */
const shownAtOnce = 20

function DeviceName({ deviceId }: { deviceId: string }) {
  const { data: device, error } = useQuery({
    ...deviceQueries.device(deviceId),
    retry: (count, reason) => count < 2 && statusOf(reason) === undefined,
  })
  if (device) {
    return <Link to={`/devices/${deviceId}`}>{nameOfDevice(device)}</Link>
  }
  return (
    <span className="muted" title={deviceId}>
      {error ? t.deploy.goneDevice(deviceId.slice(0, 8)) : '…'}
    </span>
  )
}

const Use = ({ use: { deviceId, timestamp, remoteIpAddress } }: { use: InstallerKeyUsageResponseDto }) => (
  <tr>
    <td className="wrap-anywhere">
      <DeviceName deviceId={deviceId} />
    </td>
    <td>
      <time dateTime={timestamp} title={exactTime(Date.parse(timestamp))}>
        {moment(Date.parse(timestamp))}
      </time>
    </td>
    <td className="mono wrap-anywhere">{visibleName(remoteIpAddress)}</td>
  </tr>
)

function Uses({ installerKey }: { installerKey: InstallerKeyResponseDto }) {
  const query = useQuery(deployQueries.installerKeyUsages(installerKey.id))
  const { data: uses } = query
  const [most, setMost] = useState(shownAtOnce)
  if (!uses) {
    return <QueryState query={query} height={80} />
  }
  return (
    <>
      <p className="muted" style={{ marginTop: 0 }}>
        {keyLimits(installerKey)} · {t.deploy.usedTimes(installerKey.usageCount)}
      </p>
      {uses.length === 0 ? (
        <p>{t.deploy.noUses}</p>
      ) : (
        <div className={classes.frame} tabIndex={0} role="group" aria-label={t.deploy.used}>
          <table className={classes.keys}>
            <thead>
              <tr>
                {[t.common.device, t.deploy.usedAt, t.deploy.usedFrom].map((label) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {uses.slice(0, most).map((use) => (
                <Use key={use.id} use={use} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {uses.length > most && (
        <Button variant="default" mt="sm" onClick={() => setMost(most + shownAtOnce)}>
          {t.deploy.moreOfUses(uses.length - most)}
        </Button>
      )}
    </>
  )
}

/** Devices that registered with a key: when, and from which address. */
export const KeyUses = ({
  installerKey,
  onClose,
}: {
  installerKey: InstallerKeyResponseDto | undefined
  onClose: () => void
}) => (
  <Modal
    opened={installerKey !== undefined}
    onClose={onClose}
    size="lg"
    title={t.deploy.usesOf(visibleName(installerKey?.friendlyName ?? t.deploy.unnamed))}
  >
    {installerKey && <Uses installerKey={installerKey} />}
  </Modal>
)
