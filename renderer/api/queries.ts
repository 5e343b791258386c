import { queryOptions, type QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { DevicePermission } from '../../shared/access.ts'
import type { DeviceSearchRequestDto } from '../../shared/api/devices.ts'
import { maxIds } from '../../shared/contract/fields.ts'
import type { DeviceAgentDto } from '../../shared/dtos/device-agent.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { api, statusOf } from './http.ts'
import { withHeard } from './heard.ts'
import { holdOrder, type DevicePage } from './hold-order.ts'
import { onCaughtUp, onFollowed } from './heartbeats.ts'
import { onDeviceUpdate } from './hubs.ts'

const pages = ['devices', 'page'] as const

/** Devices of one answer when all of a search are read. */
const allPageSize = 500

/** How often running work is looked at. */
const batchMs = 1_000
const sessionsMs = 2_000
const networkMs = 5_000
const visitMs = 1_000

/** A page with newer states of devices in the places of the older ones. */
const withDevices = <Page extends { items: readonly DeviceResponseDto[] }>(
  page: Page,
  devices: ReadonlyMap<string, DeviceResponseDto>,
): Page =>
  page.items.some(({ id }) => devices.has(id))
    ? { ...page, items: page.items.map((device) => devices.get(device.id) ?? device) }
    : page

/** A search without its page; equal searches share their pages. */
export type DeviceSearch = Pick<
  z.input<typeof DeviceSearchRequestDto>,
  'searchText' | 'filterDefinitions' | 'sortDefinitions'
>

interface PageOptions {
  page: number
  pageSize: number
  /** Rows keep their order through later loads; another number asks for the order of that moment. */
  heldOrder?: number
}

export const queries = {
  session: queryOptions({
    queryKey: ['session'],
    queryFn: async ({ signal }) => {
      const [user, permissions] = await Promise.all([api.auth.me({}, signal), api.status.permissions({}, signal)])
      return { user, permissions: new Set<string>(permissions.items) }
    },
    staleTime: Infinity,
    // Somebody who is not signed in is led away by api/http.ts; anything else is worth another try.
    retry: (_, error) => statusOf(error) !== 401,
    retryDelay: 2_000,
  }),
  signInWays: queryOptions({
    queryKey: ['sign-in-ways'],
    queryFn: ({ signal }) => api.providers.ways({}, signal),
    retryDelay: 2_000,
  }),
  passkeys: queryOptions({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => api.passkeys.list({}, signal),
  }),
  externalLogins: queryOptions({
    queryKey: ['external-logins'],
    queryFn: ({ signal }) => api.ownLogins.logins({}, signal),
  }),
  publicSettings: queryOptions({
    queryKey: ['public-settings'],
    queryFn: ({ signal }) => api.publicSettings.get({}, signal),
    retryDelay: 2_000,
    retry: true,
  }),
  registration: queryOptions({
    queryKey: ['registration'],
    queryFn: ({ signal }) => api.session.registration({}, signal),
    retryDelay: 2_000,
    retry: true,
  }),
  status: queryOptions({ queryKey: ['status'], queryFn: ({ signal }) => api.status.get({}, signal) }),
  network: queryOptions({
    queryKey: ['network'],
    queryFn: ({ signal }) => api.network.get({}, signal),
    refetchInterval: networkMs,
  }),
  firewall: (port: number) =>
    queryOptions({
      queryKey: ['network', 'firewall', port],
      queryFn: ({ signal }) => api.network.firewall({}, signal),
    }),
  networkVisit: (visitId: string) =>
    queryOptions({
      queryKey: ['network', 'visit', visitId],
      queryFn: async ({ signal }) => (await api.network.visit({ params: { visitId } }, signal)).report,
      // Until the device has reported, or its time is over.
      refetchInterval: ({ state }) => (state.data || state.error ? false : visitMs),
      retry: (count, error) => count < 2 && statusOf(error) === undefined,
    }),
  networkTrust: queryOptions({
    queryKey: ['network-trust'],
    queryFn: ({ signal }) => api.networkVisitor.trust({}, signal),
  }),
  notices: queryOptions({
    queryKey: ['notices'],
    queryFn: async ({ signal }) => (await api.notices.list({}, signal)).items,
    // Whoever came by a link has none: the refusal stays as it is.
    retry: (count, error) => count < 2 && statusOf(error) === undefined,
    staleTime: Infinity,
  }),
  deployment: (tenantId: string) =>
    queryOptions({
      queryKey: ['deployment', tenantId],
      queryFn: ({ signal }) => api.status.deployment({ tenantId }, signal),
    }),
  agentBuild: queryOptions({
    queryKey: ['agent-build'],
    queryFn: async ({ signal }) => (await api.agentBuilds.get({}, signal)).build,
  }),
  agentReleases: queryOptions({
    queryKey: ['agent-releases'],
    queryFn: async ({ signal }) => (await api.agentReleases.list({}, signal)).items,
  }),
  installerKeys: (tenantId: string) =>
    queryOptions({
      queryKey: ['installer-keys', tenantId],
      queryFn: async ({ signal }) => (await api.installerKeys.list({ tenantId }, signal)).items,
    }),
  installerKeyUsages: (tenantId: string, keyId: string) =>
    queryOptions({
      queryKey: ['installer-key-usages', tenantId, keyId],
      queryFn: async ({ signal }) => (await api.installerKeys.usages({ tenantId, params: { keyId } }, signal)).items,
    }),
  batches: queryOptions({
    queryKey: ['batches'],
    queryFn: async ({ signal }) => (await api.batches.list({}, signal)).items,
  }),
  batch: (batchId: string) =>
    queryOptions({
      queryKey: ['batches', batchId],
      queryFn: ({ signal }) => api.batches.get({ params: { batchId } }, signal),
      // While something goes on.
      refetchInterval: ({ state }) => (state.data && state.data.batch.finishedAt === null ? batchMs : false),
    }),
  batchOutput: (batchId: string, deviceId: string) =>
    queryOptions({
      queryKey: ['batches', batchId, deviceId],
      queryFn: ({ signal }) => api.batches.output({ params: { batchId, deviceId } }, signal),
      staleTime: Infinity,
    }),
  sessions: queryOptions({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => ({ sessions: (await api.sessions.list({}, signal)).items, readAt: Date.now() }),
    refetchInterval: sessionsMs,
  }),
  tags: (tenantId: string) =>
    queryOptions({
      queryKey: ['tags', tenantId],
      queryFn: async ({ signal }) =>
        (await api.tags.list({ tenantId, query: { includeLinkedIds: false } }, signal)).items,
    }),
  /** Bytes of the largest file that the server transfers; Infinity without a limit. */
  transferLimit: queryOptions({
    queryKey: ['transfer-limit'],
    queryFn: async ({ signal }) => {
      const { maxFileSize } = await api.serverSettings.fileUploadMaxSize({}, signal)
      return maxFileSize > 0 ? maxFileSize : Infinity
    },
    staleTime: 30_000,
  }),
  device: (deviceId: string) =>
    queryOptions({
      queryKey: ['devices', 'one', deviceId],
      queryFn: ({ signal }) =>
        withHeard(
          () => api.devices.get({ params: { deviceId } }, signal),
          (device, heard) => heard.get(deviceId) ?? device,
        ),
      retry: (count, error) => count < 2 && statusOf(error) === undefined,
    }),
  devicePermissions: (deviceId: string) =>
    queryOptions({
      queryKey: ['devices', 'permissions', deviceId],
      queryFn: async ({ signal }) =>
        new Set<string>((await api.devicePages.permissions({ params: { deviceId } }, signal)).items),
      retry: (count, error) => count < 2 && statusOf(error) === undefined,
    }),
  /** `state` is of the device, as far as it changes what is known of its absence. */
  deviceAbsence: (deviceId: string, state: string) =>
    queryOptions({
      queryKey: ['devices', 'absence', deviceId, state],
      queryFn: ({ signal }) => api.devicePages.absence({ params: { deviceId } }, signal),
    }),
  deviceLoad: (deviceId: string) =>
    queryOptions({
      queryKey: ['devices', 'load', deviceId],
      queryFn: ({ signal }) => api.devicePages.load({ params: { deviceId } }, signal),
    }),
  deviceGroups: (deviceId: string) =>
    queryOptions({
      queryKey: ['devices', 'groups', deviceId],
      queryFn: async ({ signal }) => (await api.devicePages.groups({ params: { deviceId } }, signal)).items,
    }),
  deviceTerminals: (deviceId: string) =>
    queryOptions({
      queryKey: ['devices', 'terminals', deviceId],
      queryFn: async ({ signal }) => (await api.devicePages.terminals({ params: { deviceId } }, signal)).items,
    }),
  desktopSessions: (deviceId: string) =>
    queryOptions({
      queryKey: ['desktop-sessions', deviceId],
      queryFn: async ({ signal }) => (await api.devices.desktopSessions({ params: { deviceId } }, signal)).items,
      retry: false,
    }),
  logFiles: (tenantId: string, deviceId: string) =>
    queryOptions({
      queryKey: ['log-files', deviceId],
      queryFn: async ({ signal }) => (await api.files.logs({ tenantId, params: { deviceId } }, signal)).logFileGroups,
      retry: false,
    }),
  /** Every device of a search, however many pages they are. */
  allDevices: ({ searchText, filterDefinitions }: DeviceSearch) =>
    queryOptions({
      queryKey: ['devices', 'all', searchText, filterDefinitions],
      queryFn: async ({ signal }) => {
        const found: DeviceResponseDto[] = []
        for (let page = 0, total = 1; page * allPageSize < total; page++) {
          const body = { searchText, filterDefinitions, sortDefinitions: [], page, pageSize: allPageSize }
          const { items, totalItems } = await api.devices.search({ body }, signal)
          found.push(...items)
          total = totalItems
        }
        return found
      },
    }),
  /** Agents of some devices by device id. A version is part of the key, because another agent usually has another one. */
  deviceAgents: (devices: readonly Pick<DeviceResponseDto, 'id' | 'agentVersion'>[]) =>
    queryOptions({
      queryKey: ['devices', 'agents', devices.map(({ id, agentVersion }) => `${id} ${agentVersion}`)],
      queryFn: async ({ signal }) => {
        const agents = new Map<string, DeviceAgentDto>()
        for (let at = 0; at < devices.length; at += maxIds) {
          const body = { deviceIds: devices.slice(at, at + maxIds).map(({ id }) => id) }
          const { items } = await api.devicePages.agents({ body }, signal)
          items.forEach((agent) => agents.set(agent.deviceId, agent))
        }
        return agents
      },
    }),
  /** Which of some devices the person holds a permission on. */
  permittedDevices: (permission: DevicePermission, deviceIds: readonly string[]) =>
    queryOptions({
      queryKey: ['devices', 'permitted', permission, deviceIds],
      queryFn: async ({ signal }) => {
        const permitted = new Set<string>()
        for (let at = 0; at < deviceIds.length; at += maxIds) {
          const body = { permission, deviceIds: deviceIds.slice(at, at + maxIds) }
          const answer = await api.devicePages.permitted({ body }, signal)
          answer.deviceIds.forEach((id) => permitted.add(id))
        }
        return permitted
      },
    }),
  devicePage: (search: DeviceSearch, { page, pageSize, heldOrder }: PageOptions) =>
    queryOptions({
      queryKey: [...pages, search, pageSize, page, heldOrder],
      queryFn: async ({ signal }): Promise<DevicePage> => {
        const answer = await withHeard(
          () => api.devices.search({ body: { ...search, page, pageSize } }, signal),
          withDevices,
        )
        return { ...answer, orderedAt: Date.now() }
      },
      structuralSharing: (before, now) =>
        heldOrder === undefined ? now : holdOrder(before as DevicePage | undefined, now as DevicePage),
    }),
}

/** Devices of the lists that are cached, as they were last heard of. */
export function cachedDevices(client: QueryClient): ReadonlyMap<string, DeviceResponseDto> {
  const cached = client.getQueriesData<DevicePage>({ queryKey: pages })
  return new Map(cached.flatMap(([, page]) => (page?.items ?? []).map((device) => [device.id, device] as const)))
}

const settleMs = 100

/** Writes new states of devices into every cached list, in their places, and into the devices' own entries. */
export function writeDevices(client: QueryClient, devices: ReadonlyMap<string, DeviceResponseDto>) {
  client.setQueriesData<DevicePage>({ queryKey: pages }, (page) => page && withDevices(page, devices))
  devices.forEach((device, id) => client.setQueryData(queries.device(id).queryKey, device))
}

/** Writes live updates into every cached list and device, and loads all of them again when some may have been missed. */
export function followDeviceUpdates(client: QueryClient) {
  const waiting = new Map<string, DeviceResponseDto>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = () => {
    timer = undefined
    writeDevices(client, waiting)
    waiting.clear()
  }

  const stops = [
    onDeviceUpdate((device) => {
      waiting.set(device.id, device)
      timer ??= setTimeout(flush, settleMs)
    }),
    onCaughtUp(() => void client.invalidateQueries({ queryKey: ['devices'] })),
    onFollowed((ids) => {
      for (const id of ids) {
        void client.invalidateQueries({ queryKey: ['devices', 'one', id] })
      }
    }),
  ]
  return () => {
    clearTimeout(timer)
    stops.forEach((stop) => stop())
  }
}
