import type { Context, Principal } from '../context.ts'
import { forbidden, unauthorized } from '../errors.ts'
import { routeImplementer } from '../http/contract/router.ts'

export const implement = routeImplementer<Context>()

/** The caller of a route that asks for one. */
export function callerOf({ principal }: Context): Principal {
  if (!principal) {
    throw unauthorized()
  }
  return principal
}

/** The caller, who has signed in: no key and no token changes what a person signs in with. Throws 403. */
export function directCallerOf(context: Context): Principal {
  const caller = callerOf(context)
  const { kind } = caller.credential
  if (kind !== 'Session' && kind !== 'BearerToken') {
    throw forbidden('This needs somebody who has signed in with a password.')
  }
  return caller
}
