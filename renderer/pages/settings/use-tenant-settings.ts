import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { TenantSettingsDto } from '../../../shared/dtos/tenant-setting.ts'
import { api } from '../../api/http.ts'
import { serverQueries } from '../../api/server-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import * as t from '../../texts.ts'

/** Names of the settings in requests about a single one. */
const names = {
  appendInstanceId: 'append-instance-id',
  instanceId: 'instance-id',
  notifyUserOnSessionStart: 'notify-user-on-session-start',
} as const satisfies Record<keyof TenantSettingsDto, string>

interface SettingChange {
  member: keyof TenantSettingsDto
  /** Null removes the setting. */
  value: string | null
}

/** Stores one setting at once and offers an undo, which restores the earlier values of all settings. */
export function useTenantSettingChange(settings: TenantSettingsDto) {
  const [chosen, setChosen] = useState<SettingChange>()
  const reload = () => invalidate(['tenant-settings'], ['deployment'], ['preferences'])
  const change = useMutation({
    scope: { id: 'tenant-settings' },
    mutationFn: ({ member, value }: SettingChange): Promise<unknown> =>
      value === null
        ? api.tenantSettings.delete({ params: { settingName: names[member] } })
        : api.tenantSettings.set({ body: { name: names[member], value } }),
    onSuccess: async () => {
      const before = settings
      await reload()
      showUndo(t.settings.changed, async () => {
        queryClient.setQueryData(
          serverQueries.tenantSettings.queryKey,
          await api.tenantSettings.replaceAll({ body: before }),
        )
        await reload()
      })
    },
    // Deferred until queries have announced the new settings, also by a timer: until then the page has the old ones.
    onSettled: (_result, _error, variables) => {
      setTimeout(() => setChosen((now) => (now === variables ? undefined : now)))
    },
  })
  return {
    ...change,
    /** Value that was chosen and is not in the settings yet; undefined for none. */
    chosen: chosen?.value,
    mutate: (variables: SettingChange, options?: Parameters<typeof change.mutate>[1]) => {
      setChosen(variables)
      change.mutate(variables, options)
    },
  }
}
