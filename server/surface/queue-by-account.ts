import type { App, OpenRouteCall } from '../call/call.ts'
import { KeyedQueue } from '../engines/flow/keyed-queue.ts'
import type { RouteHost } from '../engines/http/contract/router.ts'
import { accountOf, identityOf } from '../ground/principal.ts'

/** Requests that run at once, of one account, of one of its credentials, and of one link. */
const runningRequests = { account: 64, credential: 32, link: 16 }

/** Lets requests of one account wait for each other, before they would hold up the database for all (T20). */
export function queueByAccount({ clock }: Pick<App, 'clock'>): RouteHost<OpenRouteCall>['queued'] {
  const accounts = new KeyedQueue(clock, { ofKey: runningRequests.account, ofPart: runningRequests.credential })
  const links = new KeyedQueue(clock, { ofKey: runningRequests.link, ofPart: runningRequests.link })
  return ({ principal }, { bodyType }, task) => {
    // An upload may run for hours, and takes a place among the transfers.
    if (!principal || bodyType === 'multipart' || bodyType === 'bytes') {
      return task()
    }
    const identity = identityOf(principal)
    // Guests hold up neither each other nor the maker of their links, and no token keeps its owner from deleting it.
    return principal.credential.kind === 'LogonToken'
      ? links.run(identity, identity, task)
      : accounts.run(accountOf(principal), identity, task)
  }
}
