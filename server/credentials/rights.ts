import type { App } from '../call/call.ts'
import type { Principal } from '../ground/principal.ts'
import { forbidden } from '../ground/errors.ts'
import type { ServiceAccountRow } from './tables.ts'
import { anyBeyondToken, managementBeyond, type Target } from '../assignments/rights-comparison.ts'
import { restrictingTokenOf } from '../rights/restricting-token.ts'
import { holds } from '../rights/rights.ts'

type Account = Pick<ServiceAccountRow, 'id' | 'tenantId' | 'accessMode'>

const targetOf = (app: App, { id, tenantId }: Account): Target => ({
  tenantId,
  holder: tenantId === null ? 'ServerServiceAccount' : 'TenantServiceAccount',
  rules: app.rules.of(id),
})

/**
 * Throws 403 for an account that manages more than the principal. A principal with server permissions may manage all
 * accounts of the server, and an account itself. Call it inside the write.
 */
export function checkAuthority(app: App, principal: Principal, account: Account): void {
  const { id, tenantId, accessMode } = account
  if (principal.kind === 'ServiceAccount' && principal.id === id) {
    return
  }
  if (tenantId === null && holds(app, principal, 'server.permissions.write')) {
    return
  }
  if (tenantId === null && accessMode === 'Unrestricted') {
    throw forbidden('Keys of an unrestricted account may only be made with the permission server.permissions.write.')
  }
  const beyond = managementBeyond(app, principal, targetOf(app, account))
  if (beyond !== undefined) {
    throw forbidden(`This account holds ${beyond}, which you do not hold. Ask someone who does.`)
  }
}

/**
 * Throws 403 if `principal` would get an account that manages more than itself: the creator of a key has the rights of
 * the account (T27). Call it inside the write. Returns the restricted token that limits the key, or null.
 */
export function checkMayMakeKey(app: App, principal: Principal, account: Account): string | null {
  const { tenantId, accessMode } = account
  checkAuthority(app, principal, account)
  const maker = restrictingTokenOf(app, principal, [
    tenantId === null
      ? { permission: 'server.service-accounts.rotate-credentials', on: { kind: 'Server' } }
      : { permission: 'service-account.rotate-credentials', on: { kind: 'Tenant', tenantId } },
  ])
  if (maker === null) {
    return null
  }
  if (accessMode === 'Unrestricted' && tenantId === null) {
    throw forbidden('A restricted token cannot make keys of an unrestricted account. Sign in to make one.')
  }
  const beyond = anyBeyondToken(app, maker, targetOf(app, account))
  if (beyond !== undefined) {
    throw forbidden(`This account holds ${beyond}, which your token does not hold. Sign in, or ask someone who does.`)
  }
  return maker
}
