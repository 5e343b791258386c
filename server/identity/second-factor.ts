import { randomBytes, randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { Op, type Transaction } from 'sequelize'
import { hashSecret, verifySecret } from '../engines/secrets/hashes.ts'
import type { App } from '../call/call.ts'
import { typedCode } from '../ground/typed-code.ts'
import type { UserRow } from '../people/tables.ts'

const recoveryCodeCount = 10

/** Accepted clock difference in steps of 30 seconds. */
const window = 1

/** Second factor as sent; a recovery code takes precedence. */
export interface SecondFactor {
  twoFactorCode?: string | null | undefined
  twoFactorRecoveryCode?: string | null | undefined
}

const cleaned = (code: string | null | undefined) => typedCode(code ?? '')

export const isMissing = ({ twoFactorCode, twoFactorRecoveryCode }: SecondFactor): boolean =>
  cleaned(twoFactorCode) === '' && cleaned(twoFactorRecoveryCode) === ''

const placeOf = (userId: string) => `users/${userId}/totp`

export const newSharedKey = (): string => new Secret({ size: 20 }).base32

export const sealSharedKey = ({ sealer }: App, userId: string, sharedKey: string): string =>
  sealer.seal(sharedKey, placeOf(userId))

/** Base32 key of the authenticator app. */
export const sharedKeyOf = ({ sealer }: App, { id, twoFactorSecret }: UserRow): string | undefined =>
  twoFactorSecret === null ? undefined : sealer.unseal(twoFactorSecret, placeOf(id)).toString()

/** Consumes a second factor. Returns false for a wrong or used one. Callers serialize the attempts of one user. */
export function useSecondFactor(app: App, user: UserRow, factor: SecondFactor): Promise<boolean> {
  const recoveryCode = cleaned(factor.twoFactorRecoveryCode)
  return recoveryCode === ''
    ? useAppCode(app, user, cleaned(factor.twoFactorCode))
    : useRecoveryCode(app, user.id, recoveryCode)
}

async function useAppCode(app: App, user: UserRow, token: string): Promise<boolean> {
  const sharedKey = sharedKeyOf(app, user)
  // The library throws for a code with other characters than digits of ASCII.
  if (sharedKey === undefined || !/^\d{6}$/.test(token)) {
    return false
  }
  const timestamp = app.clock.now()
  const delta = TOTP.validate({ token, secret: Secret.fromBase32(sharedKey), timestamp, window })
  const step = delta === null ? undefined : TOTP.counter({ timestamp }) + delta
  if (step === undefined || (user.lastTwoFactorStep !== null && step <= user.lastTwoFactorStep)) {
    return false
  }
  // Sign-ins by password and by provider are serialized apart: `user` may be older than another use of the code.
  const unused = { [Op.or]: [{ [Op.is]: null }, { [Op.lt]: step }] }
  const [used] = await app.database.write((transaction) =>
    app.models.User.update(
      { lastTwoFactorStep: step },
      { where: { id: user.id, lastTwoFactorStep: unused }, transaction },
    ),
  )
  return used === 1
}

async function useRecoveryCode({ database, models }: App, userId: string, code: string): Promise<boolean> {
  const codes = await models.RecoveryCode.findAll({ where: { userId } })
  const fitting = codes.find(({ codeHash }) => verifySecret(codeHash, code))
  if (!fitting) {
    return false
  }
  const removed = await database.write((transaction) =>
    models.RecoveryCode.destroy({ where: { id: fitting.id }, transaction }),
  )
  return removed === 1
}

/** 80 random bits in groups that people can read out: enough entropy for a fast hash. */
const newRecoveryCode = () =>
  new Secret({ buffer: Uint8Array.from(randomBytes(10)).buffer }).base32.replaceAll(/(.{4})(?=.)/g, '$1-')

export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCodeCount }, newRecoveryCode)

/** Replaces all codes of a user; only hashes are stored. */
export async function storeRecoveryCodes(app: App, transaction: Transaction, userId: string, codes: string[]) {
  await removeRecoveryCodes(app, transaction, userId)
  const rows = codes.map((code) => ({ id: randomUUID(), userId, codeHash: hashSecret(cleaned(code)) }))
  await app.models.RecoveryCode.bulkCreate(rows, { transaction })
}

/** Columns of a user without two-factor authentication. */
export const noSecondFactor = { isTwoFactorEnabled: false, twoFactorSecret: null, lastTwoFactorStep: null }

export const removeRecoveryCodes = ({ models }: App, transaction: Transaction, userId: string) =>
  models.RecoveryCode.destroy({ where: { userId }, transaction })

export const countRecoveryCodes = ({ models }: App, userId: string): Promise<number> =>
  models.RecoveryCode.count({ where: { userId } })
