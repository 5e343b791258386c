import { randomUUID } from 'node:crypto'
import { presets, permissions, type PermissionName, type PresetName } from '../../shared/access.ts'
import { hashPassword, verifyPassword } from '../auth/passwords.ts'
import type { App, Principal } from '../context.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { PermissionAssignmentRow } from '../models/permission-assignment.ts'
import type { UserRow } from '../models/user.ts'

/** After so many wrong passwords in a row an account is locked for so long. */
const lockout = { failures: 5, durationMs: 5 * 60 * 1000 }

/** Whether a new person may register now: always, or while nobody has. */
export async function isRegistrationOpen({ config, models }: App): Promise<boolean> {
  const { enablePublicRegistration, disableFirstUserSelfRegistration } = config.appOptions
  return enablePublicRegistration || (!disableFirstUserSelfRegistration && (await models.User.count()) === 0)
}

/** Every preset of the first user; later ones of their own tenant get all but the server's. */
const presetsFor = (isFirst: boolean) =>
  (Object.keys(presets) as PresetName[]).filter((name) => isFirst || name !== 'Server Administrator')

/** One allow row per permission, at the broadest scope that is legal for it inside a tenant. */
function assignmentsOf(names: readonly PresetName[], userId: string, tenantId: string, now: number) {
  const granted = new Set<PermissionName>(names.flatMap((name) => [...presets[name]]))
  return [...granted].map((permissionName): PermissionAssignmentRow => {
    const isTenantWide = permissions.get(permissionName)!.includes('Tenant')
    return {
      id: randomUUID(),
      owningTenantId: isTenantWide ? tenantId : null,
      principalKind: 'User',
      principalId: userId,
      permissionName,
      effect: 'Allow',
      scopeKind: isTenantWide ? 'Tenant' : 'Server',
      scopeId: isTenantWide ? tenantId : null,
      notes: null,
      isEnabled: true,
      createdAt: now,
    }
  })
}

interface Registration {
  email: string
  password: string
  organizationName?: string | undefined
}

/** Creates a user with a tenant of its own. 404 when registration is closed, 400 when the address is taken. */
export async function registerUser(app: App, { email, password, organizationName }: Registration): Promise<UserRow> {
  if (!(await isRegistrationOpen(app))) {
    throw new AppError(404, 'Registration is closed. Ask an administrator for an account.')
  }
  const now = app.clock.now()
  const passwordHash = await hashPassword(password)
  const { models } = app
  const user = await app.database.write(async (transaction) => {
    // Looked up again inside the write: of two first registrations at once only one may win.
    const isFirst = (await models.User.count({ transaction })) === 0
    if (!isFirst && !app.config.appOptions.enablePublicRegistration) {
      throw new AppError(404, 'Registration is closed. Ask an administrator for an account.')
    }
    if (await models.User.findOne({ where: { email }, transaction })) {
      throw invalid({ email: ['is already registered'] })
    }
    const tenant = { id: randomUUID(), name: organizationName ?? email, createdAt: now }
    const row: UserRow = {
      id: randomUUID(),
      tenantId: tenant.id,
      userName: email,
      email,
      passwordHash,
      createdAt: now,
      lastLogin: now,
      failedSignIns: 0,
      lockedUntil: null,
    }
    await models.Tenant.create(tenant, { transaction })
    await models.User.create(row, { transaction })
    await models.PermissionAssignment.bulkCreate(assignmentsOf(presetsFor(isFirst), row.id, tenant.id, now), {
      transaction,
    })
    return row
  })
  await app.rules.load()
  app.log.info({ userId: user.id, tenantId: user.tenantId }, 'A person registered.')
  return user
}

/**
 * Checks an email and a password. A wrong one counts towards the lockout; while an account is locked the password is not
 * even looked at. Unknown and wrong take the same time and give the same answer.
 */
export async function checkPassword(
  app: App,
  email: string,
  password: string,
): Promise<{ user: UserRow | undefined; isLockedOut: boolean }> {
  const { models, clock } = app
  const found = await models.User.findOne({ where: { email } })
  const user = found?.get({ plain: true })
  const isLocked = () => user?.lockedUntil != null && user.lockedUntil > clock.now()
  if (isLocked()) {
    return { user: undefined, isLockedOut: true }
  }
  const isRight = await verifyPassword(user?.passwordHash, password)
  if (!user) {
    return { user: undefined, isLockedOut: false }
  }
  return await app.database.write(async (transaction) => {
    const row = await models.User.findByPk(user.id, { transaction, rejectOnEmpty: true })
    const now = clock.now()
    if (row.lockedUntil !== null && row.lockedUntil > now) {
      return { user: undefined, isLockedOut: true }
    }
    if (isRight) {
      await row.update({ failedSignIns: 0, lockedUntil: null, lastLogin: now }, { transaction })
      return { user, isLockedOut: false }
    }
    const failures = row.failedSignIns + 1
    const isLockedOut = failures >= lockout.failures
    await row.update(
      { failedSignIns: isLockedOut ? 0 : failures, lockedUntil: isLockedOut ? now + lockout.durationMs : null },
      { transaction },
    )
    return { user: undefined, isLockedOut }
  })
}

export async function getUser({ models }: App, id: string): Promise<UserRow> {
  const user = await models.User.findByPk(id)
  if (!user) {
    throw notFound('user')
  }
  return user.get({ plain: true })
}

/** Sets a new password after checking the current one, and ends every other session of the user. */
export async function changePassword(app: App, principal: Principal, current: string, next: string): Promise<void> {
  const { email } = await getUser(app, principal.id)
  const { user, isLockedOut } = await checkPassword(app, email, current)
  if (!user) {
    throw invalid({
      currentPassword: [isLockedOut ? 'was wrong too often; try again in 5 minutes' : 'is not your current password'],
    })
  }
  const passwordHash = await hashPassword(next)
  await app.database.write((transaction) =>
    app.models.User.update({ passwordHash }, { where: { id: principal.id }, transaction }),
  )
  await app.sessions.end(principal.id, (session) => session.tokenHash !== principal.session.tokenHash)
}
