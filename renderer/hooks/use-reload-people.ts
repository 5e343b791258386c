import { useQueryClient } from '@tanstack/react-query'

/** Returns a function that reloads everything about people and their groups after a change. */
export function useReloadPeople() {
  const client = useQueryClient()
  return async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['people'] }),
      client.invalidateQueries({ queryKey: ['user-groups'] }),
    ])
  }
}
