import { useMutation } from '@tanstack/react-query'
import type { z } from 'zod'
import type { FixedSettingDto, NetworkDto, NetworkSettingsDto } from '../../../shared/dtos/network.ts'
import { api } from '../../api/http.ts'
import { networkQueries } from '../../api/network-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'

/** Setting that overrides the switch and the port, if there is one. */
export const fixedAddresses = ({ fixed }: NetworkDto): FixedSettingDto | undefined =>
  fixed.find(({ what, value }) => what === 'addresses' && value?.includes('https://'))

/** Runs network changes one at a time and shows the server's answer. */
export function useNetworkChange<Input>(
  change: (input: Input) => Promise<NetworkDto>,
  onDone?: (input: Input) => void,
) {
  return useMutation({
    scope: { id: 'network' },
    mutationFn: async (input: Input) => {
      // A poll that started earlier must not overwrite the newer answer.
      await queryClient.cancelQueries({ queryKey: networkQueries.network.queryKey })
      return change(input)
    },
    onSuccess: async (network, input) => {
      queryClient.setQueryData(networkQueries.network.queryKey, network)
      await invalidate(['deployment'])
      onDone?.(input)
    },
  })
}

type SettingsChanges = Partial<z.input<typeof NetworkSettingsDto>>

/** Changes some settings; the others keep the values of the previous change. */
export function useSettingsChange(onDone?: (changes: SettingsChanges) => void) {
  return useNetworkChange(async (changes: SettingsChanges) => {
    const { settings } = await queryClient.ensureQueryData(networkQueries.network)
    return api.network.set({ body: { ...settings, ...changes } })
  }, onDone)
}
