import { isPermissionName, type PermissionName } from '../../shared/access.ts'
import type { App, Principal } from '../context.ts'
import { evaluator, type Resource, type Rule } from './evaluate.ts'

export type Right = (resource: Resource) => boolean

const never: Right = () => false
const always: Right = () => true

/** Rows on the user and on every group that it is in. */
export const rulesOfUser = ({ rules }: App, userId: string): readonly Rule[] => [
  ...rules.of(userId),
  ...rules.groupsOf(userId).flatMap((groupId) => rules.of(groupId)),
]

/** Nobody but a server service account reaches beyond its tenant, whatever its rows say. */
const within =
  (tenantId: string | null, right: Right): Right =>
  (resource) =>
    (tenantId === null || resource.kind === 'Server' || resource.tenantId === tenantId) && right(resource)

/**
 * Compiles "may this principal use `permission` on …?" Nothing else decides. Rules: the contract's `permissions.md`
 * sections 2 and 3.
 */
export function rightOf(app: App, principal: Principal, permission: PermissionName): Right {
  if (!isPermissionName(permission)) {
    return never
  }
  const { kind, id, tenantId, isUnrestricted, credential } = principal
  if (isUnrestricted) {
    return always
  }
  if (kind === 'ServiceAccount') {
    return within(tenantId, evaluator(app.rules.of(id), permission))
  }
  if (credential.kind === 'LogonToken') {
    const own = evaluator(
      app.rules.of(credential.id).filter(({ scopeKind }) => scopeKind === 'Device'),
      permission,
    )
    return within(
      tenantId,
      (resource) => resource.kind === 'Device' && resource.id === credential.deviceId && own(resource),
    )
  }
  const ofOwner = within(tenantId, evaluator(rulesOfUser(app, id), permission))
  if (credential.kind === 'PersonalAccessToken' && credential.mode === 'Restricted') {
    const own = evaluator(app.rules.of(credential.id), permission)
    return (resource) => own(resource) && ofOwner(resource)
  }
  return ofOwner
}

/** Whether a principal holds a permission on a tenant, or on the server when no tenant is named. */
export const holds = (app: App, principal: Principal, permission: PermissionName, tenantId?: string): boolean =>
  rightOf(app, principal, permission)(tenantId === undefined ? { kind: 'Server' } : { kind: 'Tenant', tenantId })
