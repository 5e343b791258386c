import { Op, type Transaction } from 'sequelize'
import { rowLimits } from '../../shared/row-limits.ts'
import type { App, Call } from '../call/call.ts'
import { notFound } from '../ground/errors.ts'
import { publicIdOf } from '../credentials/session-mirror.ts'
import type { SessionRow } from '../credentials/tables.ts'
import { keptOf, type Kept } from '../ground/principal.ts'
import type { AuditEvent } from '../audit/event.ts'

/** Browser session, session of a link to one device, or bearer tokens of one sign-in. */
export interface SignIn extends Pick<SessionRow, 'createdAt' | 'lastSeenAt' | 'remoteAddress' | 'userAgent'> {
  id: string
  kind: 'Browser' | 'DeviceLink' | 'BearerTokens'
  /** The sign-in of the request itself. */
  isCurrent: boolean
}

/** Sign-ins of a user that have not ended: the current one first, then the last used. */
export async function signInsOf(app: App, userId: string, current: Kept): Promise<SignIn[]> {
  const { models, sessions, tokenFamilies, clock } = app
  const where = { userId }
  const sessionRows = (await models.Session.findAll({ where })).filter(({ tokenHash }) => sessions.isLive(tokenHash))
  const familyRows = await models.TokenFamily.findAll({ where: { ...where, expiresAt: { [Op.gt]: clock.now() } } })
  const found = [
    ...sessionRows.map((row) => ({
      row,
      id: publicIdOf(row.tokenHash),
      kind: row.logonTokenId === null ? ('Browser' as const) : ('DeviceLink' as const),
      isCurrent: row.tokenHash === current.sessionId,
      seen: sessions.seen.of(row.tokenHash),
    })),
    ...familyRows.map((row) => ({
      row,
      id: row.id,
      kind: 'BearerTokens' as const,
      isCurrent: row.id === current.familyId,
      seen: tokenFamilies.seen.of(row.id),
    })),
  ]
  return found
    .map(({ row, seen, ...rest }) => ({
      ...rest,
      createdAt: row.createdAt,
      lastSeenAt: seen?.at ?? row.lastSeenAt,
      remoteAddress: seen?.address ?? row.remoteAddress,
      userAgent: row.userAgent,
    }))
    .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.lastSeenAt - a.lastSeenAt)
}

export const listSignIns = ({ app, principal }: Call): Promise<SignIn[]> =>
  signInsOf(app, principal.id, keptOf(principal))

/** Ends one sign-in of a user, with its live connections. Throws 404. */
export async function endSignInOf(
  { app, actor }: Call,
  userId: string,
  id: string,
  event: AuditEvent,
  check?: () => void,
): Promise<void> {
  const { models, database, audit } = app
  const where = { userId }
  const session = (await models.Session.findAll({ where })).find(({ tokenHash }) => publicIdOf(tokenHash) === id)
  await database.write(async (transaction) => {
    check?.()
    const ended = session
      ? await models.Session.destroy({ where: { ...where, tokenHash: session.tokenHash }, transaction })
      : await models.TokenFamily.destroy({ where: { ...where, id }, transaction })
    if (ended === 0) {
      throw notFound('sign-in')
    }
    await audit.recordIn(transaction, actor, [event])
  })
}

export const endSignIn = (call: Call, id: string): Promise<void> =>
  endSignInOf(call, call.principal.id, id, { kind: 'sign-in.ended', details: { reason: 'ended from a list' } })

const columnsOf = {
  sessions: { key: 'tokenHash', where: 'userId = $1 AND logonTokenId IS NULL' },
  token_families: { key: 'id', where: 'userId = $1' },
}

/** Ends the sign-ins of a user that were not used for longest, where there is no room for one more (T20). */
export async function endSignInsBeyondLimit(
  { database }: App,
  transaction: Transaction,
  table: keyof typeof columnsOf,
  userId: string,
): Promise<void> {
  const { key, where } = columnsOf[table]
  await database.sequelize.query(
    `DELETE FROM ${table} WHERE ${key} IN (
      SELECT ${key} FROM ${table} WHERE ${where} ORDER BY lastSeenAt DESC LIMIT -1 OFFSET $2)`,
    { bind: [userId, rowLimits['sign-ins of a person'] - 1], transaction },
  )
}

/** Ends every sign-in of a user but the kept one. Returns the number. */
export async function endSignInsBut(
  { models }: App,
  transaction: Transaction,
  userId: string,
  { sessionId = '', familyId = '' }: Kept,
): Promise<number> {
  const sessions = await models.Session.destroy({ where: { userId, tokenHash: { [Op.ne]: sessionId } }, transaction })
  const families = await models.TokenFamily.destroy({ where: { userId, id: { [Op.ne]: familyId } }, transaction })
  return sessions + families
}

/** Ends every sign-in of the caller but the one that asks, with their live connections. Returns the number. */
export async function endOtherSignIns({ app, principal, actor }: Call): Promise<number> {
  return app.database.write(async (transaction) => {
    const count = await endSignInsBut(app, transaction, principal.id, keptOf(principal))
    const ended = { kind: 'sign-in.ended', details: { reason: 'ended with all others' } } as const
    await app.audit.recordIn(
      transaction,
      actor,
      Array.from({ length: count }, () => ended),
    )
    return count
  })
}
