import { randomUUID } from 'node:crypto'
import { Op, type Transaction, type WhereOptions } from 'sequelize'
import type { AcceptInviteRequestDto } from '../../../shared/api/invite-acceptance.ts'
import { newPassword } from '../../../shared/dtos/user.ts'
import { hashPassword } from '../../auth/passwords.ts'
import { hashSecret, newSecret, verifySecret } from '../../secrets/hashes.ts'
import { actorOfUser } from '../../actor.ts'
import type { App, Call, OpenCall } from '../../call.ts'
import { userTarget } from './audited-users.ts'
import { conflict } from '../../errors.ts'
import type { InviteRow } from '../../models/invite.ts'
import type { UserRow } from '../../models/user.ts'
import { removeAssignmentsOf } from '../rights/assignment-cleanup.ts'
import { seedPresets } from '../rights/presets.ts'
import { findOfTenant } from '../organization/tenant-rows.ts'
import { checkMayAddUser } from './user-administration.ts'
import { isAddressTaken, newUser } from './users.ts'

/** Lifetime of an invite. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1000

const expired = ({ clock }: App) => ({ createdAt: { [Op.lte]: clock.now() - lifetimeMs } })

/** Deletes invites and their pending users. */
async function removeInvites(call: OpenCall, transaction: Transaction, where: WhereOptions<InviteRow>) {
  const { models } = call.app
  const invites = await models.Invite.findAll({ where, transaction })
  const userIds = invites.map(({ userId }) => userId)
  await removeAssignmentsOf(call, transaction, userIds)
  await models.User.destroy({ where: { id: userIds }, transaction })
  return invites.length
}

/** New invite with its code. The code is in this response and in the link only; the database stores a hash. */
export interface NewInvite {
  invite: InviteRow
  activationCode: string
}

/** Creates an invite and its pending user, which has no password and no rights. */
export async function createInvite(call: OpenCall, tenantId: string, inviteeEmail: string): Promise<NewInvite> {
  const { app } = call
  const createdAt = app.clock.now()
  const user = newUser({ tenantId, email: inviteeEmail, accountType: 'Invited', createdAt })
  // The id finds the invite of a link; the secret proves that the link was received.
  const activationCode = `${user.id}.${newSecret()}`
  const invite: InviteRow = {
    id: randomUUID(),
    tenantId,
    userId: user.id,
    inviteeEmail,
    activationCodeHash: hashSecret(activationCode),
    createdAt,
  }
  await app.database.write(async (transaction) => {
    await checkMayAddUser(call, tenantId, transaction)
    await removeInvites(call, transaction, { inviteeEmail, ...expired(app) })
    if ((await app.models.Invite.count({ where: { inviteeEmail }, transaction })) > 0) {
      throw conflict('This person has an invite already.')
    }
    if (await isAddressTaken(app, inviteeEmail, transaction)) {
      throw conflict('There is a user with this address already.')
    }
    await app.models.User.create(user, { transaction })
    await app.models.Invite.create(invite, { transaction })
    await app.audit.recordIn(transaction, call.actor, [
      { kind: 'people.invited', tenantId, target: { kind: 'invite', id: invite.id, name: inviteeEmail } },
    ])
  })
  app.log.info({ actor: call.actor, inviteId: invite.id, userId: user.id, tenantId }, 'An invite was created.')
  return { invite, activationCode }
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

export async function removeExpiredInvites(call: OpenCall): Promise<void> {
  const { app } = call
  const count = await app.database.write((transaction) => removeInvites(call, transaction, expired(app)))
  if (count > 0) {
    app.log.info({ count }, 'Expired invites were removed.')
  }
}

/** Finds the invite for an address, if the code matches and the invite has not expired. */
async function findInvite({ models, clock }: App, inviteeEmail: string, activationCode: string) {
  const invite = await models.Invite.findOne({ where: { inviteeEmail } })
  const isRight = verifySecret(invite?.activationCodeHash, activationCode)
  return invite && isRight && invite.createdAt + lifetimeMs > clock.now() ? invite.get({ plain: true }) : undefined
}

interface Invitation {
  state: 'open' | 'expired' | 'accepted' | 'unknown'
  email?: string
  organizationName?: string
  expiresAt?: number
}

/** Looks up the invitation of a link. What it holds is for whoever has the whole code. */
export async function lookUpInvitation({ app }: OpenCall, activationCode: string): Promise<Invitation> {
  const { Invite, Tenant, User } = app.models
  const [userId = ''] = activationCode.split('.')
  const invite = await Invite.findOne({ where: { userId } })
  const isRight = verifySecret(invite?.activationCodeHash, activationCode)
  if (!invite || !isRight) {
    // The id of a user is no secret: only with the whole code is an acceptance visible (T12).
    const user = await User.findOne({ where: { id: userId } })
    return { state: verifySecret(user?.acceptedCodeHash ?? undefined, activationCode) ? 'accepted' : 'unknown' }
  }
  const expiresAt = invite.createdAt + lifetimeMs
  const { name: organizationName } = await Tenant.findByPk(invite.tenantId, { rejectOnEmpty: true })
  return expiresAt > app.clock.now()
    ? { state: 'open', email: invite.inviteeEmail, organizationName, expiresAt }
    : { state: 'expired', organizationName, expiresAt }
}

type Acceptance = { user: UserRow } | { errorMessage: string }

const unknown: Acceptance = {
  errorMessage: 'This invitation was accepted, was withdrawn, or is older than 7 days. Ask for a new one.',
}

/**
 * Activates the pending user with a password. The user starts with Self Service alone: rights and tokens of the pending
 * account are deleted.
 */
export async function acceptInvite(
  call: OpenCall,
  { activationCode, email, password }: AcceptInviteRequestDto,
): Promise<Acceptance> {
  const { app } = call
  const invite = await findInvite(app, email, activationCode)
  if (!invite) {
    await app.audit.record(call.actor, { kind: 'people.invite-accepted', outcome: 'failure', tenantId: null })
    return unknown
  }
  const checked = newPassword.safeParse(password)
  if (!checked.success) {
    return { errorMessage: `The password ${checked.error.issues.map(({ message }) => message).join(', ')}.` }
  }
  const passwordHash = await hashPassword(checked.data)
  const { id: inviteId, userId, tenantId, activationCodeHash } = invite
  // From here on the accepting person is the actor.
  const ownCall = { app, actor: actorOfUser(call.actor, { id: userId, userName: email, tenantId }) }
  const accepted = await app.database.write(async (transaction) => {
    const taken = await app.models.Invite.destroy({ where: { id: inviteId }, transaction })
    const row = await app.models.User.findByPk(userId, { transaction })
    if (taken === 0 || !row) {
      return undefined
    }
    await removeAssignmentsOf(ownCall, transaction, [userId])
    await app.models.UserGroupMember.destroy({ where: { userId }, transaction })
    await app.models.PersonalAccessToken.destroy({ where: { userId }, transaction })
    await app.models.LogonToken.destroy({ where: { userId }, transaction })
    await row.update(
      {
        accountType: 'Interactive',
        passwordHash,
        securityStamp: randomUUID(),
        // The code proves the address, because only the invitee received it.
        isEmailConfirmed: true,
        lastLogin: app.clock.now(),
        acceptedCodeHash: activationCodeHash,
      },
      { transaction },
    )
    await seedPresets(ownCall, transaction, { kind: 'User', id: userId }, ['Self Service'], tenantId)
    await app.audit.recordIn(transaction, ownCall.actor, [
      { kind: 'people.invite-accepted', target: userTarget({ id: userId, userName: row.userName }) },
    ])
    return { user: row.get({ plain: true }) }
  })
  if (!accepted) {
    return unknown
  }
  app.log.info({ actor: ownCall.actor, userId, tenantId, inviteId }, 'An invite was accepted.')
  return accepted
}
