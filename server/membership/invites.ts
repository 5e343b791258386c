import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import type { StartDto } from '../../shared/dtos/start.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'
import { hashSecret, newSecret } from '../engines/secrets/hashes.ts'
import type { App, Call, OpenCall, RouteCall } from '../call/call.ts'
import { AppError, alreadyExists } from '../ground/errors.ts'
import { sendInvite } from '../identity/account-mail.ts'
import { removeInvites } from '../identity/remove-invites.ts'
import { agentUrl, mailedOrigin } from '../network/addresses.ts'
import { presentInvite } from '../people/present.ts'
import type { InviteRow } from '../people/tables.ts'
import { writeAssignments } from '../assignments/assignment-writes.ts'
import { inviteDays } from '../../shared/dtos/invite.ts'
import { findOfTenant } from '../organization/tenant-rows.ts'
import { giveInitialRights } from './initial-rights.ts'
import { checkMayAddUser } from './user-administration.ts'
import { findUserOf, newUser } from '../people/users.ts'
import { mailProofOf } from './mail-proof.ts'
import { makerColumns } from '../rights/maker.ts'

export const lifetimeMs = inviteDays * dayMs

/** Limits of a tenant: everybody's mail leaves by the one mail server, and strangers' inboxes are its recipients (T44). */
const maxPending = 50
const maxPerDay = 20

const expired = (now: number) => ({ createdAt: { [Op.lte]: now - lifetimeMs } })

/** Throws 429 above the limits of a tenant. */
async function checkLimits({ models, clock }: App, tenantId: string, transaction: Transaction) {
  if ((await models.Invite.count({ where: { tenantId }, transaction })) >= maxPending) {
    throw new AppError(429, `${maxPending} invitations are pending. Withdraw some, or wait until they are accepted.`)
  }
  const since = clock.now() - dayMs
  const where = { tenantId, createdAt: { [Op.gt]: since } }
  const times = await models.InviteTime.findAll({ where, order: ['createdAt'], transaction })
  if (times.length >= maxPerDay) {
    const seconds = Math.ceil((times[0]!.createdAt - since) / 1000)
    throw new AppError(429, `${maxPerDay} people were invited within 24 hours. Invite more tomorrow.`, {
      headers: { 'retry-after': String(seconds) },
    })
  }
}

/** New invite with its code. The code is in this response and in the link only; the database stores a hash. */
interface NewInvite {
  invite: InviteRow
  activationCode: string
}

/**
 * Creates an invite and its pending user, who cannot sign in. The address may have an account or an invite of another
 * tenant, which only the invited person is told (T44). Throws 409 for a user or an invite of this tenant.
 */
async function createInvite(call: Call, tenantId: string, inviteeEmail: string, start?: StartDto): Promise<NewInvite> {
  const { app, principal } = call
  const createdAt = app.clock.now()
  const user = newUser({ tenantId, email: inviteeEmail, accountType: 'Invited', createdAt })
  // The id finds the invite of a link; the secret proves that the link was received.
  const activationCode = `${user.id}.${newSecret()}`
  const id = randomUUID()
  const invite = await writeAssignments(call, tenantId, async (write) => {
    const { transaction } = write
    await checkMayAddUser(call, tenantId, transaction)
    await removeInvites(call, transaction, { tenantId, inviteeEmail, ...expired(app.clock.now()) })
    const pending = await app.models.Invite.findOne({ where: { tenantId, inviteeEmail }, transaction })
    if (pending) {
      throw alreadyExists('This person has an invite already.', pending.id)
    }
    const known = await findUserOf(app, tenantId, inviteeEmail, transaction)
    if (known) {
      throw alreadyExists('There is a user with this address already.', known.id)
    }
    await checkLimits(app, tenantId, transaction)
    await app.models.User.create(user, { transaction })
    const startJson = start ? JSON.stringify(await giveInitialRights(write, user.id, start)) : null
    const activationCodeHash = hashSecret(activationCode)
    const row: InviteRow = {
      id,
      tenantId,
      userId: user.id,
      inviteeEmail,
      activationCodeHash,
      createdAt,
      startJson,
      ...makerColumns(principal),
    }
    await app.models.Invite.create(row, { transaction })
    await app.models.InviteTime.create({ id, tenantId, createdAt }, { transaction })
    await app.audit.recordIn(transaction, call.actor, [
      { kind: 'people.invited', tenantId, target: { kind: 'invite', id, name: inviteeEmail } },
    ])
    return row
  })
  app.log.info({ actor: call.actor, inviteId: id, userId: user.id, tenantId }, 'An invite was created.')
  return { invite, activationCode }
}

/** Makes an invite and mails its link. */
export async function invitePerson(call: RouteCall, tenantId: string, inviteeEmail: string, start?: StartDto) {
  const { invite, activationCode } = await createInvite(call, tenantId, inviteeEmail, start)
  const mailed = presentInvite(invite, mailedOrigin(call.app), activationCode)
  sendInvite(call, invite, `${mailed.inviteUrl}.${mailProofOf(call.app, invite.id)}`)
  return presentInvite(invite, agentUrl(call.app, call.origin()), activationCode)
}

/** Pending invites, oldest first. */
export async function listInvites({ app: { models } }: OpenCall, tenantId: string): Promise<InviteRow[]> {
  const rows = await models.Invite.findAll({ where: { tenantId }, order: ['createdAt', 'id'] })
  return rows.map((row) => row.get({ plain: true }))
}

/** Deletes an invite and its pending user. */
export async function deleteInvite(call: Call, tenantId: string, id: string): Promise<void> {
  const { app } = call
  await app.database.write(async (transaction) => {
    const { inviteeEmail: name } = await findOfTenant(app.models.Invite, 'invite', tenantId, id, transaction)
    await removeInvites(call, transaction, { id })
    await app.audit.recordIn(transaction, call.actor, [
      { kind: 'people.invite-deleted', tenantId, target: { kind: 'invite', id, name } },
    ])
  })
}

/** Removes expired invites, and times that count for no limit any more. */
export async function removeExpiredInvites(call: OpenCall): Promise<void> {
  const { app } = call
  await deleteWhere(app, 'invite_times', 'createdAt <= ?', app.clock.now() - dayMs)
  if ((await app.database.all('SELECT 1 FROM invites LIMIT 1')).length === 0) {
    return
  }
  const count = await app.database.write((transaction) =>
    removeInvites(call, transaction, expired(app.retentionClock.now())),
  )
  if (count > 0) {
    app.log.info({ count }, 'Expired invites were removed.')
  }
}
