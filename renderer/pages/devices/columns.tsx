import { IconArrowUpCircle } from '@tabler/icons-react'
import { columnSizingFeature, columnVisibilityFeature, createColumnHelper, tableFeatures } from '@tanstack/react-table'
import { use } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { DeviceSessions } from '../../components/device-sessions.tsx'
import { Meter } from '../../components/meter.tsx'
import { beginOf, deviceAddress, deviceTabs } from '../../components/device-tabs.ts'
import { PlatformIcon } from '../../components/platform-icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StatusDot } from '../../components/status.tsx'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import { fraction, gibibytes } from '../../text/format.ts'
import classes from './device-table.module.css'
import { UpdatableContext } from './updatable.ts'
import { AliasField } from '../../components/alias-field.tsx'
import { UnreadBadge } from '../../features/chat/unread-badge.tsx'
import { StarButton } from './star-button.tsx'
import { useListActions } from './list-actions.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { TagChip } from '../../components/tag-chip.tsx'
import { useSession } from '../../hooks/use-session.ts'

/** Loads the code of remote control while the pointer is on its way to the click. */
const loadControl = () => void import('../../features/control/control.tsx').catch(() => undefined)

/** Link from the list to the screen of a device, in place of the dot of the row under the pointer. */
function ControlLink({ device }: { device: DeviceResponseDto }) {
  const { can } = useSession()
  const { icon: Icon, permission } = deviceTabs.control
  const label = t.devices.controlOne(nameOfDevice(device))
  return (
    device.isOnline &&
    can(permission) && (
      <Link
        to={deviceAddress(device.id, 'control')}
        state={beginOf('control')}
        // The list has its own key; a row holds no tab stops.
        tabIndex={-1}
        className={classes.control}
        aria-label={label}
        title={label}
        draggable={false}
        onPointerEnter={loadControl}
        onClick={(event) => event.stopPropagation()}
      >
        <Icon size={16} stroke={1.6} aria-hidden />
      </Link>
    )
  )
}

/** Name above the alias; the alias can be edited in place. */
function NameCell({ device }: { device: DeviceResponseDto }) {
  const { renamedId, stopRenaming } = useListActions()
  if (renamedId === device.id) {
    return <AliasField device={device} onDone={stopRenaming} />
  }
  return (
    <span className={classes.name}>
      <span className="truncate" title={device.name}>
        {device.name}
        <StarButton device={device} />
        <UnreadBadge deviceId={device.id} />
        <DeviceSessions deviceId={device.id} isIcon />
      </span>
      {device.alias && (
        <span className={`${classes.alias} truncate`} dir="auto" title={device.alias}>
          {device.alias}
        </span>
      )}
    </span>
  )
}

/** Most tags of a device that the list names; of more it names the first, and counts the others. */
const namedTags = 2

/** Tags of a device; the title names all. */
function TagsCell({ device }: { device: DeviceResponseDto }) {
  const tags = useQuery(organizationQueries.tags).data ?? []
  const own = tags.filter(({ id }) => device.tagIds?.includes(id))
  if (own.length === 0) {
    return <span className="muted">{t.common.none}</span>
  }
  return (
    <span className={classes.tags} title={own.map(({ name }) => name).join(', ')}>
      {own.slice(0, own.length > namedTags ? 1 : namedTags).map(({ id, name }) => (
        <TagChip key={id} tagId={id} name={name} />
      ))}
      {own.length > namedTags && <span className="muted tabular">+{own.length - 1}</span>}
    </span>
  )
}

export const features = tableFeatures({ columnVisibilityFeature, columnSizingFeature })

const helper = createColumnHelper<typeof features, DeviceResponseDto>()

const text = (value: string) =>
  value ? (
    <span className="truncate" title={value}>
      {value}
    </span>
  ) : (
    <span className="muted">{t.common.none}</span>
  )

const usage = (label: string, used: number, total: number) => (
  <Meter label={label} value={fraction(used, total)} detail={t.device.usedOf(gibibytes(used), gibibytes(total))} />
)

function AgentVersion({ device }: { device: DeviceResponseDto }) {
  const isUpdatable = use(UpdatableContext).has(device.id)
  return (
    <span className={classes.version}>
      <span className="truncate tabular" title={device.agentVersion}>
        {device.agentVersion || t.common.none}
      </span>
      {device.isOutdated && isUpdatable && (
        <span className={classes.update} role="img" aria-label={t.device.update} title={t.device.updateHint}>
          <IconArrowUpCircle size={16} stroke={1.8} aria-hidden />
        </span>
      )}
    </span>
  )
}

/** Columns of the list; `list-url.ts` has their names in a sort order. */
export const columns = helper.columns([
  helper.display({
    id: 'status',
    header: t.devices.status,
    cell: ({ row }) => (
      <span className={classes.status}>
        <StatusDot isOnline={row.original.isOnline} />
        <ControlLink device={row.original} />
      </span>
    ),
  }),
  helper.display({
    id: 'name',
    header: t.common.name,
    cell: ({ row }) => <NameCell device={row.original} />,
    enableHiding: false,
  }),
  helper.display({ id: 'user', header: t.device.user, cell: ({ row }) => text(row.original.currentUsers.join(', ')) }),
  helper.display({ id: 'system', header: t.devices.os, cell: ({ row }) => <PlatformIcon device={row.original} /> }),
  helper.display({
    id: 'cpu',
    header: t.device.cpu,
    cell: ({ row }) => <Meter label={t.device.cpu} value={row.original.cpuUtilization} />,
  }),
  helper.display({
    id: 'memory',
    header: t.device.memory,
    cell: ({ row }) => usage(t.device.memory, row.original.usedMemory, row.original.totalMemory),
  }),
  helper.display({
    id: 'disk',
    header: t.device.disk,
    cell: ({ row }) => usage(t.device.disk, row.original.usedStorage, row.original.totalStorage),
  }),
  helper.display({
    id: 'lastSeen',
    header: t.device.lastSeen,
    cell: ({ row }) => <RelativeTime at={row.original.lastSeen} />,
  }),
  helper.display({ id: 'agent', header: t.device.agent, cell: ({ row }) => <AgentVersion device={row.original} /> }),
  helper.display({ id: 'address', header: t.device.localAddress, cell: ({ row }) => text(row.original.localIpV4) }),
  helper.display({ id: 'hostName', header: t.device.hostName, cell: ({ row }) => text(row.original.dnsHostName) }),
  helper.display({
    id: 'customer',
    header: t.common.customer,
    cell: ({ row }) => text(row.original.customerName ?? ''),
  }),
  helper.display({ id: 'tags', header: t.devices.tags, cell: ({ row }) => <TagsCell device={row.original} /> }),
  helper.display({
    id: 'systemVersion',
    header: t.devices.systemVersion,
    cell: ({ row }) => text(row.original.osDescription),
  }),
])

/** Columns hidden by default. */
export const hiddenAtFirst = { address: false, hostName: false, systemVersion: false }

/** Minimum width in px and share of the remaining width; ordered by priority in a narrow window. */
export const layout: Record<string, { minWidth: number; share: number }> = {
  name: { minWidth: 140, share: 3 },
  status: { minWidth: 40, share: 0 },
  lastSeen: { minWidth: 80, share: 1 },
  user: { minWidth: 84, share: 1.4 },
  cpu: { minWidth: 84, share: 1 },
  memory: { minWidth: 84, share: 1 },
  disk: { minWidth: 84, share: 1 },
  system: { minWidth: 44, share: 0 },
  agent: { minWidth: 84, share: 1.2 },
  address: { minWidth: 110, share: 1 },
  hostName: { minWidth: 110, share: 1.4 },
  customer: { minWidth: 100, share: 1.2 },
  tags: { minWidth: 110, share: 1.4 },
  systemVersion: { minWidth: 120, share: 1.8 },
}
