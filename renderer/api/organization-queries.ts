import { queryOptions } from '@tanstack/react-query'
import { api } from './http.ts'

/** Polling interval for notes of other people. */
const notesMs = 30_000

/** Customers, groups, tags, and people's stars, views and notes of devices. */
export const organizationQueries = {
  /** Tags with color and number of devices. */
  tagOverview: (tenantId: string) =>
    queryOptions({
      queryKey: ['tags', tenantId, 'overview'],
      queryFn: async ({ signal }) => (await api.organization.tags({ tenantId }, signal)).items,
      staleTime: 10_000,
    }),
  customers: (tenantId: string) =>
    queryOptions({
      queryKey: ['customers', tenantId],
      queryFn: async ({ signal }) => (await api.customers.list({ tenantId }, signal)).items,
    }),
  customerDetails: (tenantId: string) =>
    queryOptions({
      queryKey: ['customers', tenantId, 'details'],
      queryFn: async ({ signal }) => (await api.organization.customers({ tenantId }, signal)).items,
    }),
  organizedGroups: (tenantId: string) =>
    queryOptions({
      queryKey: ['device-groups', tenantId],
      queryFn: async ({ signal }) => (await api.deviceGroups.list({ tenantId }, signal)).items,
    }),
  organizedGroup: (tenantId: string, deviceGroupId: string) =>
    queryOptions({
      queryKey: ['device-groups', tenantId, deviceGroupId],
      queryFn: ({ signal }) => api.deviceGroups.get({ tenantId, params: { deviceGroupId } }, signal),
    }),
  endedInstallerKeys: (tenantId: string) =>
    queryOptions({
      queryKey: ['installer-keys', tenantId, 'ended'],
      queryFn: async ({ signal }) => (await api.endedInstallerKeys.ended({ tenantId }, signal)).items,
    }),
  /** Keys whose creator ended, by id. */
  stoppedInstallerKeys: (tenantId: string) =>
    queryOptions({
      queryKey: ['installer-keys', tenantId, 'stopped'],
      queryFn: async ({ signal }) => (await api.endedInstallerKeys.stopped({ tenantId }, signal)).items,
    }),
  /** Customers, groups and tags that installer keys give to new devices. */
  placements: (tenantId: string) =>
    queryOptions({
      queryKey: ['placements', tenantId],
      queryFn: async ({ signal }) => (await api.deployments.placements({ tenantId }, signal)).items,
    }),
  deviceStars: queryOptions({
    queryKey: ['devices', 'stars'],
    queryFn: async ({ signal }) => new Set((await api.deviceViews.stars({}, signal)).deviceIds),
    staleTime: 30_000,
  }),
  deviceViews: queryOptions({
    queryKey: ['device-views'],
    queryFn: ({ signal }) => api.deviceViews.list({ query: {} }, signal),
  }),
  deviceNotes: (deviceId: string) =>
    queryOptions({
      queryKey: ['device-notes', deviceId],
      queryFn: async ({ signal }) => (await api.deviceNotes.list({ params: { deviceId } }, signal)).items,
      refetchInterval: notesMs,
    }),
}
