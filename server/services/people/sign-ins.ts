import { Op } from 'sequelize'
import type { Call } from '../../call.ts'
import { notFound } from '../../errors.ts'
import { publicIdOf } from '../../mirrors/sessions.ts'
import type { SessionRow } from '../../models/session.ts'
import { keptOf } from '../../principal.ts'

/** Browser session, session of a link to one device, or bearer tokens of one sign-in. */
export interface SignIn extends Pick<SessionRow, 'createdAt' | 'lastSeenAt' | 'remoteAddress' | 'userAgent'> {
  id: string
  kind: 'Browser' | 'DeviceLink' | 'BearerTokens'
  /** The sign-in of the request itself. */
  isCurrent: boolean
}

/** Sign-ins of the caller that have not ended, the last used first. */
export async function listSignIns({ app, principal }: Call): Promise<SignIn[]> {
  const { models, sessions, tokenFamilies, clock } = app
  const where = { userId: principal.id }
  const current = keptOf(principal)
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

/** Ends one sign-in of the caller, with its live connections. Throws 404. */
export async function endSignIn({ app, principal, actor }: Call, id: string): Promise<void> {
  const { models, database, audit } = app
  const where = { userId: principal.id }
  const session = (await models.Session.findAll({ where })).find(({ tokenHash }) => publicIdOf(tokenHash) === id)
  await database.write(async (transaction) => {
    const ended = session
      ? await models.Session.destroy({ where: { ...where, tokenHash: session.tokenHash }, transaction })
      : await models.TokenFamily.destroy({ where: { ...where, id }, transaction })
    if (ended === 0) {
      throw notFound('sign-in')
    }
    await audit.recordIn(transaction, actor, [{ kind: 'sign-in.ended', details: { reason: 'ended from a list' } }])
  })
}

/** Ends every sign-in of the caller but the one that asks, with their live connections. Returns the number. */
export async function endOtherSignIns({ app, principal, actor }: Call): Promise<number> {
  const { models, database } = app
  const { sessionId = '', familyId = '' } = keptOf(principal)
  const where = { userId: principal.id }
  return database.write(async (transaction) => {
    const others = { ...where, tokenHash: { [Op.ne]: sessionId } }
    const sessions = await models.Session.destroy({ where: others, transaction })
    const families = await models.TokenFamily.destroy({ where: { ...where, id: { [Op.ne]: familyId } }, transaction })
    const ended = { kind: 'sign-in.ended', details: { reason: 'ended with all others' } } as const
    await app.audit.recordIn(
      transaction,
      actor,
      Array.from({ length: sessions + families }, () => ended),
    )
    return sessions + families
  })
}
