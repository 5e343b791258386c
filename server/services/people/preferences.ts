import { userPreferenceTable, type EffectiveUserPreferencesDto } from '../../../shared/dtos/user-preference.ts'
import type { Call } from '../../call.ts'
import { badRequest, forbidden } from '../../errors.ts'
import { namedSettings } from '../organization/named-settings.ts'
import { tenantSettings } from '../organization/tenant-settings.ts'

export const userPreferences = namedSettings({
  settings: userPreferenceTable,
  model: (models) => models.UserPreference,
  owner: 'userId',
})

/**
 * The user whose own things a principal may see and change. Throws 400 for a service account, which is none, and 403
 * for a link to one device that was made in the name of somebody who signs in otherwise.
 */
export async function ownUserId({ app: { models }, principal: { kind, id, credential } }: Call): Promise<string> {
  if (kind !== 'User') {
    throw badRequest('Only a user has preferences and storage, and a service account is none.')
  }
  if (credential.kind === 'LogonToken') {
    const user = await models.User.findByPk(id)
    if (user?.accountType !== 'External') {
      throw forbidden('This session opens one device, and nothing else of its user.')
    }
  }
  return id
}

/** What a device shows of who comes: the name that people chose, else that of the account. */
export async function displayNameOf(call: Call): Promise<string> {
  const { kind, id, name } = call.principal
  return (kind === 'User' && (await userPreferences.getAll(call, id)).userDisplayName) || name
}

/** What counts for a principal: the tenant's decision, else their own choice, else the default. */
export async function effectivePreferences(call: Call, tenantId: string): Promise<EffectiveUserPreferencesDto> {
  const { kind, id } = call.principal
  const enforced = (await tenantSettings.getAll(call, tenantId)).notifyUserOnSessionStart
  if (enforced !== null) {
    return { notifyUserOnSessionStart: enforced, isNotifyUserOnSessionStartTenantEnforced: true }
  }
  const notifyUserOnSessionStart =
    kind === 'User'
      ? (await userPreferences.getAll(call, id)).notifyUserOnSessionStart
      : userPreferenceTable.notifyUserOnSessionStart.fallback
  return { notifyUserOnSessionStart, isNotifyUserOnSessionStartTenantEnforced: false }
}
