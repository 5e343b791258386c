import type { SpotlightActionData } from '@mantine/spotlight'
import { IconListSearch } from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMatch, useNavigate } from 'react-router'
import { fold } from '../../shared/fold.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { powerQueries } from '../api/power-queries.ts'
import { deviceQueries } from '../api/device-queries.ts'
import { useIsGuest } from '../hooks/use-is-guest.ts'
import { useSession } from '../hooks/use-session.ts'
import { nameOfDevice } from '../text/name-of-device.ts'
import * as t from '../texts.ts'
import { byAddress, permittedActions, type DeviceAction, type DeviceActionName } from '../components/device-actions.ts'
import { deviceAddress, deviceTabNames } from '../components/device-tabs.ts'
import { PlatformIcon } from '../components/platform-icon.tsx'
import { useRecentDevices } from '../components/recent-devices.ts'
import { StatusDot, statusText } from '../components/status.tsx'
import { readRequest } from './palette-request.ts'

const paletteActions: readonly DeviceActionName[] = [
  ...deviceTabNames.filter((name) => name !== 'overview'),
  'wake',
  'restart',
  'shutdown',
  'lock',
  'logOff',
  'sleep',
  'firmware',
  'safeMode',
  'refresh',
  'update',
  'share',
]
const devicesShown = 8
/** Up to this number of matches, all commands of each device are offered. */
const fewDevices = 2

/** Entries for commands on the device of the page, and for matching devices with theirs; without a query, recent devices. */
export function useDeviceEntries(query: string, isOpen: boolean) {
  const navigate = useNavigate()
  const { can } = useSession()
  const [recentIds] = useRecentDevices()
  const isGuest = useIsGuest()
  // Guests of a link do not see who worked on the device.
  const permitted = permittedActions(paletteActions, can).filter(({ name }) => name !== 'timeline' || !isGuest)
  const { verbs, searchText } = readRequest(query, permitted)
  const search = { query: searchText, sortDefinitions: [{ propertyName: 'Name' }] }
  const { data, isFetching } = useQuery({
    ...deviceQueries.page(search, { page: 0, pageSize: devicesShown }),
    enabled: query.trim() !== '',
  })
  const recent = useQueries({
    queries: recentIds.map((id) => ({ ...deviceQueries.device(id), enabled: isOpen && query.trim() === '' })),
  }).flatMap(({ data: device, isError }) => (device && !isError ? [device] : []))

  const hereId = useMatch('/devices/:deviceId/*')?.params.deviceId
  const { data: here } = useQuery({ ...deviceQueries.device(hereId ?? ''), enabled: isOpen && hereId !== undefined })

  const power = useQuery({
    ...powerQueries.device(here?.id ?? '', here?.isOnline ? 'online' : 'offline'),
    enabled: isOpen && here !== undefined,
  }).data

  const openEntry = (device: DeviceResponseDto): SpotlightActionData => ({
    id: device.id,
    label: nameOfDevice(device),
    description: [device.alias && device.name, statusText(device), device.currentUsers[0]].filter(Boolean).join(' · '),
    leftSection: <PlatformIcon device={device} />,
    rightSection: <StatusDot isOnline={device.isOnline} />,
    onClick: () => void navigate(deviceAddress(device.id)),
  })
  const actsOf = (device: DeviceResponseDto, wanted: readonly DeviceAction[]) => {
    const context = {
      device,
      can,
      variants: device.id === here?.id ? power?.variants : undefined,
      ...byAddress(device, navigate),
    }
    const name = nameOfDevice(device)
    return wanted
      .filter(({ isOffered, obstacle }) => (isOffered?.(context) ?? true) && obstacle?.(context) === undefined)
      .map((action): SpotlightActionData => {
        const { label, icon: Icon, tab, run } = action
        return {
          id: `${device.id}-${action.name}`,
          label: tab ? t.visit.palette.on(label, name) : t.visit.palette.act(label, name),
          description: tab && statusText(device),
          leftSection: Icon && <Icon size={18} stroke={1.6} />,
          rightSection: <StatusDot isOnline={device.isOnline} />,
          onClick: () => run(context),
        }
      })
  }

  const found = query.trim() === '' ? [] : (data?.items ?? [])
  const more = found.length <= fewDevices ? permitted : []
  const total = data?.totalItems ?? 0
  const showAll: SpotlightActionData = {
    id: 'show-all-devices',
    label: t.visit.palette.showAll(total),
    leftSection: <IconListSearch size={18} stroke={1.6} />,
    onClick: () => void navigate(`/devices?${new URLSearchParams({ q: searchText }).toString()}`),
  }
  const wanted = fold(query.trim())
  return {
    here: here
      ? actsOf(
          here,
          permitted.filter(({ label }) => fold(label).includes(wanted)),
        ).map((entry) => ({ ...entry, id: `here-${entry.id}` }))
      : [],
    recent: recent.map(openEntry),
    found: [
      ...found.flatMap((device) => actsOf(device, verbs)),
      ...found.flatMap((device) => [
        openEntry(device),
        ...actsOf(
          device,
          more.filter((verb) => !verbs.includes(verb)),
        ),
      ]),
      ...(total > found.length && found.length > 0 ? [showAll] : []),
    ],
    isFetching,
  }
}
