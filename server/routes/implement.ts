import type { OpenRouteCall, RouteCall } from '../call.ts'
import { forbidden } from '../errors.ts'
import { routeImplementer } from '../http/contract/router.ts'
import type { ServerThings } from '../policies/index.ts'

export const implement = routeImplementer<OpenRouteCall, RouteCall, ServerThings>()

/** The call of somebody who has signed in: no key and no token changes what a person signs in with. Throws 403. */
export function signedInPerson(call: RouteCall): RouteCall {
  const { kind } = call.principal.credential
  if (kind !== 'Session' && kind !== 'BearerToken') {
    throw forbidden('This needs somebody who has signed in with a password.')
  }
  return call
}

/** The same, or of a token that acts as its owner in everything. Throws 403. */
export function asOwner(call: RouteCall): RouteCall {
  const { credential } = call.principal
  const isInheriting = credential.kind === 'PersonalAccessToken' && credential.mode === 'InheritOwner'
  return isInheriting ? call : signedInPerson(call)
}
