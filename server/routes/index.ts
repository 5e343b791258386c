import type { App } from '../call.ts'
import { agentDeviceRoutes } from './agent-devices.ts'
import { agentUpdateRoutes } from './agent-updates.ts'
import { applianceAccountRoutes } from './appliance-account.ts'
import { applianceAgentBuildRoutes } from './appliance-agent-builds.ts'
import { applianceAgentReleaseRoutes } from './appliance-agent-releases.ts'
import { applianceBackupRoutes } from './appliance-backup.ts'
import { applianceBatchRoutes } from './appliance-batches.ts'
import { applianceDeploymentRoutes } from './appliance-deployments.ts'
import { applianceDeviceUploadRoutes } from './appliance-device-uploads.ts'
import { applianceDeviceNoteRoutes } from './appliance-device-notes.ts'
import { applianceDeviceSearchRoutes } from './appliance-device-search.ts'
import { applianceDeviceViewRoutes } from './appliance-device-views.ts'
import { applianceDeviceRoutes } from './appliance-devices.ts'
import { applianceEntryRoutes } from './appliance-entry.ts'
import { applianceIdentityProviderRoutes } from './appliance-identity-providers.ts'
import { applianceInstallerKeyRoutes } from './appliance-installer-keys.ts'
import { applianceNetworkRoutes } from './appliance-network.ts'
import { applianceOrganizationRoutes } from './appliance-organization.ts'
import { applianceNoticeRoutes } from './appliance-notices.ts'
import { appliancePasskeyRoutes } from './appliance-passkeys.ts'
import { applianceInvitationRoutes } from './appliance-invitations.ts'
import { appliancePeopleRoutes } from './appliance-people.ts'
import { applianceRightsRoutes } from './appliance-rights.ts'
import { applianceSessionRoutes } from './appliance-session.ts'
import { applianceShareRoutes } from './appliance-shares.ts'
import { applianceAuditLogRoutes } from './appliance-audit-log.ts'
import { applianceRemoteSessionRoutes } from './appliance-remote-sessions.ts'
import { applianceHealthRoutes } from './appliance-health.ts'
import { applianceServerRoutes } from './appliance-server.ts'
import { applianceStatusRoutes } from './appliance-status.ts'
import { applianceUpdateRoutes } from './appliance-updates.ts'
import { authRoutes } from './auth.ts'
import { authorizationChangeLogRoutes } from './authorization-change-logs.ts'
import { customerRoutes } from './customers.ts'
import { deploymentOptionsRoutes } from './deployment-options.ts'
import { desktopPreviewRoutes } from './desktop-preview.ts'
import { deviceFileSystemFormRoutes } from './device-file-system-form.ts'
import { deviceFileSystemRoutes } from './device-file-system.ts'
import { deviceGroupRoutes } from './device-groups.ts'
import { deviceTagRoutes } from './device-tags.ts'
import { deviceRoutes } from './devices.ts'
import { effectivePermissionRoutes } from './effective-permissions.ts'
import { effectiveUserPreferencesRoutes } from './effective-user-preferences.ts'
import { identityRoutes } from './identity.ts'
import { installerKeyRoutes } from './installer-keys.ts'
import { internalAliases } from './internal-aliases.ts'
import { internalLogonTokenRoutes } from './internal-logon-tokens.ts'
import { inviteAcceptanceRoutes } from './invite-acceptance.ts'
import { inviteRoutes } from './invites.ts'
import { logonTokenRoutes } from './logon-tokens.ts'
import { permissionAssignmentRoutes } from './permission-assignments.ts'
import { personalAccessTokenRoutes } from './personal-access-tokens.ts'
import { publicServerSettingsRoutes } from './public-server-settings.ts'
import { serverAlertRoutes } from './server-alert.ts'
import { serverLogRoutes } from './server-logs.ts'
import { serverServiceAccountRoutes } from './server-service-accounts.ts'
import { serverStatsRoutes } from './server-stats.ts'
import { tagRoutes } from './tags.ts'
import { tenantServiceAccountRoutes } from './tenant-service-accounts.ts'
import { tenantSettingsRoutes } from './tenant-settings.ts'
import { tenantRoutes } from './tenants.ts'
import { testEmailRoutes } from './test-email.ts'
import { userGroupRoutes } from './user-groups.ts'
import { userPersonalAccessTokenRoutes } from './user-personal-access-tokens.ts'
import { userPreferencesRoutes } from './user-preferences.ts'
import { userServerSettingRoutes } from './user-server-settings.ts'
import { userStorageRoutes } from './user-storage.ts'
import { userRoutes } from './users.ts'
import { versionRoutes } from './version.ts'

/** Route groups that are always served. */
const routeGroups = [
  agentDeviceRoutes,
  agentUpdateRoutes,
  applianceAgentReleaseRoutes,
  applianceBackupRoutes,
  applianceBatchRoutes,
  applianceDeploymentRoutes,
  applianceDeviceUploadRoutes,
  applianceDeviceNoteRoutes,
  applianceDeviceSearchRoutes,
  applianceDeviceViewRoutes,
  applianceDeviceRoutes,
  applianceEntryRoutes,
  applianceIdentityProviderRoutes,
  applianceInstallerKeyRoutes,
  applianceNetworkRoutes,
  applianceNoticeRoutes,
  applianceOrganizationRoutes,
  appliancePasskeyRoutes,
  applianceInvitationRoutes,
  appliancePeopleRoutes,
  applianceRightsRoutes,
  applianceSessionRoutes,
  applianceShareRoutes,
  applianceAuditLogRoutes,
  applianceRemoteSessionRoutes,
  applianceHealthRoutes,
  applianceServerRoutes,
  applianceStatusRoutes,
  applianceUpdateRoutes,
  authRoutes,
  authorizationChangeLogRoutes,
  customerRoutes,
  deploymentOptionsRoutes,
  desktopPreviewRoutes,
  deviceFileSystemFormRoutes,
  deviceFileSystemRoutes,
  deviceGroupRoutes,
  deviceRoutes,
  deviceTagRoutes,
  effectivePermissionRoutes,
  effectiveUserPreferencesRoutes,
  installerKeyRoutes,
  internalLogonTokenRoutes,
  inviteAcceptanceRoutes,
  inviteRoutes,
  logonTokenRoutes,
  permissionAssignmentRoutes,
  personalAccessTokenRoutes,
  publicServerSettingsRoutes,
  serverAlertRoutes,
  serverLogRoutes,
  serverServiceAccountRoutes,
  serverStatsRoutes,
  tagRoutes,
  tenantRoutes,
  tenantServiceAccountRoutes,
  tenantSettingsRoutes,
  testEmailRoutes,
  userGroupRoutes,
  userPersonalAccessTokenRoutes,
  userPreferencesRoutes,
  userRoutes,
  userServerSettingRoutes,
  userStorageRoutes,
  versionRoutes,
  ...internalAliases,
]

/**
 * Route groups of this server: the stock identity endpoints only with bearer tokens, agent builds only from a checkout.
 */
export const routeGroupsFor = ({ config, agentBuilds }: Pick<App, 'config' | 'agentBuilds'>) => [
  ...routeGroups,
  applianceAccountRoutes,
  ...(agentBuilds.isPossible ? [applianceAgentBuildRoutes] : []),
  ...(config.appOptions.enableInteractiveBearerLogin ? [identityRoutes] : []),
]
