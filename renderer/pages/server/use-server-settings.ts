import { useMutation, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../shared/contract/client.ts'
import type { ServerSettingDto } from '../../../shared/dtos/server-setting.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'
import * as t from '../../texts.ts'

export type SettingGroup = NonNullable<ServerSettingDto['group']>

/** Settings in bytes, which people read and type in larger units. */
export const sizeKeys: ReadonlySet<string> = new Set([
  'AppOptions__MaxFileTransferSize',
  'AppOptions__MinFreeDiskSpace',
])

/** Text of a field; null resets the setting. */
export type Draft = Readonly<Record<string, string | null>>

/** Settings of one part of the page, in the order of their labels. */
export function useSettingGroup(group: SettingGroup): readonly ServerSettingDto[] {
  const { data = [] } = useQuery(serverQueries.serverSettings)
  const order = Object.keys(t.server.fields)
  return data
    .filter((setting) => setting.group === group)
    .toSorted((a, b) => order.indexOf(a.key) - order.indexOf(b.key))
}

/** Stores settings together, and shows them in force. */
export function useSettingsChange(onSaved: () => void) {
  return useMutation({
    scope: { id: 'server-settings' },
    mutationFn: (draft: Draft) =>
      api.server.changeSettings({
        body: { changes: Object.entries(draft).map(([key, value]) => ({ key, value })) },
      }),
    onSuccess: async ({ items }) => {
      queryClient.setQueryData(serverQueries.serverSettings.queryKey, items)
      onSaved()
      await invalidate(['server-state'], ['public-settings'], ['dashboard'], ['transfer-limit'], ['updates'])
    },
  })
}

/** Message for one field of a rejected change. */
export const fieldProblem = (error: unknown, key: string): string | undefined =>
  error instanceof ApiError ? error.problem?.errors?.[key]?.join(' ') : undefined
