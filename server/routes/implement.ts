import type { Context, Principal } from '../context.ts'
import { unauthorized } from '../errors.ts'
import { routeImplementer } from '../http/router.ts'

export const implement = routeImplementer<Context>()

/** The caller of a route that asks for one. */
export function callerOf({ principal }: Context): Principal {
  if (!principal) {
    throw unauthorized()
  }
  return principal
}
