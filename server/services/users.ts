import { randomUUID } from 'node:crypto'
import { presets, permissions, type PermissionName, type PresetName } from '../../shared/access.ts'
import { hashPassword } from '../auth/passwords.ts'
import type { App } from '../context.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { PermissionAssignmentRow } from '../models/permission-assignment.ts'
import type { UserRow } from '../models/user.ts'

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
      accountType: 'Interactive',
      userName: email,
      email,
      isEmailConfirmed: false,
      passwordHash,
      isPasswordChangeRequired: false,
      securityStamp: randomUUID(),
      twoFactorSecret: null,
      isTwoFactorEnabled: false,
      lastTwoFactorStep: null,
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
  await app.rules.refresh([user.id])
  app.log.info({ userId: user.id, tenantId: user.tenantId }, 'A person registered.')
  return user
}

export async function getUser({ models }: App, id: string): Promise<UserRow> {
  const user = await models.User.findByPk(id)
  if (!user) {
    throw notFound('user')
  }
  return user.get({ plain: true })
}
