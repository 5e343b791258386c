import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { NetworkDto, NetworkSettingsDto } from '../../../shared/dtos/network.ts'
import { queries } from '../../api/queries.ts'
import { api } from '../../api/http.ts'

/** A change of the network; what the server answers is what the page shows next. */
export function useNetworkChange<Input>(change: (input: Input) => Promise<NetworkDto>, onDone?: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (input: Input) => {
      // An answer to an older question must not follow the newer one.
      await client.cancelQueries({ queryKey: queries.network.queryKey })
      return change(input)
    },
    onSuccess: async (network) => {
      client.setQueryData(queries.network.queryKey, network)
      await client.invalidateQueries({ queryKey: ['deployment'] })
      onDone?.()
    },
  })
}

export const saveNetwork = (body: z.input<typeof NetworkSettingsDto>) => api.network.set({ body })
