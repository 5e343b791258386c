import type { OpenRouteCall } from '../call/call.ts'
import { KeyedQueue } from '../engines/flow/keyed-queue.ts'
import type { RouteHost } from '../engines/http/contract/router.ts'
import { accountOf } from '../ground/principal.ts'

/** Requests of one account that run at once. */
const runningRequests = 64

/** Lets requests of one account wait for each other, before they would hold up the database for all (T20). */
export function queueByAccount(): RouteHost<OpenRouteCall>['queued'] {
  const queue = new KeyedQueue(runningRequests)
  return ({ principal }, { bodyType }, work) => {
    // An upload may run for hours, and takes a place among the transfers.
    if (!principal || bodyType === 'multipart' || bodyType === 'bytes') {
      return work()
    }
    // Visitors by links do not hold up the maker of their links.
    const line = principal.credential.kind === 'LogonToken' ? 'link' : 'own'
    return queue.run(`${line} ${accountOf(principal)}`, work)
  }
}
