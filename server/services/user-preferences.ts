import { userPreferenceTable, type EffectiveUserPreferencesDto } from '../../shared/dtos/user-preference.ts'
import type { App, Principal } from '../context.ts'
import { badRequest } from '../errors.ts'
import { namedSettings } from './named-settings.ts'
import { tenantSettings } from './tenant-settings.ts'

export const userPreferences = namedSettings({
  settings: userPreferenceTable,
  model: (models) => models.UserPreference,
  owner: 'userId',
})

/** The user behind a caller. Throws 400 for a service account, which is none. */
export function userOf({ kind, id }: Principal): string {
  if (kind !== 'User') {
    throw badRequest('Only a user has preferences and storage, and a service account is none.')
  }
  return id
}

/** What counts for a caller: the tenant's decision, else their own choice, else the default. */
export async function effectivePreferences(
  app: App,
  { kind, id }: Principal,
  tenantId: string,
): Promise<EffectiveUserPreferencesDto> {
  const enforced = (await tenantSettings.getAll(app, tenantId)).notifyUserOnSessionStart
  if (enforced !== null) {
    return { notifyUserOnSessionStart: enforced, isNotifyUserOnSessionStartTenantEnforced: true }
  }
  const notifyUserOnSessionStart =
    kind === 'User'
      ? (await userPreferences.getAll(app, id)).notifyUserOnSessionStart
      : userPreferenceTable.notifyUserOnSessionStart.fallback
  return { notifyUserOnSessionStart, isNotifyUserOnSessionStartTenantEnforced: false }
}
