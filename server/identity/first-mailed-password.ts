import type { Transaction } from 'sequelize'
import type { OpenCall } from '../call/call.ts'
import type { Models } from '../call/models.ts'
import { removePowerOrdersOf } from '../devices/power-orders.ts'
import { removeInvites } from './remove-invites.ts'

/**
 * Ends what was made as a user by whoever registered an address before its owner had a mailed code (T24). The second factor
 * stays, because the mailbox alone must not remove it.
 */
export async function endStrangerCredentials(
  call: Pick<OpenCall, 'app' | 'actor'>,
  transaction: Transaction,
  id: string,
): Promise<void> {
  const { clock, models } = call.app
  for (const model of [models.PersonalAccessToken, models.Passkey, models.ExternalLogin, models.ContactMethod]) {
    await (model as Models['Passkey']).destroy({ where: { userId: id }, transaction })
  }
  await models.InstallerKey.update({ expiration: clock.now() }, { where: { creatorId: id }, transaction })
  await models.LogonToken.destroy({ where: { makerId: id }, transaction })
  await models.Webhook.destroy({ where: { makerId: id }, transaction })
  await removePowerOrdersOf(call, transaction, id)
  await removeInvites(call, transaction, { makerId: id })
}
