import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { presets, type PresetName } from '../../shared/access.ts'
import { hashPassword } from './password-hash.ts'
import { actorOfUser } from '../ground/actor.ts'
import { systemCall, type App, type OpenCall, type RequestContext, type VisitorCall } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import { AppError, invalid } from '../ground/errors.ts'
import type { UserRow } from '../people/tables.ts'
import { seedPresets } from '../assignments/presets.ts'
import { sendConfirmation } from './account-mail.ts'
import { startSession } from './sign-in.ts'
import { isAddressTaken, newUser, refuseDeadEnd, userTarget } from '../people/users.ts'

/** Whether this server has never had a user; deleted users count (T01). */
export const isUntouched = async ({ models }: Pick<App, 'models'>, transaction?: Transaction) =>
  (await models.ServerState.count({ where: { hasHadUsers: true }, transaction })) === 0

/** Whether the first visitor may register. */
export const needsFirstAccount = async ({ app }: Pick<OpenCall, 'app'>, transaction?: Transaction): Promise<boolean> =>
  !app.config.appOptions.disableFirstUserSelfRegistration && (await isUntouched(app, transaction))

/** Whether a visitor may register: always, or until the first user exists. */
export const isRegistrationOpen = async (call: OpenCall): Promise<boolean> =>
  call.app.config.appOptions.enablePublicRegistration || (await needsFirstAccount(call))

/** Presets of a new user: all for the server's owner, all but Server Administrator for others. */
const presetsFor = (isOwner: boolean) =>
  (Object.keys(presets) as PresetName[]).filter((name) => isOwner || name !== 'Server Administrator')

interface Registration {
  email: string
  /** Left out by users who sign in through a provider. */
  password?: string
  organizationName?: string | undefined
  setupCode?: string | undefined
}

/** Call of a registration, with the request facts that matter. */
type RegistrationCall = OpenCall & Pick<RequestContext, 'isLocal'>

const closed = () => new AppError(404, 'Registration is closed. Ask an administrator for an account.')

/** Throws 404 while registration is closed, and 400 where new users could never sign in. */
export async function requireOpenRegistration(call: OpenCall): Promise<void> {
  if (!(await isRegistrationOpen(call))) {
    throw closed()
  }
  refuseDeadEnd(call)
}

/**
 * Creates a user with its own tenant. Returns undefined for a taken address. Throws 404 when registration is closed.
 * `together` writes what belongs to the user in the same transaction.
 */
export async function registerUser(
  call: RegistrationCall,
  { email, password, organizationName, setupCode }: Registration,
  together?: (userId: string, transaction: Transaction) => Promise<unknown>,
): Promise<UserRow | undefined> {
  const { app } = call
  await requireOpenRegistration(call)
  call.app.setup.check(call, setupCode)
  const now = app.clock.now()
  const passwordHash = password === undefined ? null : await hashPassword(password)
  const { models } = app
  const user = await app.database.write(async (transaction) => {
    // Checked again inside the write: of two concurrent first registrations only the first may win.
    const isOwner = await needsFirstAccount(call, transaction)
    if (!isOwner && !app.config.appOptions.enablePublicRegistration) {
      throw closed()
    }
    if (await isAddressTaken(app, email, transaction)) {
      return undefined
    }
    const advice = 'Ask an administrator for an account.'
    await checkRowLimit('organizations of a server', models.Tenant, {}, transaction, { advice })
    const tenant = { id: randomUUID(), name: organizationName ?? email, createdAt: now }
    const started = { tenantId: tenant.id, createdAt: now, lastLogin: now, isUnproven: !isOwner }
    const row = newUser({ ...started, email, passwordHash })
    await models.Tenant.create(tenant, { transaction })
    await models.User.create(row, { transaction })
    await seedPresets(systemCall(app), transaction, { kind: 'User', id: row.id }, presetsFor(isOwner), tenant.id)
    await together?.(row.id, transaction)
    const event = { kind: 'account.registered', target: userTarget(row) } as const
    await app.audit.recordIn(transaction, actorOfUser(call.actor, row), [event])
    return row
  })
  if (user) {
    const actor = actorOfUser(call.actor, user)
    app.log.info({ actor, userId: user.id, tenantId: user.tenantId }, 'A person registered.')
  }
  return user
}

/** Signs a new user in, unless the address has to be confirmed first. Throws 400 without one, for a taken address. */
export async function enterAsNewUser(call: VisitorCall, user: UserRow | undefined): Promise<UserRow> {
  if (!user) {
    throw invalid({ email: ['is already registered'] })
  }
  sendConfirmation(call, user)
  if (!call.app.config.appOptions.requireUserEmailConfirmation) {
    await startSession(call, user, { isPersistent: false })
  }
  return user
}
