import type { Transaction } from 'sequelize'
import { z } from 'zod'
import { presets, type PresetName } from '../../shared/access.ts'
import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import { actorAtComputer } from '../ground/actor.ts'
import { hashPassword } from './password-hash.ts'
import { newTemporaryPassword } from './temporary-password.ts'
import { commandCall, type App } from '../call/call.ts'
import { AppError, conflict } from '../ground/errors.ts'
import type { UserRow } from '../people/tables.ts'
import { removeAssignmentsOf } from '../assignments/assignment-cleanup.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { serverAdministrators } from '../assignments/last-administrator.ts'
import { notifyUsers } from '../people/notices.ts'
import { seedPresets } from '../assignments/presets.ts'
import { changedUser } from '../people/users.ts'
import { changeCredentials } from './changed-credentials.ts'
import { noSecondFactor, removeRecoveryCodes } from './second-factor.ts'
import { findByEmail } from './sign-in.ts'
import { noFailures } from './lockout.ts'

/*
 * Commands for whoever may read the data folder: the way back in when no administrator can help. Each is logged, and
 * all administrators are notified.
 */

const email = z.string().trim().toLowerCase().max(256)

export const RescueRequest = z.discriminatedUnion('command', [
  z.object({ command: z.literal('list') }),
  z.object({ command: z.enum(['reset-password', 'disable-two-factor', 'make-administrator']), email }),
])
export type RescueRequest = z.output<typeof RescueRequest>
export type RescueCommand = Exclude<RescueRequest['command'], 'list'>

const Account = z.object({
  email: z.string(),
  organization: z.string(),
  isAdministrator: z.boolean(),
  hasTwoFactor: z.boolean(),
  isInvited: z.boolean(),
  lockedUntil: z.number().nullable(),
  lastLogin: z.number().nullable(),
})
export type RescueAccount = z.output<typeof Account>

export const RescueAnswer = z.union([
  z.object({ accounts: z.array(Account) }),
  z.object({ email: z.string(), temporaryPassword: z.string().optional() }),
  z.object({ problem: z.string() }),
])
export type RescueAnswer = z.output<typeof RescueAnswer>

const noticeKinds = {
  'reset-password': 'password-reset-by-command',
  'disable-two-factor': 'two-factor-disabled-by-command',
  'make-administrator': 'administrator-made-by-command',
} as const satisfies Record<RescueCommand, NoticeKind>

async function listAccounts(app: App): Promise<RescueAccount[]> {
  return app.database.write(async (transaction) => {
    const administrators = new Set(await serverAdministrators(app, transaction))
    const tenants = await app.models.Tenant.findAll({ transaction })
    const names = new Map(tenants.map(({ id, name }) => [id, name]))
    const users = await app.models.User.findAll({ order: ['createdAt', 'id'], transaction })
    return users
      .filter(({ accountType }) => accountType !== 'External')
      .map((user) => ({
        email: user.email,
        organization: names.get(user.tenantId) ?? '',
        isAdministrator: administrators.has(user.id),
        hasTwoFactor: user.isTwoFactorEnabled,
        isInvited: user.accountType === 'Invited',
        lockedUntil: user.lockedUntil,
        lastLogin: user.lastLogin,
      }))
  })
}

/** Notifies the user and every administrator, in the transaction of the command. */
async function notify(app: App, transaction: Transaction, user: UserRow, command: RescueCommand) {
  const principals = await serverAdministrators(app, transaction)
  const people = await app.models.User.findAll({ where: { id: [...principals, user.id] }, transaction })
  const by = { app, principal: { id: null, name: actorAtComputer.source.name ?? '' } }
  const news = { kind: noticeKinds[command], subject: user.email }
  await notifyUsers(
    by,
    transaction,
    people.map(({ id }) => id),
    news,
  )
}

/**
 * Sets a temporary password that must be changed, clears a lock, enables a disabled user, and ends every credential of
 * the user.
 */
async function resetPassword(app: App, user: UserRow): Promise<string> {
  const temporaryPassword = newTemporaryPassword()
  const passwordHash = await hashPassword(temporaryPassword)
  // Without mail, nobody else can confirm the address.
  const confirmed = app.config.appOptions.requireUserEmailConfirmation && { isEmailConfirmed: true }
  const changes = { ...noFailures, ...confirmed, passwordHash, isPasswordChangeRequired: true, disabledAt: null }
  await changeCredentials(app, user.id, changes, {
    together: async (transaction) => {
      await recordChange(commandCall(app), transaction, { actionType: 'user-password-reset', ...changedUser(user) })
      await notify(app, transaction, user, 'reset-password')
    },
  })
  return temporaryPassword
}

/** Turns two-factor authentication off, with its key and recovery codes, and ends every credential of the user. */
async function disableTwoFactor(app: App, user: UserRow): Promise<void> {
  if (!user.isTwoFactorEnabled) {
    throw conflict(`${user.email} does not use two-factor authentication.`)
  }
  await changeCredentials(
    app,
    user.id,
    { ...noFailures, ...noSecondFactor },
    {
      together: async (transaction) => {
        await removeRecoveryCodes(app, transaction, user.id)
        await recordChange(commandCall(app), transaction, {
          actionType: 'user-two-factor-disabled',
          ...changedUser(user),
        })
        await notify(app, transaction, user, 'disable-two-factor')
      },
    },
  )
}

/**
 * Gives the user the rights of a first account, and enables a disabled user. Removes earlier rights, because a denial
 * among them would win.
 */
async function makeAdministrator(app: App, user: UserRow): Promise<void> {
  const call = commandCall(app)
  await app.database.write(async (transaction) => {
    await removeAssignmentsOf(call, transaction, [user.id])
    await app.models.User.update({ disabledAt: null }, { where: { id: user.id }, transaction })
    const everything = Object.keys(presets) as PresetName[]
    await seedPresets(call, transaction, { kind: 'User', id: user.id }, everything, user.tenantId)
    if (!(await serverAdministrators(app, transaction)).includes(user.id)) {
      throw conflict(`A group denies ${user.email} this right. Choose another account.`)
    }
    await notify(app, transaction, user, 'make-administrator')
  })
}

async function carryOut(app: App, request: RescueRequest): Promise<RescueAnswer> {
  if (request.command === 'list') {
    return { accounts: await listAccounts(app) }
  }
  const user = await findByEmail(app, request.email)
  if (!user) {
    throw conflict(`Nobody signs in with ${request.email}. "account list" shows every account.`)
  }
  if (user.accountType === 'Invited') {
    throw conflict(`${user.email} has not accepted the invitation yet: make a new one.`)
  }
  const answer: RescueAnswer = { email: user.email }
  if (request.command === 'reset-password') {
    answer.temporaryPassword = await resetPassword(app, user)
  } else if (request.command === 'disable-two-factor') {
    await disableTwoFactor(app, user)
  } else {
    await makeAdministrator(app, user)
  }
  app.log.warn(
    { actor: actorAtComputer, userId: user.id, command: request.command },
    'An account was changed by a command at this computer.',
  )
  return answer
}

/** Carries out a command of somebody who may read the data folder. */
export async function rescue(app: App, message: unknown): Promise<RescueAnswer> {
  const request = RescueRequest.safeParse(message)
  if (!request.success) {
    return { problem: 'This server does not know the command. Use the program of the same version.' }
  }
  try {
    return await carryOut(app, request.data)
  } catch (error) {
    if (error instanceof AppError) {
      return { problem: error.message }
    }
    throw error
  }
}
