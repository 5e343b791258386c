import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import type { App, OpenCall } from '../call/call.ts'
import { badRequest, found } from '../ground/errors.ts'
import type { UserRow } from './tables.ts'
import type { AuditTarget } from '../audit/event.ts'

/** User as the target of a change of rights or credentials. */
export const changedUser = ({ id, tenantId }: { id: string; tenantId: string }) =>
  ({ targetType: 'User', targetId: id, tenantId }) as const

/** User as the target of an audit event; an unknown user has no id and no name. */
export const userTarget = (user: { id: string; userName: string } | undefined): AuditTarget => ({
  kind: 'user',
  id: user?.id ?? null,
  name: user?.userName ?? null,
})

type NewUser = Pick<UserRow, 'tenantId' | 'email' | 'createdAt'> & Partial<UserRow>

/** Builds a new user without a password, named after its address. */
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
  disabledAt: null,
  acceptedCodeHash: null,
  guestName: null,
  isUnproven: false,
  makerId: null,
  ...values,
})

const isNamed = ({ config }: App, address: string) =>
  config.appOptions.requireUserUniqueEmail
    ? { [Op.or]: [{ userName: address }, { email: address }] }
    : { userName: address }

/** Whether an address signs in to an account. Pending users reserve no address, external ones cannot sign in by it. */
export async function isAddressTaken(app: App, address: string, transaction?: Transaction) {
  const where = { ...isNamed(app, address), accountType: 'Interactive' as const }
  return (await app.models.User.count({ where, transaction })) > 0
}

/** Finds the user of a tenant with an address, pending or not. */
export async function findUserOf(app: App, tenantId: string, address: string, transaction: Transaction) {
  const where = { ...isNamed(app, address), tenantId, accountType: { [Op.ne]: 'External' as const } }
  return app.models.User.findOne({ where, transaction })
}

/** Throws 400 where new users could never sign in. */
export function refuseDeadEnd({ app: { config } }: OpenCall): void {
  const { requireUserEmailConfirmation, disableEmailSending } = config.appOptions
  if (requireUserEmailConfirmation && disableEmailSending) {
    throw badRequest('This server asks for confirmed addresses but sends no e-mail: nobody can be added.')
  }
}

export async function getUser({ app: { models } }: Pick<OpenCall, 'app'>, id: string): Promise<UserRow> {
  return found(await models.User.findByPk(id), 'user').get({ plain: true })
}
