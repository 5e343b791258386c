import type { QueryClient } from '@tanstack/react-query'
import { personLeft } from './person-left.ts'
import { queries } from './queries.ts'

/** The page of visitors may wait for these already when a person leaves, and would wait for ever for a removed one. */
const ofVisitors: unknown[] = [queries.publicSettings, queries.registration, queries.signInWays].map(
  ({ queryKey }) => queryKey[0],
)

/** Removes what the server answered to a person who leaves, and what the window kept for that person. */
export function forgetPerson(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => !ofVisitors.includes(queryKey[0]) })
  personLeft.emit()
}
