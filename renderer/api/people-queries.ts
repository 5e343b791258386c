import { api } from './http.ts'
import { invalidate, query } from './query-client.ts'

const refreshMs = 10_000

/** Queries of people and their groups. Every key begins with `people` or `user-groups`, which changes invalidate. */
export const peopleQueries = {
  person: (userId: string) =>
    query(['people', 'one', userId], (signal) => api.people.get({ params: { userId } }, signal), {
      refetchInterval: refreshMs,
    }),
  signedInDevices: (userId: string) =>
    query(
      ['people', 'signed-in-devices', userId],
      async (signal) => (await api.people.signIns({ params: { userId } }, signal)).items,
      { refetchInterval: refreshMs },
    ),
  tokens: (userId: string) =>
    query(
      ['people', 'tokens', userId],
      async (signal) => (await api.userPersonalAccessTokens.list({ params: { userId } }, signal)).items,
    ),
  invites: query(['people', 'invites'], async (signal) => (await api.invites.list({}, signal)).items),
  /** The first people whose name or address contains a text. */
  find: (text: string, take: number) =>
    query(['people', 'find', text, take], (signal) => api.people.list({ query: { text, take } }, signal)),
  groups: query(['user-groups'], async (signal) => (await api.userGroups.list({}, signal)).items, {
    refetchInterval: refreshMs,
  }),
  group: (userGroupId: string) =>
    query(['user-groups', userGroupId], (signal) => api.userGroups.get({ params: { userGroupId } }, signal), {
      refetchInterval: refreshMs,
    }),
  groupRights: (userGroupId: string) =>
    query(
      ['user-groups', userGroupId, 'rights'],
      async (signal) => (await api.people.groupRights({ params: { userGroupId } }, signal)).rights,
    ),
}

/** Reloads people and their groups after a change. */
export const reloadPeople = () => invalidate(['people'], ['user-groups'])
