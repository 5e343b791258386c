import type { Transaction, WhereOptions } from 'sequelize'
import { removeAssignmentsOf } from '../assignments/assignment-cleanup.ts'
import type { OpenCall } from '../call/call.ts'
import type { InviteRow } from '../people/tables.ts'

/** Deletes invites and their pending users. */
export async function removeInvites(
  call: Pick<OpenCall, 'app' | 'actor'>,
  transaction: Transaction,
  where: WhereOptions<InviteRow>,
) {
  const { models } = call.app
  const invites = await models.Invite.findAll({ where, transaction })
  if (invites.length > 0) {
    const userIds = invites.map(({ userId }) => userId)
    await removeAssignmentsOf(call, transaction, userIds)
    await models.User.destroy({ where: { id: userIds }, transaction })
  }
  return invites.length
}
