import { userPreferenceTable, type EffectiveUserPreferencesDto } from '../../shared/dtos/user-preference.ts'
import type { Call } from '../call/call.ts'
import { badRequest, forbidden } from '../ground/errors.ts'
import { namedSettings } from '../settings/named-settings.ts'
import { tenantSettings } from '../settings/tenant-settings.ts'

export const userPreferences = namedSettings({
  settings: userPreferenceTable,
  model: (models) => models.UserPreference,
  owner: 'userId',
})

/**
 * Id of the user whose preferences and storage a principal may use. Throws 400 for a service account, and 403 for a
 * logon token in the name of an interactive user.
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

/**
 * Preferences in effect for a principal: the tenant's decision, else the user's choice, else the default. Whoever came by a
 * link chooses nothing that the person at the device sees (T45).
 */
export async function effectivePreferences(call: Call, tenantId: string): Promise<EffectiveUserPreferencesDto> {
  const { kind, id, credential } = call.principal
  const enforced = (await tenantSettings.getAll(call, tenantId)).notifyUserOnSessionStart
  if (enforced !== null) {
    return { notifyUserOnSessionStart: enforced, isNotifyUserOnSessionStartTenantEnforced: true }
  }
  const notifyUserOnSessionStart =
    kind === 'User' && credential.kind !== 'LogonToken'
      ? (await userPreferences.getAll(call, id)).notifyUserOnSessionStart
      : userPreferenceTable.notifyUserOnSessionStart.fallback
  return { notifyUserOnSessionStart, isNotifyUserOnSessionStartTenantEnforced: false }
}
