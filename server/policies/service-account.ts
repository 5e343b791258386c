import { isPermissionName } from '../../shared/access.ts'
import type { App } from '../call.ts'
import type { Principal } from '../principal.ts'
import { forbidden } from '../errors.ts'
import type { ServiceAccountRow } from '../models/service-account.ts'
import { holds } from './rights.ts'
import { isRuling } from './user.ts'

/**
 * Throws 403 when `principal` could get an account with more rights than its own: whoever creates a key of an account
 * can do what that account can (T04).
 */
export function checkMayMakeKey(
  app: App,
  principal: Principal,
  { id, tenantId, accessMode }: Pick<ServiceAccountRow, 'id' | 'tenantId' | 'accessMode'>,
): void {
  const isItself = principal.kind === 'ServiceAccount' && principal.id === id
  if (isItself || holds(app, principal, 'server.permissions.write')) {
    return
  }
  if (tenantId === null && accessMode === 'Unrestricted') {
    throw forbidden('Keys of an unrestricted account may only be made with the permission server.permissions.write.')
  }
  const beyond = app.rules
    .of(id)
    .filter(({ isEnabled, effect }) => isEnabled && effect === 'Allow')
    .find(
      ({ permissionName, scopeId }) =>
        isPermissionName(permissionName) &&
        isRuling(permissionName) &&
        !holds(app, principal, permissionName, scopeId ?? undefined),
    )
  if (beyond) {
    throw forbidden(`This account holds ${beyond.permissionName}, which you do not: ask somebody who does.`)
  }
}
