import type { Transaction } from 'sequelize'
import { isPermissionName, permissions, type PermissionName } from '../../../shared/access.ts'
import type { UpdatePermissionAssignmentRequestDto } from '../../../shared/api/permission-assignments.ts'
import type { App } from '../../call.ts'
import type { Principal } from '../../principal.ts'
import { forbidden, invalid } from '../../errors.ts'
import type { PermissionAssignmentRow } from '../../models/permission-assignment.ts'
import { allowedAt, evaluator, type Holder } from '../../policies/evaluate.ts'
import { holds, rulesOfUser } from '../../policies/rights.ts'
import { findResources, type Receiver } from './assignment-targets.ts'

/** What an assignment says, apart from whom it is given to. */
export type Content = Pick<
  PermissionAssignmentRow,
  'owningTenantId' | 'permissionName' | 'effect' | 'scopeKind' | 'scopeId' | 'notes' | 'isEnabled'
>

/** Each row of a receiver has to say something else. */
export const keyOf = ({ permissionName, effect, scopeKind, scopeId }: Content) =>
  [permissionName, effect, scopeKind, scopeId ?? ''].join(' ')

/** What is wrong, by member. */
type Fault = Record<string, string[]>

/** Why a scope does not fit a permission or a receiver; undefined when it does. */
function faultOfScope(
  permission: PermissionName,
  wanted: UpdatePermissionAssignmentRequestDto,
  receiver: Receiver,
): Fault | undefined {
  const { effect, scopeKind, scopeId } = wanted
  const legal = permissions.get(permission)!
  if (!legal.includes(scopeKind as (typeof legal)[number])) {
    return { scopeKind: [`must be ${legal.join(' or ')} for ${permission}`] }
  }
  if (effect === 'Allow' && !allowedAt(permission, receiver.holder).includes(scopeKind as (typeof legal)[number])) {
    return { scopeKind: [`${scopeKind} is not possible for ${permission} and this kind of principal`] }
  }
  if (receiver.deviceId !== null && (scopeKind !== 'Device' || scopeId !== receiver.deviceId)) {
    return { scopeId: ['must be the device of the logon token'] }
  }
  return undefined
}

/** The id that a row gets for its scope, or what is wrong with the one that was sent. */
function readScopeId({ scopeKind, scopeId }: UpdatePermissionAssignmentRequestDto, tenantId: string) {
  switch (scopeKind) {
    case 'Server':
      return scopeId == null ? { id: null } : { fault: 'must be null for Server' }
    case 'Tenant':
      return scopeId == null || scopeId === tenantId
        ? { id: tenantId }
        : { fault: 'must be the tenant of the request, or null, for Tenant' }
    default:
      return scopeId == null ? { fault: `is required for ${scopeKind}` } : { id: scopeId }
  }
}

/** Checks the shape of one wanted row. */
function readContent(
  wanted: UpdatePermissionAssignmentRequestDto,
  tenantId: string,
  receiver: Receiver,
): { content: Content } | { fault: Fault } {
  const { permissionName } = wanted
  if (!isPermissionName(permissionName)) {
    return { fault: { permissionName: ['is no permission'] } }
  }
  const faultOfKind = faultOfScope(permissionName, wanted, receiver)
  if (faultOfKind) {
    return { fault: faultOfKind }
  }
  const { id, fault } = readScopeId(wanted, tenantId)
  if (fault !== undefined) {
    return { fault: { scopeId: [fault] } }
  }
  const scopeKind = wanted.scopeKind as PermissionAssignmentRow['scopeKind']
  return {
    content: {
      owningTenantId: scopeKind === 'Server' ? null : tenantId,
      permissionName,
      effect: wanted.effect,
      scopeKind,
      scopeId: id,
      notes: wanted.notes || null,
      isEnabled: wanted.isEnabled,
    },
  }
}

/** The permission that a principal lacks to write or remove a row; undefined when it may. */
export function lackingFor(
  app: App,
  principal: Principal,
  tenantId: string,
  holder: Holder,
  { scopeKind, effect, permissionName }: Content,
): PermissionName | undefined {
  const needsServer = scopeKind === 'Server' || holder === 'ServerServiceAccount'
  if (needsServer && !holds(app, principal, 'server.permissions.write')) {
    return 'server.permissions.write'
  }
  // Who could give itself the right to deny would need none.
  const needsDeny = effect === 'Deny' || permissionName === 'tenant.permissions.deny'
  if (needsDeny && !holds(app, principal, 'tenant.permissions.deny', tenantId)) {
    return 'tenant.permissions.deny'
  }
  return undefined
}

interface Check {
  app: App
  transaction: Transaction
  principal: Principal
  tenantId: string
}

/** Throws 403 when the principal may not write or remove these rows of a receiver. */
export function checkAuthority({ app, principal, tenantId }: Check, holder: Holder, rows: readonly Content[]): void {
  for (const row of rows) {
    const lacking = lackingFor(app, principal, tenantId, holder, row)
    if (lacking) {
      throw forbidden(`You need the permission ${lacking} to change this assignment of ${row.permissionName}.`)
    }
  }
}

/**
 * Turns wanted rows into what is stored. Throws 400 for what nobody may give and for scopes outside of the tenant, 403
 * for what this principal may not give. `fieldOf` says where in the request the member of a row stands.
 */
export async function readContents(
  check: Check,
  receiver: Receiver,
  wanted: readonly UpdatePermissionAssignmentRequestDto[],
  fieldOf: (index: number, member: string) => string,
): Promise<Content[]> {
  const { app, tenantId, transaction } = check
  const reject = (index: number, fault: Fault) =>
    invalid(Object.fromEntries(Object.entries(fault).map(([member, texts]) => [fieldOf(index, member), texts])))

  const contents = wanted.map((row, index) => {
    const read = readContent(row, tenantId, receiver)
    if ('fault' in read) {
      throw reject(index, read.fault)
    }
    return read.content
  })
  checkAuthority(check, receiver.holder, contents)

  const resourceAt = await findResources(app, tenantId, contents, transaction)
  const { ownerId } = receiver
  contents.forEach((content, index) => {
    const resource = resourceAt(content)
    if (!resource) {
      throw reject(index, { scopeId: [`names no ${content.scopeKind} of this tenant`] })
    }
    const { effect, permissionName } = content
    if (ownerId !== null && effect === 'Allow' && !evaluator(rulesOfUser(app, ownerId), permissionName)(resource)) {
      throw forbidden(`The owner of the token does not hold ${permissionName} there.`)
    }
  })
  return contents
}
