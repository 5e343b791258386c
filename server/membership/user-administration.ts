import { Op, type Transaction } from 'sequelize'
import type { CreateUserRequestDto } from '../../shared/api/users.ts'
import type { PresetName } from '../../shared/access.ts'
import type { StartDto } from '../../shared/dtos/start.ts'
import { hashPassword } from '../identity/password-hash.ts'
import { newTemporaryPassword } from '../identity/temporary-password.ts'
import type { App, Call, OpenCall, RouteCall } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import { mapInSlices } from '../ground/clock.ts'
import { badRequest, conflict, forbidden, invalid } from '../ground/errors.ts'
import { givenName, joinChosenName } from '../people/account-mirror.ts'
import type { UserRow } from '../people/tables.ts'
import { askProofFor, askProofForUser } from '../assignments/recent-proof.ts'
import { checkMayActAs, checkMayBecome } from '../assignments/acting-as.ts'
import { sendConfirmation } from '../identity/account-mail.ts'
import { keepingAdministrators } from '../assignments/last-administrator.ts'
import { changeCredentials } from '../identity/changed-credentials.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { removeAssignmentsOf } from '../assignments/assignment-cleanup.ts'
import { writeAssignments } from '../assignments/assignment-writes.ts'
import { checkPresetAuthority, permissionsOf, seedPresets } from '../assignments/presets.ts'
import { findOfTenant } from '../organization/tenant-rows.ts'
import { notifyUsers } from '../people/notices.ts'
import { giveInitialRights } from './initial-rights.ts'
import { noSecondFactor, removeRecoveryCodes } from '../identity/second-factor.ts'
import { findUserOf, isAddressTaken, newUser, refuseDeadEnd, changedUser, userTarget } from '../people/users.ts'
import { noFailures } from '../identity/lockout.ts'

/** User as listed for administrators of the tenant. */
export interface ListedUser extends Pick<UserRow, 'id' | 'userName' | 'email' | 'createdAt'> {
  displayName: string | null
  /** Names of the permissions allowed by the user's direct assignments. */
  permissions: string[]
}

const allowedNames = ({ rules }: App, userId: string) => {
  const allows = rules.of(userId).filter(({ isEnabled, effect }) => isEnabled && effect === 'Allow')
  return [...new Set(allows.map(({ permissionName }) => permissionName))].toSorted()
}

export async function listUsers({ app }: OpenCall, tenantId: string): Promise<ListedUser[]> {
  const rows = await app.database.all<Omit<ListedUser, 'permissions'>>(
    `SELECT u.id, u.userName, u.email, u.createdAt, ${givenName} AS displayName
     FROM users AS u ${joinChosenName}
     WHERE u.tenantId = ? ORDER BY u.userName, u.id`,
    [tenantId],
  )
  return await mapInSlices(rows, (row) => ({ ...row, permissions: allowedNames(app, row.id) }))
}

/** Throws 400 where new users could never sign in, and for an unknown tenant; 409 for a tenant with too many people. */
export async function checkMayAddUser(call: OpenCall, tenantId: string, transaction: Transaction): Promise<void> {
  refuseDeadEnd(call)
  // Only a server service account can name an unknown tenant.
  if ((await call.app.models.Tenant.count({ where: { id: tenantId }, transaction })) === 0) {
    throw invalid({ tenantId: ['names no tenant of this server'] })
  }
  const where = { tenantId, accountType: { [Op.ne]: 'External' as const } }
  await checkRowLimit('people', call.app.models.User, where, transaction)
}

/** Creates a user with Self Service and the requested presets. */
export async function createUser(
  call: RouteCall,
  tenantId: string,
  { userName, email, password, presetNames }: CreateUserRequestDto,
  { start, isPasswordChangeRequired = false }: { start?: StartDto; isPasswordChangeRequired?: boolean } = {},
): Promise<ListedUser> {
  const { app } = call
  const madeWith = checkPresetAuthority(call, presetNames, tenantId)
  askProofFor(call, permissionsOf(presetNames))
  const user = newUser({
    tenantId,
    email: email ?? userName.toLowerCase(),
    passwordHash: password == null ? null : await hashPassword(password),
    isPasswordChangeRequired,
    createdAt: app.clock.now(),
  })
  const presets: PresetName[] = [...new Set<PresetName>(['Self Service', ...presetNames])]
  await writeAssignments(call, tenantId, async (write) => {
    const { transaction } = write
    // Checked again under the write lock: rights may have changed during the slow password hash.
    checkPresetAuthority(call, presetNames, tenantId)
    await checkMayAddUser(call, tenantId, transaction)
    if (
      (await isAddressTaken(app, user.email, transaction)) ||
      (await findUserOf(app, tenantId, user.email, transaction))
    ) {
      throw invalid({ [email == null ? 'userName' : 'email']: ['is already taken'] })
    }
    await app.models.User.create(user, { transaction })
    await seedPresets(call, transaction, { kind: 'User', id: user.id }, presets, tenantId, madeWith)
    if (start) {
      await giveInitialRights(write, user.id, start)
    }
    await app.audit.recordIn(transaction, call.actor, [
      { kind: 'people.user-created', tenantId, target: userTarget(user) },
    ])
  })
  if (app.config.appOptions.requireUserEmailConfirmation) {
    sendConfirmation(call, user)
  }
  app.log.info({ actor: call.actor, userId: user.id, tenantId }, 'A user was created.')
  return { ...user, displayName: null, permissions: allowedNames(app, user.id) }
}

/** Creates a person with roles and groups. Without a password, makes a temporary one that must be changed. */
export async function createPerson(
  call: RouteCall,
  tenantId: string,
  { email, password, start }: { email: string; password?: string | undefined; start: StartDto },
) {
  const temporaryPassword = password === undefined ? newTemporaryPassword() : null
  const body = { userName: email, email, password: password ?? temporaryPassword, presetNames: [] }
  const { id, userName } = await createUser(call, tenantId, body, {
    start,
    isPasswordChangeRequired: temporaryPassword !== null,
  })
  return { id, userName, temporaryPassword }
}

/** Deletes a user with its rights. Throws 403 when the user holds management permissions that the caller lacks. */
export async function deleteUser(call: Call, tenantId: string, userId: string): Promise<void> {
  const { app, principal } = call
  if (principal.kind === 'User' && principal.id === userId) {
    throw badRequest('You cannot delete your own account.')
  }
  await app.database.write(async (transaction) => {
    const user = await findOfTenant(app.models.User, 'user', tenantId, userId, transaction)
    checkMayActAs(app, principal, user)
    askProofForUser(call, userId)
    await keepingAdministrators(app, transaction, tenantId, async () => {
      await removeAssignmentsOf(call, transaction, [userId])
      await user.destroy({ transaction })
    })
    await recordChange(call, transaction, {
      actionType: 'user-deleted',
      ...changedUser(user),
      before: { userName: user.userName, email: user.email },
    })
  })
  app.log.info({ actor: call.actor, userId, tenantId }, 'A user was deleted.')
}

const refuseWithoutPassword = ({ accountType }: UserRow) => {
  if (accountType === 'Invited') {
    throw conflict('This user has not accepted the invite yet, and chooses a password by doing so.')
  }
  if (accountType === 'External') {
    throw badRequest('This user comes through logon tokens only, and has no password.')
  }
}

/** Sets a temporary password that the user has to change, and ends every credential of the user. */
export async function resetPassword(
  call: Call,
  tenantId: string,
  userId: string,
): Promise<{ temporaryPassword: string }> {
  const { app, principal } = call
  const user = await findOfTenant(app.models.User, 'user', tenantId, userId)
  checkMayBecome(app, principal, user)
  if (principal.id === userId && principal.credential.kind === 'PersonalAccessToken') {
    throw forbidden('A token cannot reset the password of its owner: that would make it more than a token.')
  }
  refuseWithoutPassword(user)
  const temporaryPassword = newTemporaryPassword()
  const passwordHash = await hashPassword(temporaryPassword)
  await changeCredentials(
    app,
    userId,
    { ...noFailures, passwordHash, isPasswordChangeRequired: true },
    {
      together: async (transaction) => {
        // Checked again under the write lock: rights may have changed during the slow password hash.
        checkMayBecome(app, principal, user)
        await notifyUsers(call, transaction, [userId], { kind: 'password-reset', subject: null })
        await recordChange(call, transaction, { actionType: 'user-password-reset', ...changedUser(user) })
      },
    },
  )
  app.log.info({ actor: call.actor, userId, tenantId }, 'A password was reset.')
  return { temporaryPassword }
}

/** Turns off the two-factor authentication of a user who lost the factor, and ends every credential of the user. */
export async function disableTwoFactorOf(call: Call, tenantId: string, userId: string): Promise<void> {
  const { app, principal } = call
  const user = await findOfTenant(app.models.User, 'user', tenantId, userId)
  if (principal.kind === 'User' && principal.id === userId) {
    throw badRequest('Turn off your own two-factor authentication in your account.')
  }
  await changeCredentials(app, userId, noSecondFactor, {
    together: async (transaction) => {
      checkMayBecome(app, principal, user)
      await removeRecoveryCodes(app, transaction, userId)
      await notifyUsers(call, transaction, [userId], { kind: 'two-factor-disabled', subject: null })
      await recordChange(call, transaction, { actionType: 'user-two-factor-disabled', ...changedUser(user) })
    },
  })
  app.log.info({ actor: call.actor, userId, tenantId }, 'Two-factor authentication was turned off for a user.')
}
