import { signedOut } from './sign-out.ts'
import { signInQueries } from './sign-in-queries.ts'
import { queryClient } from './query-client.ts'

/** The page of visitors may wait for these already when a person leaves, and would wait for ever for a removed one. */
const ofVisitors: unknown[] = [signInQueries.publicSettings, signInQueries.registration, signInQueries.ways].map(
  ({ queryKey }) => queryKey[0],
)

/** Removes what the server answered to a person who leaves, and what the window kept for that person. */
export function clearPersonData(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => !ofVisitors.includes(queryKey[0]) })
  signedOut.emit()
}
