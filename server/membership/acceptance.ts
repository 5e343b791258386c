import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import type { AcceptInviteRequestDto } from '../../shared/api/invite-acceptance.ts'
import { newPassword } from '../../shared/dtos/user.ts'
import { actorOfUser } from '../ground/actor.ts'
import { removePowerOrdersOf } from '../devices/power-orders.ts'
import { hashPassword } from '../identity/password-hash.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import type { InviteRow, UserRow } from '../people/tables.ts'
import { verifySecret } from '../engines/secrets/hashes.ts'
import { removeAssignmentsOf } from '../assignments/assignment-cleanup.ts'
import { seedPresets } from '../assignments/presets.ts'
import { inviteDays } from '../../shared/dtos/invite.ts'
import { isMailProof } from './mail-proof.ts'
import { lifetimeMs } from './invites.ts'
import { removeInvites } from '../identity/remove-invites.ts'
import type { Started } from './initial-rights.ts'
import { isAddressTaken, userTarget } from '../people/users.ts'
import { makerNow } from '../rights/maker.ts'
import { holds, rightOf } from '../rights/rights.ts'
import { managementBeyond } from '../assignments/rights-comparison.ts'
import type { Principal } from '../ground/principal.ts'
import { lackingFor } from '../assignments/assignment-checks.ts'

interface Carried {
  app: App
  principal: Principal
  tenantId: string
  transaction: Transaction | undefined
}

async function mayGive({ app, principal, tenantId, transaction }: Carried, { assignmentIds, groupIds }: Started) {
  const rows = await app.models.PermissionAssignment.findAll({ where: { id: assignmentIds }, transaction })
  const groups = await app.models.UserGroup.findAll({ where: { id: groupIds, tenantId }, transaction })
  const mayFill = rightOf(app, principal, 'user-group.assign-users')
  return (
    (rows.length === 0 || holds(app, principal, 'tenant.permissions.write', tenantId)) &&
    rows.every((row) => lackingFor(app, principal, tenantId, 'User', row) === undefined) &&
    groups.every(({ id }) => {
      const target = { tenantId, holder: 'User', rules: app.rules.of(id) } as const
      return mayFill({ kind: 'UserGroup', id, tenantId }) && managementBeyond(app, principal, target) === undefined
    })
  )
}

/** True while the inviter is enabled, and may invite people and give what the invite carries (T43). */
async function standsInvite(app: App, invite: InviteRow, transaction?: Transaction): Promise<boolean> {
  const { makerKind, makerId, madeWith, tenantId, startJson } = invite
  if (makerKind === null || makerId === null) {
    return true
  }
  const inviter = makerNow(app, { makerKind, makerId }, madeWith)
  if (!inviter?.isEnabled || !holds(app, inviter.principal, 'tenant.users.write', tenantId)) {
    return false
  }
  const { principal } = inviter
  return startJson === null || mayGive({ app, principal, tenantId, transaction }, JSON.parse(startJson) as Started)
}

interface OpenInvite extends InviteRow {
  /** True for the mailed link; where mail is off, for every link, because nobody can prove the address. */
  isInvitee: boolean
}

/** Code of an invite, and the proof that a mailed link adds to it. */
function partsOf(activationCode: string) {
  const [userId = '', secret = '', proof = ''] = activationCode.split('.')
  return { userId, code: `${userId}.${secret}`, proof }
}

/** Finds the invite of a link, if the whole code matches. */
async function findByCode(app: App, activationCode: string): Promise<OpenInvite | undefined> {
  const { userId, code, proof } = partsOf(activationCode)
  const invite = await app.models.Invite.findOne({ where: { userId } })
  if (!verifySecret(invite?.activationCodeHash, code) || !invite) {
    return undefined
  }
  const row = invite.get({ plain: true })
  return { ...row, isInvitee: !app.mail.isOn || isMailProof(app, row.id, proof) }
}

/** Finds the invite of a link that can be accepted now. */
export async function findOpenInvite(app: App, activationCode: string): Promise<OpenInvite | undefined> {
  const invite = await findByCode(app, activationCode)
  return invite && invite.createdAt + lifetimeMs > app.clock.now() && (await standsInvite(app, invite))
    ? invite
    : undefined
}

interface Invitation {
  state: 'open' | 'ended' | 'expired' | 'accepted' | 'taken' | 'unknown'
  email?: string
  organizationName?: string
  expiresAt?: number
}

/** Looks up the invitation of a link. Its contents are for the holder of the whole code. */
export async function lookUpInvitation({ app }: OpenCall, activationCode: string): Promise<Invitation> {
  const { Tenant, User } = app.models
  const invite = await findByCode(app, activationCode)
  if (!invite) {
    // The id of a user is no secret: only with the whole code is an acceptance visible (T12).
    const { userId, code } = partsOf(activationCode)
    const user = await User.findOne({ where: { id: userId } })
    return { state: verifySecret(user?.acceptedCodeHash ?? undefined, code) ? 'accepted' : 'unknown' }
  }
  const expiresAt = invite.createdAt + lifetimeMs
  const email = invite.inviteeEmail
  const { name: organizationName } = await Tenant.findByPk(invite.tenantId, { rejectOnEmpty: true })
  if (expiresAt <= app.clock.now()) {
    return { state: 'expired', organizationName, expiresAt }
  }
  if (!(await standsInvite(app, invite))) {
    return { state: 'ended', organizationName, expiresAt }
  }
  // Inviters know the code, too, and learn nothing of accounts elsewhere (T12).
  const isTaken = invite.isInvitee && (await isAddressTaken(app, email))
  return { state: isTaken ? 'taken' : 'open', email, organizationName, expiresAt }
}

export type Acceptance = { user: UserRow } | { errorMessage: string }

export const unknownInvite = `This invitation was accepted or withdrawn, is older than ${inviteDays} days, or its sender may not invite you any more. Ask for a new one.`
const hasAccount =
  'You have an account on this server already. Sign in with it, or ask for an invitation to another address.'

/** Way in that an invited person chooses: a password, or what `together` writes in the same transaction. */
export interface FirstWay {
  passwordHash?: string
  together?: (transaction: Transaction) => Promise<unknown>
}

const nothing: Started = { assignmentIds: [], groupIds: [] }

/**
 * Removes what others gave to the pending account, but for what the invitation names, and what they made as that account:
 * it would go on in the name of the person who comes (T43).
 */
async function keepOnly(call: Pick<Call, 'app' | 'actor'>, transaction: Transaction, userId: string, start: Started) {
  const { models } = call.app
  const { assignmentIds, groupIds } = start
  await removeAssignmentsOf(call, transaction, [userId], assignmentIds)
  const others = groupIds.length > 0 && { groupId: { [Op.notIn]: groupIds } }
  await models.UserGroupMember.destroy({ where: { userId, ...others }, transaction })
  await models.PersonalAccessToken.destroy({ where: { userId }, transaction })
  await models.UserPreference.destroy({ where: { userId }, transaction })
  await models.LogonToken.destroy({ where: { [Op.or]: [{ userId }, { makerId: userId }] }, transaction })
  await models.InstallerKey.destroy({ where: { creatorId: userId }, transaction })
  await models.Webhook.destroy({ where: { makerId: userId }, transaction })
  await removePowerOrdersOf(call, transaction, userId)
  await removeInvites(call, transaction, { makerId: userId })
}

export async function rejectAcceptance({ app, actor }: OpenCall): Promise<Acceptance> {
  await app.audit.record(actor, { kind: 'people.invite-accepted', outcome: 'failure', tenantId: null })
  return { errorMessage: unknownInvite }
}

/**
 * Activates the pending user with its first way in. The user starts with Self Service and what the invitation gave.
 */
export async function accept(call: OpenCall, invite: OpenInvite, way: FirstWay): Promise<Acceptance> {
  const { app } = call
  const { id: inviteId, userId, tenantId, inviteeEmail, activationCodeHash, startJson, isInvitee } = invite
  // From here on the accepting person is the actor.
  const ownCall = { app, actor: actorOfUser(call.actor, { id: userId, userName: inviteeEmail, tenantId }) }
  const start = startJson === null ? nothing : (JSON.parse(startJson) as Started)
  const accepted = await app.database.write(async (transaction): Promise<Acceptance> => {
    if (await isAddressTaken(app, inviteeEmail, transaction)) {
      return { errorMessage: isInvitee ? hasAccount : unknownInvite }
    }
    if (!(await standsInvite(app, invite, transaction))) {
      return { errorMessage: unknownInvite }
    }
    const taken = await app.models.Invite.destroy({ where: { id: inviteId }, transaction })
    const row = await app.models.User.findByPk(userId, { transaction })
    if (taken === 0 || !row) {
      return { errorMessage: unknownInvite }
    }
    await keepOnly(ownCall, transaction, userId, start)
    await row.update(
      {
        accountType: 'Interactive',
        passwordHash: way.passwordHash ?? null,
        securityStamp: randomUUID(),
        isEmailConfirmed: isInvitee,
        lastLogin: app.clock.now(),
        acceptedCodeHash: activationCodeHash,
      },
      { transaction },
    )
    await way.together?.(transaction)
    await seedPresets(ownCall, transaction, { kind: 'User', id: userId }, ['Self Service'], tenantId)
    await app.audit.recordIn(transaction, ownCall.actor, [
      { kind: 'people.invite-accepted', target: userTarget({ id: userId, userName: row.userName }) },
    ])
    return { user: row.get({ plain: true }) }
  })
  if ('user' in accepted) {
    app.log.info({ actor: ownCall.actor, userId, tenantId, inviteId }, 'An invite was accepted.')
  }
  return accepted
}

export async function acceptInvite(
  call: OpenCall,
  { activationCode, email, password }: AcceptInviteRequestDto,
): Promise<Acceptance> {
  const invite = await findOpenInvite(call.app, activationCode)
  if (invite?.inviteeEmail !== email) {
    return rejectAcceptance(call)
  }
  const checked = newPassword.safeParse(password)
  if (!checked.success) {
    return { errorMessage: `The password ${checked.error.issues.map(({ message }) => message).join(', ')}.` }
  }
  return accept(call, invite, { passwordHash: await hashPassword(checked.data) })
}
