import type { Transaction } from 'sequelize'
import type { App } from '../call/call.ts'
import { conflict } from '../ground/errors.ts'

/** Throws 409 unless the user can still sign in: by password, passkey or provider. Called after a removal. */
export async function requireSignInMethod({ models }: App, userId: string, transaction: Transaction): Promise<void> {
  const of = { where: { userId }, transaction }
  const user = await models.User.findByPk(userId, { transaction })
  const others = (await models.Passkey.count(of)) + (await models.ExternalLogin.count(of))
  if (user?.passwordHash === null && others === 0) {
    throw conflict('This is the last way to sign in to your account. Set a password or add a passkey first.')
  }
}
