import type { Transaction } from 'sequelize'
import type { Call } from '../call/call.ts'
import { badRequest, conflict } from '../ground/errors.ts'
import { rowOf } from '../engines/database/entity.ts'
import type { UserRow } from '../people/tables.ts'
import { askProofForUser } from '../assignments/recent-proof.ts'
import { checkMayActAs, checkMayBecome } from '../assignments/acting-as.ts'
import { keptOf } from '../ground/principal.ts'
import { findOfTenant } from '../organization/tenant-rows.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { keepingAdministrators } from '../assignments/last-administrator.ts'
import { notifyCaller, notifyUsers, type News } from '../people/notices.ts'
import { changedUser, userTarget } from '../people/users.ts'
import { renewCredentials } from '../identity/changed-credentials.ts'
import { labelAt } from '../providers/provider-visits.ts'
import { forgetFailures, noFailures } from '../identity/lockout.ts'
import { endSignInOf, endSignInsBut, signInsOf, type SignIn } from '../identity/sessions.ts'

/*
 * What administrators of a tenant do to the ways in of a person. All of it needs at least the management permissions of
 * the person (T27), checked again under the write lock.
 */

const findPerson = async ({ app }: Call, tenantId: string, userId: string, transaction?: Transaction) =>
  rowOf(await findOfTenant(app.models.User, 'user', tenantId, userId, transaction))

/**
 * Disables a person, which deletes nothing: sign-ins and connections end at once, access tokens and links are rejected
 * until the person is enabled. Throws 409 for the last administrator of the server or the tenant.
 */
export async function disablePerson(call: Call, tenantId: string, userId: string): Promise<void> {
  const { app, principal } = call
  if (principal.kind === 'User' && principal.id === userId) {
    throw badRequest('You cannot disable your own account. Ask another administrator.')
  }
  const user = await findPerson(call, tenantId, userId)
  if (user.accountType === 'Invited') {
    throw conflict('This person has not accepted the invitation yet. Withdraw the invitation instead.')
  }
  if (user.disabledAt !== null) {
    return
  }
  const disabledAt = app.clock.now()
  await app.database.write((transaction) =>
    keepingAdministrators(app, transaction, tenantId, async () => {
      checkMayActAs(app, principal, user)
      askProofForUser(call, userId)
      await renewCredentials(app, transaction, userId, { disabledAt })
      await recordChange(call, transaction, {
        actionType: 'user-disabled',
        ...changedUser(user),
        before: { userName: user.userName, isDisabled: false },
        after: { userName: user.userName, isDisabled: true },
      })
    }),
  )
  app.log.info({ actor: call.actor, userId, tenantId }, 'A user was disabled.')
}

/** Lets a disabled person sign in again. Access tokens that have not expired work again. */
export async function enablePerson(call: Call, tenantId: string, userId: string): Promise<void> {
  const { app, principal } = call
  await app.database.write(async (transaction) => {
    const user = await findPerson(call, tenantId, userId, transaction)
    if (user.disabledAt === null) {
      return
    }
    checkMayActAs(app, principal, user)
    askProofForUser(call, userId)
    await app.models.User.update({ disabledAt: null }, { where: { id: userId }, transaction })
    await recordChange(call, transaction, {
      actionType: 'user-enabled',
      ...changedUser(user),
      before: { userName: user.userName, isDisabled: true },
      after: { userName: user.userName, isDisabled: false },
    })
  })
}

/** Ends the lock of a person after wrong passwords or codes, of the account and of browsers known to it. */
export async function unlockPerson(call: Call, tenantId: string, userId: string): Promise<void> {
  const { app, principal, actor } = call
  const user = await findPerson(call, tenantId, userId)
  await app.database.write(async (transaction) => {
    checkMayActAs(app, principal, user)
    askProofForUser(call, userId)
    await app.models.User.update(noFailures, { where: { id: userId }, transaction })
    await forgetFailures(app, userId, transaction)
    await app.audit.recordIn(transaction, actor, [{ kind: 'people.user-unlocked', tenantId, target: userTarget(user) }])
  })
}

/** Sign-ins of a person. Throws 403 as acting for the person would. */
export async function listSignInsOfPerson(call: Call, tenantId: string, userId: string): Promise<SignIn[]> {
  const { app, principal } = call
  checkMayActAs(app, principal, await findPerson(call, tenantId, userId))
  return signInsOf(app, userId, keptOf(principal))
}

const endedEvent = (user: UserRow, count: number) =>
  ({ kind: 'people.sign-ins-ended', tenantId: user.tenantId, target: userTarget(user), details: { count } }) as const

export async function endSignInOfPerson(call: Call, tenantId: string, userId: string, id: string): Promise<void> {
  const user = await findPerson(call, tenantId, userId)
  await endSignInOf(call, userId, id, endedEvent(user, 1), () => checkMayActAs(call.app, call.principal, user))
}

/** Ends every sign-in of a person but the one that asks. Returns the number. */
export async function endSignInsOfPerson(call: Call, tenantId: string, userId: string): Promise<number> {
  const { app, principal, actor } = call
  const user = await findPerson(call, tenantId, userId)
  return app.database.write(async (transaction) => {
    checkMayActAs(app, principal, user)
    const count = await endSignInsBut(app, transaction, userId, keptOf(principal))
    await app.audit.recordIn(transaction, actor, [endedEvent(user, count)])
    return count
  })
}

/** Removes passkeys and linked accounts, and notifies the person of each. Returns the numbers. */
async function removeAll(call: Call, transaction: Transaction, userId: string) {
  const { app, principal } = call
  const tell = (news: News) =>
    principal.id === userId ? notifyCaller(call, transaction, news) : notifyUsers(call, transaction, [userId], news)
  const { Passkey, ExternalLogin } = app.models
  const of = { where: { userId }, transaction }
  const passkeys = await Passkey.findAll(of)
  const logins = await ExternalLogin.findAll(of)
  await Passkey.destroy(of)
  await ExternalLogin.destroy(of)
  for (const { name } of passkeys) {
    await tell({ kind: 'passkey-removed', subject: name })
  }
  for (const { name, provider } of logins) {
    const subject = `${name} (${labelAt(app, provider)})`
    await tell({ kind: 'provider-unlinked', subject })
  }
  return { passkeys: passkeys.length, linkedAccounts: logins.length }
}

/**
 * Removes the ways in that a new password leaves: passkeys and linked accounts. Ends every other credential of the person.
 * Throws 409 for a person without a password.
 */
export async function removeOtherWaysIn(
  call: Call,
  tenantId: string,
  userId: string,
): Promise<{ passkeys: number; linkedAccounts: number }> {
  const { app, principal } = call
  return app.database.write(async (transaction) => {
    const user = await findPerson(call, tenantId, userId, transaction)
    checkMayBecome(app, principal, user)
    if (user.passwordHash === null) {
      throw conflict('This person has no password, so nothing would be left to sign in with. Reset the password first.')
    }
    const removed = await removeAll(call, transaction, userId)
    await renewCredentials(app, transaction, userId, {}, principal.id === userId ? keptOf(principal) : {})
    await recordChange(call, transaction, {
      actionType: 'user-other-ways-in-removed',
      ...changedUser(user),
      after: removed,
    })
    return removed
  })
}
