import { queryOptions } from '@tanstack/react-query'
import { api } from './http.ts'

const refreshMs = 10_000

/** Queries of people and their groups. Every key begins with `people` or `user-groups`, which changes invalidate. */
export const peopleQueries = {
  person: (tenantId: string, userId: string) =>
    queryOptions({
      queryKey: ['people', 'one', tenantId, userId],
      queryFn: ({ signal }) => api.people.get({ tenantId, params: { userId } }, signal),
      refetchInterval: refreshMs,
    }),
  signedInDevices: (tenantId: string, userId: string) =>
    queryOptions({
      queryKey: ['people', 'signed-in-devices', tenantId, userId],
      queryFn: async ({ signal }) => (await api.people.signIns({ tenantId, params: { userId } }, signal)).items,
      refetchInterval: refreshMs,
    }),
  tokens: (tenantId: string, userId: string) =>
    queryOptions({
      queryKey: ['people', 'tokens', tenantId, userId],
      queryFn: async ({ signal }) =>
        (await api.userPersonalAccessTokens.list({ tenantId, params: { userId } }, signal)).items,
    }),
  invites: (tenantId: string) =>
    queryOptions({
      queryKey: ['people', 'invites', tenantId],
      queryFn: async ({ signal }) => (await api.invites.list({ tenantId }, signal)).items,
    }),
  /** The first people whose name or address contains a text. */
  find: (tenantId: string, text: string, take: number) =>
    queryOptions({
      queryKey: ['people', 'find', tenantId, text, take],
      queryFn: ({ signal }) => api.people.list({ tenantId, query: { text, take } }, signal),
    }),
  groups: (tenantId: string) =>
    queryOptions({
      queryKey: ['user-groups', tenantId],
      queryFn: async ({ signal }) => (await api.userGroups.list({ tenantId }, signal)).items,
      refetchInterval: refreshMs,
    }),
  group: (tenantId: string, userGroupId: string) =>
    queryOptions({
      queryKey: ['user-groups', tenantId, userGroupId],
      queryFn: ({ signal }) => api.userGroups.get({ tenantId, params: { userGroupId } }, signal),
      refetchInterval: refreshMs,
    }),
  groupRights: (tenantId: string, userGroupId: string) =>
    queryOptions({
      queryKey: ['user-groups', tenantId, userGroupId, 'rights'],
      queryFn: async ({ signal }) =>
        (await api.people.groupRights({ tenantId, params: { userGroupId } }, signal)).rights,
    }),
}
