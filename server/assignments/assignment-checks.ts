import type { Transaction } from 'sequelize'
import { isPermissionName, permissions, type PermissionName } from '../../shared/access.ts'
import type { UpdatePermissionAssignmentRequestDto } from '../../shared/api/permission-assignments.ts'
import type { App } from '../call/call.ts'
import type { Principal } from '../ground/principal.ts'
import { AppError, forbidden, invalid } from '../ground/errors.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'
import { allowedAt, evaluator, type Holder } from '../rights/evaluate.ts'
import { checkTokenHolds, restrictingTokenOf, type Use } from '../rights/restricting-token.ts'
import { rightOf, rulesOfUser, tokensAllow } from '../rights/rights.ts'
import { findResources, type Receiver } from './assignment-targets.ts'

/** Content of an assignment, without its receiver. */
export type Content = Pick<
  PermissionAssignmentRow,
  'owningTenantId' | 'permissionName' | 'effect' | 'scopeKind' | 'scopeId' | 'notes' | 'isEnabled' | 'madeWith'
>

/** Unique key of an assignment among the rows of one receiver. */
export const keyOf = ({ permissionName, effect, scopeKind, scopeId }: Content) =>
  [permissionName, effect, scopeKind, scopeId ?? ''].join(' ')

/** Validation errors by member. */
type Fault = Record<string, string[]>

/** Returns why a scope does not fit a permission or a receiver, or undefined when the scope fits. */
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

/** Returns the scope id to store, or the error in the id that was sent. */
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

function readContent(
  wanted: UpdatePermissionAssignmentRequestDto,
  tenantId: string,
  receiver: Receiver,
): { content: Content } | { fault: Fault } {
  const { permissionName } = wanted
  if (!isPermissionName(permissionName)) {
    return { fault: { permissionName: ['is not a permission'] } }
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
      madeWith: null,
    },
  }
}

type RowFacts = Pick<Content, 'scopeKind' | 'effect' | 'permissionName'>

/** Permissions needed to write or remove a row, besides the permission of the route. */
function neededFor(tenantId: string, holder: Holder, { scopeKind, effect, permissionName }: RowFacts): Use[] {
  const needsServer = scopeKind === 'Server' || holder === 'ServerServiceAccount'
  // A principal that could grant itself the permission to deny would not need that permission.
  const needsDeny = effect === 'Deny' || permissionName === 'tenant.permissions.deny'
  return [
    ...(needsServer ? [{ permission: 'server.permissions.write', on: { kind: 'Server' } } as const] : []),
    ...(needsDeny ? [{ permission: 'tenant.permissions.deny', on: { kind: 'Tenant', tenantId } } as const] : []),
  ]
}

/** Returns the first permission that a principal lacks to write or remove a row, or undefined when none is missing. */
export const lackingFor = (
  app: App,
  principal: Principal,
  tenantId: string,
  holder: Holder,
  row: RowFacts,
): PermissionName | undefined =>
  neededFor(tenantId, holder, row).find(({ permission, on }) => !rightOf(app, principal, permission)(on))?.permission

interface Place {
  app: App
  transaction: Transaction
  tenantId: string
}

interface Check extends Place {
  principal: Principal
}

/** Returns the restricted token that limits rows which a principal writes or removes, or null without such a token. */
export const makerOfRows = (
  { app, principal, tenantId }: Pick<Check, 'app' | 'principal' | 'tenantId'>,
  holder: Holder,
  rows: readonly RowFacts[],
  permission: 'tenant.permissions.write' | 'server.permissions.write' = 'tenant.permissions.write',
): string | null =>
  restrictingTokenOf(app, principal, [
    { permission, on: permission === 'server.permissions.write' ? { kind: 'Server' } : { kind: 'Tenant', tenantId } },
    ...rows.flatMap((row) => neededFor(tenantId, holder, row)),
  ])

/**
 * Throws 403 where a restricted token would remove a denial of a permission that the token lacks: removing a denial
 * grants the permission.
 */
export async function checkTokenMayLift(
  { app, tenantId, transaction, maker }: Place & { maker: string | null },
  rows: readonly Content[],
): Promise<void> {
  const denials = maker === null ? [] : rows.filter(({ effect }) => effect === 'Deny')
  const resourceAt = await findResources(app, tenantId, denials, transaction)
  checkTokenHolds(
    app,
    maker,
    denials.flatMap((row) => {
      const on = resourceAt(row)
      return on ? [{ permission: row.permissionName, on }] : []
    }),
  )
}

function checkAuthority({ app, principal, tenantId }: Check, holder: Holder, rows: readonly Content[]): void {
  for (const row of rows) {
    const lacking = lackingFor(app, principal, tenantId, holder, row)
    if (lacking) {
      throw forbidden(`You need the permission ${lacking} to change this assignment of ${row.permissionName}.`)
    }
  }
}

/** Throws 403 when the principal may not remove these rows from a receiver. */
export async function checkTaking(check: Check, holder: Holder, rows: readonly Content[]): Promise<void> {
  checkAuthority(check, holder, rows)
  await checkTokenMayLift({ ...check, maker: makerOfRows(check, holder, rows) }, rows)
}

export async function mayTake(check: Check, holder: Holder, row: Content): Promise<boolean> {
  try {
    await checkTaking(check, holder, [row])
    return true
  } catch (error) {
    if (error instanceof AppError && error.status === 403) {
      return false
    }
    throw error
  }
}

/**
 * Validates the requested rows and returns the rows to store. Throws 400 for impossible permissions and for scopes
 * outside of the tenant, 403 for permissions that this principal may not grant. `fieldOf` returns the path of a row's
 * member in the request.
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
  const ownerHolds = ({ permission, on }: Use) =>
    ownerId === null ||
    evaluator(rulesOfUser(app, ownerId, permission), permission, 'User', tokensAllow(app, permission))(on)
  const maker = makerOfRows(check, receiver.holder, contents)
  contents.forEach((content, index) => {
    const resource = resourceAt(content)
    if (!resource) {
      throw reject(index, { scopeId: [`names no ${content.scopeKind} of this tenant`] })
    }
    const given = { permission: content.permissionName, on: resource }
    if (content.effect === 'Allow' && !ownerHolds(given)) {
      throw forbidden(`The owner of the token does not hold ${content.permissionName} there.`)
    }
    checkTokenHolds(app, maker, content.effect === 'Allow' ? [given] : [])
  })
  // A denial survives the deletion of its token, because a denial grants nothing.
  return contents.map((content) => ({ ...content, madeWith: content.effect === 'Allow' ? maker : null }))
}
