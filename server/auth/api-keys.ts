import type { App } from '../context.ts'
import { badRequest } from '../errors.ts'
import type { ServiceAccountRow } from '../models/service-account.ts'
import type { Scheme, SchemeOptions } from './authenticate.ts'
import { FailureThrottle } from './failure-throttle.ts'
import type { HeldKeys, KeyKind, StoredKey } from '../memory/held-keys.ts'
import { readKey } from './key-format.ts'

export const apiKeyHeader = 'x-api-key'

type StoredApiKey = StoredKey & Pick<ServiceAccountRow, 'tenantId' | 'name' | 'description' | 'accessMode'>
export type ApiKeys = HeldKeys<StoredApiKey>

/** Credentials of enabled service accounts that nobody has revoked. */
export const apiKeys: KeyKind<StoredApiKey> = {
  selectSql: `SELECT c.id, c.serviceAccountId AS holderId, c.secretHash, c.expiresAt, c.lastUsedAt,
      a.tenantId, a.name, a.description, a.accessMode
    FROM service_account_credentials AS c JOIN service_accounts AS a ON a.id = c.serviceAccountId
    WHERE c.revokedAt IS NULL AND a.isEnabled = 1`,
  lastUsedSql: `UPDATE service_account_credentials SET lastUsedAt = u.value ->> 'lastUsedAt' FROM jsonb_each(?) AS u
    WHERE service_account_credentials.id = u.value ->> 'id' RETURNING service_account_credentials.id AS key`,
  principalOf: ({ id, holderId, tenantId, name, description, accessMode }) => ({
    kind: 'ServiceAccount',
    id: holderId,
    tenantId,
    name: description ?? name,
    isUnrestricted: tenantId === null && accessMode === 'Unrestricted',
    credential: { kind: 'ServiceAccountCredential', id },
  }),
}

/** The `x-api-key` header: a credential of a service account. */
export function createApiKeyScheme(app: App, { remoteAddressOf }: SchemeOptions): Scheme {
  const { serviceAccountAuthFailureLimit, serviceAccountAuthFailureWindowMinutes } = app.config.appOptions
  const throttle = new FailureThrottle(app, {
    subject: apiKeyHeader,
    limit: serviceAccountAuthFailureLimit,
    windowMs: serviceAccountAuthFailureWindowMinutes * 60_000,
  })
  return {
    handles: ({ headers }) => headers[apiKeyHeader] !== undefined,
    authenticate(request) {
      const key = readKey(String(request.headers[apiKeyHeader]))
      if (!key) {
        throw badRequest(`The ${apiKeyHeader} header must be 32 hexadecimal characters, a colon and a secret.`)
      }
      const axes = [`address ${remoteAddressOf(request)}`, `credential ${key.id}`]
      return throttle.attempt(axes, () => app.apiKeys.open(key))
    },
  }
}
