import type { OpenRouteCall, RouteCall } from '../call.ts'
import { forbidden } from '../errors.ts'
import { routeImplementer } from '../http/contract/router.ts'
import type { ServerThings } from '../policies/index.ts'
import type { Principal } from '../principal.ts'

export const implement = routeImplementer<OpenRouteCall, RouteCall, ServerThings>()

/** The principal, who has signed in: no key and no token changes what a person signs in with. Throws 403. */
export function directPrincipal({ principal }: RouteCall): Principal {
  const { kind } = principal.credential
  if (kind !== 'Session' && kind !== 'BearerToken') {
    throw forbidden('This needs somebody who has signed in with a password.')
  }
  return principal
}
