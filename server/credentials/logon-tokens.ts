import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import { minuteMs } from '../../shared/durations.ts'
import type { DevicePermission } from '../../shared/access.ts'
import type { LogonTokenOptions } from '../../shared/dtos/logon-token.ts'
import { formatKey } from './key-format.ts'
import { hashSecret, newSecret } from '../engines/secrets/hashes.ts'
import type { Call, OpenCall } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import type { NamedUser } from '../ground/principal.ts'
import { badRequest, forbidden, found, invalid } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { LogonTokenRow } from './tables.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'
import { deviceResource, deviceRight } from '../fleet/rights.ts'
import { checkTokenHolds, restrictingTokenOf } from '../rights/restricting-token.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { takeExternalUser } from './external-users.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'

/** Permissions needed to see a device; the default of a token. */
const viewing: readonly DevicePermission[] = ['device.read', 'device.overview.read']

export interface NewLogonToken {
  id: string
  /** Plain text of the token, never returned again. */
  token: string
  deviceId: string
  expiresAt: number
}

/** Permissions of a token, limited to the principal's own permissions on the device (T04). */
function grantsOf({ app, principal }: Call, device: DeviceState, asked: LogonTokenOptions['permissions']) {
  const mayGive = (permission: DevicePermission) => deviceRight(app, principal, permission)(device)
  if (asked == null) {
    return viewing.filter(mayGive)
  }
  const missing = asked.filter((permission) => !mayGive(permission))
  if (missing.length > 0) {
    throw invalid({ permissions: missing.map((permission) => `may not include ${permission}: you do not hold it`) })
  }
  return [...new Set(asked)]
}

const assignmentsOf = (token: LogonTokenRow, grants: readonly DevicePermission[]) =>
  grants.map((permissionName): PermissionAssignmentRow => ({
    id: randomUUID(),
    owningTenantId: token.tenantId,
    principalKind: 'LogonToken',
    principalId: token.id,
    permissionName,
    effect: 'Allow',
    scopeKind: 'Device',
    scopeId: token.deviceId,
    notes: null,
    isEnabled: true,
    createdAt: token.createdAt,
    madeWith: null,
  }))

interface Request {
  tenantId: string
  device: DeviceState
  options: LogonTokenOptions
  /** Thing that a link shares, which then carries no permission. */
  sharing?: {
    /** The maker must hold it; a restricted token, too. */
    permission: DevicePermission
    /** Stores what is shared, in the transaction of the link. */
    store(transaction: Transaction, linkId: string): Promise<unknown>
  }
}

/** Creates a token for the user that `findUser` finds or creates, in one transaction. */
async function createLogonToken(
  call: Call,
  { tenantId, device, options, sharing }: Request,
  findUser: (transaction: Transaction) => Promise<NamedUser>,
): Promise<NewLogonToken> {
  const { app, principal } = call
  const { id: deviceId } = device
  if (principal.credential.kind === 'LogonToken') {
    // Otherwise a chain of links would outlive every session behind it.
    throw forbidden('A session that came from a logon token cannot make logon tokens.')
  }
  const grants = sharing ? [] : grantsOf(call, device, options.permissions)
  const on = deviceResource(device)
  const given = sharing ? grantsOf(call, device, [sharing.permission]) : grants
  const uses = ['device.logon-token.create' as const, ...given].map((permission) => ({ permission, on }))
  const madeWith = restrictingTokenOf(app, principal, uses)
  checkTokenHolds(app, madeWith, uses.slice(1))
  const secret = newSecret()
  const now = app.clock.now()
  const sessionIds = options.allowedDesktopSessionIds
  const token = await app.database.write(async (transaction) => {
    // The device may have been deleted since its lookup.
    if ((await app.models.Device.count({ where: { id: deviceId, tenantId }, transaction })) === 0) {
      throw badRequest('This device does not belong to the tenant.')
    }
    const { id: userId, userName, guestName } = await findUser(transaction)
    const row: LogonTokenRow = {
      id: randomUUID(),
      tenantId,
      userId,
      deviceId,
      secretHash: hashSecret(secret),
      sessionCorrelationId: options.sessionCorrelationId ?? null,
      allowedDesktopSessionIds: sessionIds == null ? null : JSON.stringify(sessionIds),
      createdAt: now,
      expiresAt: now + options.expirationMinutes * minuteMs,
      consumedAt: null,
      makerKind: principal.kind,
      makerId: principal.id,
      madeWith,
    }
    const valid = { tenantId, expiresAt: { [Op.gt]: now } }
    await checkRowLimit('links', app.models.LogonToken, valid, transaction, { own: { makerId: principal.id } })
    await app.models.LogonToken.create(row, { transaction })
    await app.models.PermissionAssignment.bulkCreate(assignmentsOf(row, grants), { transaction })
    await sharing?.store(transaction, row.id)
    const { secretHash: _, ...visible } = row
    await recordChange(call, transaction, {
      actionType: 'credential-scope-set',
      targetType: 'LogonToken',
      targetId: row.id,
      tenantId,
      // In whose name the link acts, for the audit log (T45).
      after: { ...visible, name: guestName ?? userName, permissions: grants },
    })
    return row
  })
  app.log.info(
    { actor: call.actor, logonTokenId: token.id, userId: token.userId, deviceId },
    'A logon token was created.',
  )
  return { id: token.id, token: formatKey({ id: token.id, secret }), deviceId, expiresAt: token.expiresAt }
}

/** Creates a token in the name of a user of the tenant. The token does not carry the user's rights. */
export const createUserLogonToken = (call: Call, request: Request & { userId: string }): Promise<NewLogonToken> =>
  createLogonToken(call, request, async (transaction) => {
    const { userId: id, tenantId } = request
    const user = await call.app.models.User.findOne({ where: { id, tenantId }, transaction })
    return found(user, 'user').get({ plain: true })
  })

interface ExternalUser {
  userCorrelationId: string
  userDisplayName?: string | null | undefined
}

/** Creates a token for a person known to another system only. */
export const createExternalLogonToken = (call: Call, request: Request & ExternalUser): Promise<NewLogonToken> =>
  createLogonToken(call, request, (transaction) =>
    takeExternalUser(call.app, transaction, {
      tenantId: request.tenantId,
      makerId: call.principal.id,
      correlationId: request.userCorrelationId,
      displayName: request.userDisplayName,
    }),
  )

export function createOwnLogonToken(call: Call, request: Request): Promise<NewLogonToken> {
  const { kind, id: userId } = call.principal
  if (kind !== 'User') {
    throw badRequest('Service accounts use /api/v1/logon-tokens/external.')
  }
  return createUserLogonToken(call, { ...request, userId })
}

/**
 * Deletes expired logon tokens, and assignments of deleted tokens: the database cascades from devices and users to
 * tokens, but not to assignments. Expired rights are not recorded in the log of changes.
 */
export async function removeExpiredLogonTokens({ app }: OpenCall): Promise<void> {
  const now = app.clock.now()
  await deleteWhere(app, 'logon_tokens', 'expiresAt <= ?', now)
  const ofNoToken = `principalKind = 'LogonToken' AND principalId NOT IN (SELECT id FROM logon_tokens)`
  await deleteWhere(app, 'permission_assignments', ofNoToken)
}
