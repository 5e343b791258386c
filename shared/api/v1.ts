import { authorizationChangeLogs } from './authorization-change-logs.ts'
import { customers } from './customers.ts'
import { deploymentOptions } from './deployment-options.ts'
import { desktopPreview } from './desktop-preview.ts'
import { deviceFileSystem } from './device-file-system.ts'
import { deviceGroups } from './device-groups.ts'
import { deviceTags } from './device-tags.ts'
import { devices } from './devices.ts'
import { effectivePermissions } from './effective-permissions.ts'
import { effectiveUserPreferences } from './effective-user-preferences.ts'
import { installerKeys } from './installer-keys.ts'
import { invites } from './invites.ts'
import { logonTokens } from './logon-tokens.ts'
import { permissionAssignments } from './permission-assignments.ts'
import { personalAccessTokens } from './personal-access-tokens.ts'
import { publicServerSettings } from './public-server-settings.ts'
import { serverAlert } from './server-alert.ts'
import { serverLogs } from './server-logs.ts'
import { serverServiceAccounts } from './server-service-accounts.ts'
import { serverStats } from './server-stats.ts'
import { tags } from './tags.ts'
import { tenantServiceAccounts } from './tenant-service-accounts.ts'
import { tenantSettings } from './tenant-settings.ts'
import { tenants } from './tenants.ts'
import { testEmail } from './test-email.ts'
import { userGroups } from './user-groups.ts'
import { userPersonalAccessTokens } from './user-personal-access-tokens.ts'
import { userPreferences } from './user-preferences.ts'
import { userServerSettings } from './user-server-settings.ts'
import { userStorage } from './user-storage.ts'
import { users } from './users.ts'
import { versions } from './version.ts'

/** Route groups of the published interface, a closed list. */
export const v1 = {
  authorizationChangeLogs,
  customers,
  deploymentOptions,
  desktopPreview,
  deviceFileSystem,
  deviceGroups,
  deviceTags,
  devices,
  effectivePermissions,
  effectiveUserPreferences,
  installerKeys,
  invites,
  logonTokens,
  permissionAssignments,
  personalAccessTokens,
  publicServerSettings,
  serverAlert,
  serverLogs,
  serverServiceAccounts,
  serverStats,
  tags,
  tenantServiceAccounts,
  tenantSettings,
  tenants,
  testEmail,
  userGroups,
  userPersonalAccessTokens,
  userPreferences,
  userServerSettings,
  userStorage,
  users,
  versions,
}
