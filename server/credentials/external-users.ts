import { randomUUID } from 'node:crypto'
import { Op, type Transaction } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import { userPreferenceTable } from '../../shared/dtos/user-preference.ts'
import { isVisibleName } from '../../shared/person-name.ts'
import type { App, OpenCall } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import { invalid } from '../ground/errors.ts'
import { removeAssignmentsOf } from '../assignments/assignment-cleanup.ts'
import type { UserRow } from '../people/tables.ts'
import { newUser } from '../people/users.ts'

const { userDisplayName } = userPreferenceTable

/** Users deleted per transaction. */
const batchLength = 100

interface Identity {
  tenantId: string
  /** Account that makes the link. */
  makerId: string
  /** Id of the person in the other system. */
  correlationId: string
  displayName?: string | null | undefined
}

/** Name of a guest in any script and punctuation; null for a bad one, which is ignored. */
function guestNameOf(text: string | null | undefined): string | null {
  const name = text?.trim() ?? ''
  return isVisibleName(name) ? name : null
}

/** True for the account that made a guest, and for every account once that one is deleted. */
const mayRename = ({ accounts, serviceAccounts }: App, guest: UserRow, makerId: string) =>
  guest.makerId === makerId ||
  guest.makerId === null ||
  !(accounts.get(guest.makerId) ?? serviceAccounts.get(guest.makerId))

/**
 * Finds or creates the transient user of a tenant for another system's id. Counts as activity of the user. A name by which
 * another account knows the user stays: that account's people see it (T45).
 */
export async function takeExternalUser(
  app: App,
  transaction: Transaction,
  { tenantId, makerId, correlationId, ...identity }: Identity,
): Promise<UserRow> {
  const { models, clock, config } = app
  const userName = `ext-${correlationId}`
  const now = clock.now()
  const namesakes = await models.User.findAll({ where: { tenantId, userName }, transaction })
  if (namesakes.some((user) => user.get('accountType') !== 'External')) {
    throw invalid({ userCorrelationId: ['gives a user name that a person of this tenant already has'] })
  }
  const known = namesakes[0]?.get({ plain: true })
  const guestName = !known || mayRename(app, known, makerId) ? guestNameOf(identity.displayName) : null
  if (!known) {
    await checkRowLimit('guests', models.User, { tenantId, accountType: 'External' }, transaction, { own: { makerId } })
  }
  const user =
    known ??
    newUser({
      tenantId,
      makerId,
      accountType: 'External',
      userName,
      email: `${userName}@${config.appOptions.localUserDomain}`,
      createdAt: now,
      lastLogin: now,
      guestName,
    })
  await (known
    ? models.User.update(
        { lastLogin: now, ...(guestName !== null && { guestName }) },
        { where: { id: user.id }, transaction },
      )
    : models.User.create(user, { transaction }))
  // The preference takes fewer characters than names have.
  if (guestName !== null && userDisplayName.schema.safeParse(guestName).success) {
    await setDisplayName(app, transaction, user.id, guestName)
  }
  return user
}

async function setDisplayName({ models }: App, transaction: Transaction, userId: string, value: string) {
  const where = { userId, name: userDisplayName.name }
  const [changed] = await models.UserPreference.update({ value }, { where, transaction })
  if (changed === 0) {
    await models.UserPreference.create({ id: randomUUID(), ...where, value }, { transaction })
  }
}

/** Removes transient users without activity within the configured days. Users that were never seen remain. */
export async function removeInactiveExternalUsers(call: OpenCall): Promise<void> {
  const { app } = call
  const days = app.config.appOptions.externalUserCleanupAfterDays
  if (days < 1) {
    return
  }
  const before = app.retentionClock.now() - days * dayMs
  const where = { accountType: 'External', lastLogin: { [Op.lt]: before } } as const
  const inactiveSql = "SELECT 1 FROM users WHERE accountType = 'External' AND lastLogin < ? LIMIT 1"
  if ((await app.database.all(inactiveSql, [before])).length === 0) {
    return
  }
  for (;;) {
    const ids = await app.database.write(async (transaction) => {
      const found = await app.models.User.findAll({ where, attributes: ['id'], limit: batchLength, transaction })
      const inactive = found.map(({ id }) => id)
      if (inactive.length === 0) {
        return []
      }
      await removeAssignmentsOf(call, transaction, inactive)
      await app.models.User.destroy({ where: { id: inactive }, transaction })
      return inactive
    })
    if (ids.length > 0) {
      app.log.info({ count: ids.length, days }, 'Transient users without activity were removed.')
    }
    if (ids.length < batchLength) {
      return
    }
  }
}
