import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import { presets, type PresetName } from '../../../shared/access.ts'
import { hashPassword } from '../../auth/passwords.ts'
import type { App } from '../../context.ts'
import { AppError, badRequest, notFound } from '../../errors.ts'
import type { UserRow } from '../../models/user.ts'
import { systemActor } from '../rights/authorization-log.ts'
import { seedPresets } from '../rights/presets.ts'

/** Whether there has never been a user on this server: deleted ones count (T01). */
const isUntouched = async ({ models }: App, transaction?: Transaction) =>
  (await models.ServerState.count({ where: { hasHadUsers: true }, ...(transaction && { transaction }) })) === 0

/** Whether a new person may register now: always, or while nobody ever has. */
export async function isRegistrationOpen(app: App): Promise<boolean> {
  const { enablePublicRegistration, disableFirstUserSelfRegistration } = app.config.appOptions
  return enablePublicRegistration || (!disableFirstUserSelfRegistration && (await isUntouched(app)))
}

type NewUser = Pick<UserRow, 'tenantId' | 'email' | 'createdAt'> & Partial<UserRow>

/** A user as it starts: without a password, and named after its address. */
export const newUser = (values: NewUser): UserRow => ({
  id: randomUUID(),
  accountType: 'Interactive',
  userName: values.email,
  isEmailConfirmed: false,
  passwordHash: null,
  isPasswordChangeRequired: false,
  securityStamp: randomUUID(),
  twoFactorSecret: null,
  isTwoFactorEnabled: false,
  lastTwoFactorStep: null,
  lastLogin: null,
  failedSignIns: 0,
  lockedUntil: null,
  ...values,
})

/** Whether an account that signs in by this address would be another one's; external users are nobody to sign in as. */
export async function isAddressTaken({ models, config }: App, address: string, transaction: Transaction) {
  const sameName = { userName: address, accountType: { [Op.ne]: 'External' } }
  const where = config.appOptions.requireUserUniqueEmail ? { [Op.or]: [sameName, { email: address }] } : sameName
  return (await models.User.count({ where, transaction })) > 0
}

/** Every preset of the first user; later ones of their own tenant get all but the server's. */
const presetsFor = (isFirst: boolean) =>
  (Object.keys(presets) as PresetName[]).filter((name) => isFirst || name !== 'Server Administrator')

interface Registration {
  email: string
  password: string
  organizationName?: string | undefined
}

const closed = () => new AppError(404, 'Registration is closed. Ask an administrator for an account.')

/** Throws 400 where nobody new could ever sign in. */
export function refuseDeadEnd({ config }: App): void {
  const { requireUserEmailConfirmation, disableEmailSending } = config.appOptions
  if (requireUserEmailConfirmation && disableEmailSending) {
    throw badRequest('This server asks for confirmed addresses but sends no e-mail: nobody can be added.')
  }
}

/** Throws 404 while nobody may register, and 400 where nobody could sign in afterwards. */
export async function requireOpenRegistration(app: App): Promise<void> {
  if (!(await isRegistrationOpen(app))) {
    throw closed()
  }
  refuseDeadEnd(app)
}

/** Creates a user with a tenant of its own; undefined when the address is taken. 404 when registration is closed. */
export async function registerUser(
  app: App,
  { email, password, organizationName }: Registration,
): Promise<UserRow | undefined> {
  await requireOpenRegistration(app)
  const now = app.clock.now()
  const passwordHash = await hashPassword(password)
  const { models } = app
  const user = await app.database.write(async (transaction) => {
    // Looked up again inside the write: of two first registrations at once only one may win.
    const isFirst = await isUntouched(app, transaction)
    if (!isFirst && !app.config.appOptions.enablePublicRegistration) {
      throw closed()
    }
    if (await isAddressTaken(app, email, transaction)) {
      return undefined
    }
    const tenant = { id: randomUUID(), name: organizationName ?? email, createdAt: now }
    const row = newUser({ tenantId: tenant.id, email, passwordHash, createdAt: now, lastLogin: now })
    await models.Tenant.create(tenant, { transaction })
    await models.User.create(row, { transaction })
    await seedPresets(app, transaction, systemActor, { kind: 'User', id: row.id }, presetsFor(isFirst), tenant.id)
    return row
  })
  if (user) {
    await app.rules.refresh([user.id])
    app.log.info({ userId: user.id, tenantId: user.tenantId }, 'A person registered.')
  }
  return user
}

export async function getUser({ models }: App, id: string): Promise<UserRow> {
  const user = await models.User.findByPk(id)
  if (!user) {
    throw notFound('user')
  }
  return user.get({ plain: true })
}
