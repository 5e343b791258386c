import { Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DevicePermission } from '../../shared/access.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { cachedDevices } from '../api/device-updates.ts'
import { deviceQueries } from '../api/device-queries.ts'
import { useSession } from '../hooks/use-session.ts'
import { nameOfDevice } from '../text/name-of-device.ts'
import * as t from '../texts.ts'

export type BulkDevice = Pick<DeviceResponseDto, 'id' | 'name'> & Partial<Pick<DeviceResponseDto, 'alias' | 'isOnline'>>

const namesShown = 5
/** With more devices, a destructive action requires typing their number. */
const mostUncounted = 20

export const mustBeCounted = (number: number) => number > mostUncounted

const namesOf = (devices: readonly BulkDevice[]) => devices.slice(0, namesShown).map(nameOfDevice)

/** Devices of a bulk action, by outcome. */
interface Bulk {
  devices: readonly BulkDevice[]
  online: readonly BulkDevice[]
  offline: readonly BulkDevice[]
  /** State in which a device is left out. */
  skipped: 'online' | 'offline' | undefined
  refused: readonly BulkDevice[]
  /** Devices that the action reaches. */
  left: readonly BulkDevice[]
}

export function useBulk(
  devices: readonly BulkDevice[],
  permission: DevicePermission,
  skipped?: 'online' | 'offline',
): Bulk {
  const session = useSession()
  const ids = devices.map(({ id }) => id)
  const { data } = useQuery({ ...deviceQueries.permitted(permission, ids), enabled: ids.length > 0 })
  const known = cachedDevices()
  const isPermitted = ({ id }: BulkDevice) => (data ? data.has(id) : session.can(permission))
  const permitted = devices.filter(isPermitted)
  const isOnline = (device: BulkDevice) => (known.get(device.id) ?? device).isOnline
  const online = permitted.filter(isOnline)
  const offline = permitted.filter((device) => !isOnline(device))
  const left = skipped === 'online' ? offline : skipped === 'offline' ? online : permitted
  return { devices, online, offline, skipped, refused: devices.filter((device) => !isPermitted(device)), left }
}

interface BulkSummaryProps {
  bulk: Bulk
  /** Affected devices that the list on screen does not show. */
  hidden: readonly BulkDevice[]
}

/** Names the first devices of a bulk action and counts devices per outcome. */
export function BulkSummary({ bulk: { devices, online, offline, skipped, refused, left }, hidden }: BulkSummaryProps) {
  const texts = t.batches.summary
  const unseen = hidden.filter(({ id }) => devices.some((device) => device.id === id))
  const lines = [
    [online, skipped === 'online' ? texts.skippedOnline : texts.online],
    [offline, skipped === 'offline' ? texts.skippedOffline : texts.offline],
    [refused, texts.refused],
    [unseen, texts.unseen],
  ] as const
  return (
    <div role="group" aria-label={texts.label}>
      <Text fw={560} className="wrap-anywhere">
        {t.batches.names(namesOf(devices), devices.length)}
      </Text>
      <ul className="bullets">
        {lines
          .filter(([some]) => some.length > 0)
          .map(([some, textOf]) => (
            <li key={textOf(0, [])}>{textOf(some.length, namesOf(some))}</li>
          ))}
      </ul>
      {left.length === 0 && <Text mt={8}>{t.batches.noneLeft}</Text>}
    </div>
  )
}

interface CountFieldProps {
  number: number
  value: string
  onChange: (value: string) => void
}

/** Requires typing the number of devices before a destructive bulk action. */
export const CountField = ({ number, value, onChange }: CountFieldProps) => (
  <TextInput
    label={t.batches.summary.typeCount(number)}
    inputMode="numeric"
    autoComplete="off"
    data-autofocus
    styles={{ wrapper: { width: 140 } }}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value.trim())}
  />
)
