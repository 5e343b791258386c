import type { App } from '../call.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'
import { countedAddress } from '../http/web/request.ts'
import { FailureThrottle } from './failure-throttle.ts'
import { readKey } from '../secrets/key-format.ts'

export const personalTokenHeader = 'x-personal-token'

/** Failures of one remote address. */
const failureLimit = { limit: 5, windowMs: 5 * 60_000 }

/** The `x-personal-token` header: a token that acts as its owner. */
export function createPersonalTokenScheme(app: App, { remoteAddressOf }: SchemeOptions): Scheme {
  const throttle = new FailureThrottle(app, { subject: personalTokenHeader, ...failureLimit })
  return {
    handles: ({ headers }) => headers[personalTokenHeader] !== undefined,
    authenticate(request) {
      const token = readKey(String(request.headers[personalTokenHeader]))
      return throttle.attempt(
        [countedAddress(remoteAddressOf(request))],
        () => token && app.personalAccessTokens.open(token),
      )
    },
  }
}
