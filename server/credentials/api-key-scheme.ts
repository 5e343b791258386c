import type { App } from '../call/call.ts'
import { badRequest } from '../ground/errors.ts'
import { hasHeader, type Scheme, type SchemeOptions } from './scheme.ts'
import { countedAddress } from '../engines/http/web/remote-address.ts'
import { FailureThrottle } from './failure-throttle.ts'
import { KeyUses } from './key-uses.ts'
import { readKey } from './key-format.ts'

export const apiKeyHeader = 'x-api-key'

/** The `x-api-key` header: a credential of a service account. */
export function createApiKeyScheme(app: App, { remoteAddressOf }: SchemeOptions): Scheme {
  const { serviceAccountAuthFailureLimit, serviceAccountAuthFailureWindowMinutes } = app.config.appOptions
  const windowMs = serviceAccountAuthFailureWindowMinutes * 60_000
  const throttle = new FailureThrottle(app, { subject: apiKeyHeader, limit: serviceAccountAuthFailureLimit, windowMs })
  const uses = new KeyUses(app, remoteAddressOf, {
    target: 'key',
    ownerOf: (id) => app.apiKeys.principalOf(id),
    nameOf: async (id) => (await app.models.ServiceAccountCredential.findByPk(id))?.name,
  })
  return {
    handles: (request) => hasHeader(request, apiKeyHeader),
    authenticate(request) {
      const key = readKey(String(request.headers[apiKeyHeader]))
      if (!key) {
        throw badRequest(`The ${apiKeyHeader} header must be 32 hexadecimal characters, a colon and a secret.`)
      }
      const address = countedAddress(remoteAddressOf(request))
      const axes = [`address ${address}`, `credential ${key.id}`]
      const principal = throttle.attempt(
        axes,
        () => app.apiKeys.open(key),
        (isBlocked) => {
          if (isBlocked) {
            app.blockedKeys.add({ address, credentialId: key.id, until: app.clock.now() + windowMs })
          }
          uses.failed(request, key)
        },
      )
      return uses.used(request, key.id, principal)
    },
  }
}
