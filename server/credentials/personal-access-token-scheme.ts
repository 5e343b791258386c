import type { App } from '../call/call.ts'
import { hasHeader, type Scheme, type SchemeOptions } from './scheme.ts'
import { countedAddress } from '../engines/http/web/remote-address.ts'
import { FailureThrottle } from './failure-throttle.ts'
import { KeyUses } from './key-uses.ts'
import { readKey } from './key-format.ts'

export const personalTokenHeader = 'x-personal-token'

/** Limit of failures per remote address. The API also blocks correct API keys; a correct token is no guess. */
const failureLimit = { limit: 5, windowMs: 5 * 60_000, allowsCorrect: true }

/** The `x-personal-token` header: a token that acts as its owner. */
export function createPersonalTokenScheme(app: App, { remoteAddressOf }: SchemeOptions): Scheme {
  const throttle = new FailureThrottle(app, { subject: personalTokenHeader, ...failureLimit })
  const uses = new KeyUses(app, remoteAddressOf, {
    target: 'token',
    ownerOf: (id) => app.personalAccessTokens.principalOf(id),
    nameOf: async (id) => (await app.models.PersonalAccessToken.findByPk(id))?.name,
  })
  return {
    handles: (request) => hasHeader(request, personalTokenHeader),
    authenticate(request) {
      const token = readKey(String(request.headers[personalTokenHeader]))
      const principal = throttle.attempt(
        [countedAddress(remoteAddressOf(request))],
        () => token && app.personalAccessTokens.open(token),
        () => uses.failed(request, token),
      )
      return uses.used(request, token!.id, principal)
    },
  }
}
