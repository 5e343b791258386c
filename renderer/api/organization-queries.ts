import { api } from './http.ts'
import { query } from './query-client.ts'

/** Polling interval for notes of other people. */
const notesMs = 30_000

/** Customers, groups, tags, and people's stars, views and notes of devices. */
export const organizationQueries = {
  tags: query(['tags'], async (signal) => (await api.tags.list({ query: { includeLinkedIds: false } }, signal)).items),
  /** Tags with color and number of devices. */
  tagOverview: query(['tags', 'overview'], async (signal) => (await api.organization.tags({}, signal)).items, {
    staleTime: 10_000,
  }),
  customers: query(['customers'], async (signal) => (await api.customers.list({}, signal)).items),
  customerDetails: query(
    ['customers', 'details'],
    async (signal) => (await api.organization.customers({}, signal)).items,
  ),
  deviceGroups: query(['device-groups'], async (signal) => (await api.deviceGroups.list({}, signal)).items),
  deviceGroup: (deviceGroupId: string) =>
    query(['device-groups', deviceGroupId], (signal) => api.deviceGroups.get({ params: { deviceGroupId } }, signal)),
  deviceStars: query(
    ['devices', 'stars'],
    async (signal) => new Set((await api.deviceViews.stars({}, signal)).deviceIds),
    { staleTime: 30_000 },
  ),
  deviceViews: query(['device-views'], (signal) => api.deviceViews.list({ query: {} }, signal)),
  deviceNotes: (deviceId: string) =>
    query(
      ['device-notes', deviceId],
      async (signal) => (await api.deviceNotes.list({ params: { deviceId } }, signal)).items,
      { refetchInterval: notesMs },
    ),
}
