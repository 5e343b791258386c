import type { OpenRouteCall, RouteCall } from '../call/call.ts'
import { forbidden } from '../ground/errors.ts'
import { routeImplementer } from '../engines/http/contract/router.ts'
import type { ServerResources } from './authorize.ts'

export const implement = routeImplementer<OpenRouteCall, RouteCall, ServerResources>()

/**
 * Returns the call of a user who signed in with a password; throws 403 for keys and tokens, which change no
 * credentials.
 */
export function signedInPerson(call: RouteCall): RouteCall {
  const { kind } = call.principal.credential
  if (kind !== 'Session' && kind !== 'BearerToken') {
    throw forbidden('Only a user who signed in with a password can do this.')
  }
  return call
}

/**
 * Returns the call about a user. Callers reach themselves as on the account page: by a sign-in, never by a key or an access
 * token. Throws 403.
 */
export const aboutPerson = (call: RouteCall, userId: string): RouteCall =>
  call.principal.kind === 'User' && call.principal.id === userId ? signedInPerson(call) : call

/** Returns the call of a signed-in user, or of a token that inherits all rights of its owner. Throws 403. */
export function asOwner(call: RouteCall): RouteCall {
  const { credential } = call.principal
  const isInheriting = credential.kind === 'PersonalAccessToken' && credential.mode === 'InheritOwner'
  return isInheriting ? call : signedInPerson(call)
}
