import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { NetworkDto, NetworkSettingsDto } from '../../../shared/dtos/network.ts'
import { api } from '../../api/http.ts'
import { queries } from '../../api/queries.ts'

/** A change of the network, one after the other; what the server answers is what the page shows next. */
export function useNetworkChange<Input>(
  change: (input: Input) => Promise<NetworkDto>,
  onDone?: (input: Input) => void,
) {
  const client = useQueryClient()
  return useMutation({
    scope: { id: 'network' },
    mutationFn: async (input: Input) => {
      // An answer to an older question must not follow the newer one.
      await client.cancelQueries({ queryKey: queries.network.queryKey })
      return change(input)
    },
    onSuccess: async (network, input) => {
      client.setQueryData(queries.network.queryKey, network)
      await client.invalidateQueries({ queryKey: ['deployment'] })
      onDone?.(input)
    },
  })
}

type SettingsChanges = Partial<z.input<typeof NetworkSettingsDto>>

/** The same for some of the settings; the others are those that the change before has left. */
export function useSettingsChange(onDone?: (changes: SettingsChanges) => void) {
  const client = useQueryClient()
  return useNetworkChange(async (changes: SettingsChanges) => {
    const { settings } = await client.ensureQueryData(queries.network)
    return api.network.set({ body: { ...settings, ...changes } })
  }, onDone)
}
