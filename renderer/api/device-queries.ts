import { queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { chunksOf } from '../../shared/chunks.ts'
import type { DevicePermission } from '../../shared/access.ts'
import type { FindDevicesDto } from '../../shared/api/appliance-device-search.ts'
import { maxIds } from '../../shared/contract/fields.ts'
import type { DeviceAgentDto } from '../../shared/dtos/device-agent.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { api } from './http.ts'
import { query } from './query-client.ts'
import { keepOrder, type DevicePage } from './keep-order.ts'
import { onDeviceUpdate } from './hubs.ts'

/**
 * Queries the server for devices. A live update received while the request runs is at least as new as the answer: `put`
 * merges these updates, since otherwise the older answer would overwrite them.
 */
async function withLiveUpdates<Answer>(
  ask: () => Promise<Answer>,
  put: (answer: Answer, updates: ReadonlyMap<string, DeviceResponseDto>) => Answer,
): Promise<Answer> {
  const updates = new Map<string, DeviceResponseDto>()
  const stop = onDeviceUpdate((device) => void updates.set(device.id, device))
  try {
    return put(await ask(), updates)
  } finally {
    stop()
  }
}

/** Start of the keys of the cached pages of device lists. */
export const devicePages = ['devices', 'page'] as const

/** Page size for reading all devices of a search. */
const allPageSize = 500

/** Replaces devices of a page by newer states. */
export const withDevices = <Page extends { items: readonly DeviceResponseDto[] }>(
  page: Page,
  devices: ReadonlyMap<string, DeviceResponseDto>,
): Page =>
  page.items.some(({ id }) => devices.has(id))
    ? { ...page, items: page.items.map((device) => devices.get(device.id) ?? device) }
    : page

/** Search without page numbers; equal searches share their cached pages. */
export type DeviceSearch = Pick<z.input<typeof FindDevicesDto>, 'query' | 'sortDefinitions'>

interface PageOptions {
  page: number
  pageSize: number
  /** Keeps the row order of the first load. A new number requests the current order. */
  keptOrder?: number
}

/** Queries of one device, and of many. */
export const deviceQueries = {
  device: (deviceId: string) =>
    query(['devices', 'one', deviceId], (signal) =>
      withLiveUpdates(
        () => api.devices.get({ params: { deviceId } }, signal),
        (device, updates) => updates.get(deviceId) ?? device,
      ),
    ),
  permissions: (deviceId: string) =>
    query(
      ['devices', 'permissions', deviceId],
      async (signal) => new Set<string>((await api.devicePages.permissions({ params: { deviceId } }, signal)).items),
    ),
  /** `state` is part of the key: it changes whenever the reason for the absence may have changed. */
  absence: (deviceId: string, state: string) =>
    query(['devices', 'absence', deviceId, state], (signal) =>
      api.devicePages.absence({ params: { deviceId } }, signal),
    ),
  groups: (deviceId: string) =>
    query(
      ['devices', 'groups', deviceId],
      async (signal) => (await api.devicePages.groups({ params: { deviceId } }, signal)).items,
    ),
  terminalShares: (deviceId: string, terminalId: string) =>
    query(
      ['terminal-shares', deviceId, terminalId],
      async (signal) => (await api.terminalShares.list({ params: { deviceId, terminalId } }, signal)).items,
    ),
  terminals: (deviceId: string) =>
    query(
      ['devices', 'terminals', deviceId],
      async (signal) => (await api.devicePages.terminals({ params: { deviceId } }, signal)).items,
    ),
  desktopSessions: (deviceId: string) =>
    query(
      ['desktop-sessions', deviceId],
      async (signal) => (await api.devices.desktopSessions({ params: { deviceId } }, signal)).items,
      { retry: false },
    ),
  logFiles: (deviceId: string) =>
    query(
      ['log-files', deviceId],
      async (signal) => (await api.deviceFileSystem.logs({ params: { deviceId } }, signal)).logFileGroups,
      { retry: false },
    ),
  /** All devices of a search, read page by page. */
  all: ({ query: text }: DeviceSearch) =>
    query(['devices', 'all', text], async (signal) => {
      const found: DeviceResponseDto[] = []
      for (let page = 0, total = 1; page * allPageSize < total; page++) {
        const body = { query: text, sortDefinitions: [], page, pageSize: allPageSize }
        const { items, totalItems } = await api.deviceSearch.find({ body }, signal)
        found.push(...items)
        total = totalItems
      }
      return found
    }),
  /** Agents of devices, by device id. Versions are part of the key because a new version means a new agent. */
  agents: (devices: readonly Pick<DeviceResponseDto, 'id' | 'agentVersion'>[]) =>
    query(['devices', 'agents', devices.map(({ id, agentVersion }) => `${id} ${agentVersion}`)], async (signal) => {
      const agents = new Map<string, DeviceAgentDto>()
      for (const some of chunksOf(devices, maxIds)) {
        const { items } = await api.devicePages.agents({ body: { deviceIds: some.map(({ id }) => id) } }, signal)
        items.forEach((agent) => agents.set(agent.deviceId, agent))
      }
      return agents
    }),
  /** Ids of the devices that the user has a permission on. */
  permitted: (permission: DevicePermission, deviceIds: readonly string[]) =>
    query(['devices', 'permitted', permission, deviceIds], async (signal) => {
      const permitted = new Set<string>()
      for (const some of chunksOf(deviceIds, maxIds)) {
        const answer = await api.devicePages.permitted({ body: { permission, deviceIds: some } }, signal)
        answer.deviceIds.forEach((id) => permitted.add(id))
      }
      return permitted
    }),
  /** Counts of the values of each field of a typed search. */
  facets: (text: string) =>
    query(['devices', 'facets', text], (signal) => api.deviceSearch.facets({ body: { query: text } }, signal)),
  page: (search: DeviceSearch, { page, pageSize, keptOrder }: PageOptions) =>
    queryOptions({
      queryKey: [...devicePages, search, pageSize, page, keptOrder],
      queryFn: async ({ signal }): Promise<DevicePage> => {
        const answer = await withLiveUpdates(
          () => api.deviceSearch.find({ body: { ...search, page, pageSize } }, signal),
          withDevices,
        )
        return { ...answer, orderedAt: Date.now() }
      },
      structuralSharing: (before, now) =>
        keptOrder === undefined ? now : keepOrder(before as DevicePage | undefined, now as DevicePage),
    }),
}
