import type { App } from '../call/call.ts'
import { agentDeviceRoutes } from '../agents/agents.routes.ts'
import { agentUpdateRoutes } from '../agents/agents.routes.ts'
import { applianceAccountRoutes } from '../identity/account.routes.ts'
import { applianceAgentBuildRoutes } from '../agents/agents.routes.ts'
import { applianceAgentReleaseRoutes } from '../agents/agents.routes.ts'
import { applianceAlertRoutes } from '../alerts/alerts.routes.ts'
import { applianceBackupRoutes } from '../backup/backup.routes.ts'
import { applianceBatchRoutes } from '../batches/batches.routes.ts'
import { applianceConsentRoutes } from '../remote/consent.routes.ts'
import { applianceDeploymentRoutes } from '../agents/deployments.routes.ts'
import { applianceDeviceFileRoutes } from '../files/files.routes.ts'
import { applianceDeviceUploadRoutes } from '../files/files.routes.ts'
import { applianceDeviceNoteRoutes } from '../devices/devices.routes.ts'
import { applianceDeviceSearchRoutes } from '../fleet/fleet.routes.ts'
import { applianceDeviceViewRoutes } from '../fleet/fleet.routes.ts'
import { applianceDeviceRoutes } from '../devices/devices.routes.ts'
import { applianceEntryRoutes } from '../identity/entry.routes.ts'
import { applianceEventRoutes } from '../events/events.routes.ts'
import { applianceIdentityProviderRoutes } from '../providers/providers.routes.ts'
import { applianceInstallerKeyRoutes } from '../agents/installer-keys.routes.ts'
import { applianceNetworkRoutes } from '../network/network.routes.ts'
import { applianceOrganizationRoutes } from '../organization/customers.routes.ts'
import { applianceNotificationRoutes } from '../notifications/notifications.routes.ts'
import { applianceNoticeRoutes } from '../membership/people.routes.ts'
import { appliancePasskeyRoutes } from '../identity/passkeys.routes.ts'
import { applianceInvitationRoutes } from '../membership/invites.routes.ts'
import { appliancePeopleRoutes } from '../membership/people.routes.ts'
import { applianceRightsRoutes } from '../assignments/rights.routes.ts'
import { applianceSessionRoutes } from '../identity/session.routes.ts'
import { applianceShareRoutes } from '../credentials/links.routes.ts'
import { applianceTerminalShareRoutes } from '../remote/terminals/shares.routes.ts'
import { applianceAuditLogRoutes } from '../audit/audit.routes.ts'
import { applianceRecordingRoutes, applianceSessionRecordingRoutes } from '../recordings/recordings.routes.ts'
import { applianceRemoteSessionRoutes } from '../remote/remote.routes.ts'
import { applianceHistoryRoutes } from '../history/history.routes.ts'
import { applianceHomeRoutes } from '../home/home.routes.ts'
import { applianceHealthRoutes } from '../health/health.routes.ts'
import { applianceServerRoutes } from '../settings/settings.routes.ts'
import { applianceStatusRoutes } from '../health/health.routes.ts'
import { applianceUpdateRoutes } from '../updates/updates.routes.ts'
import { applianceWebhookRoutes } from '../events/webhooks.routes.ts'
import { authRoutes } from '../identity/sign-in.routes.ts'
import { authorizationChangeLogRoutes } from '../assignments/rights.routes.ts'
import { customerRoutes } from '../organization/customers.routes.ts'
import { deploymentOptionsRoutes } from '../agents/deployments.routes.ts'
import { desktopPreviewRoutes } from '../remote/remote.routes.ts'
import { deviceFileSystemFormRoutes } from '../files/files.routes.ts'
import { deviceFileSystemRoutes } from '../files/files.routes.ts'
import { deviceGroupRoutes } from '../organization/device-groups.routes.ts'
import { deviceTagRoutes } from '../devices/tags.routes.ts'
import { deviceRoutes } from '../devices/devices.routes.ts'
import { effectivePermissionRoutes } from '../assignments/rights.routes.ts'
import { effectiveUserPreferencesRoutes } from '../people/preferences.routes.ts'
import { identityRoutes } from '../identity/identity.routes.ts'
import { installerKeyRoutes } from '../agents/installer-keys.routes.ts'
import { internalAliases } from './internal-aliases.ts'
import { internalLogonTokenRoutes } from '../credentials/links.routes.ts'
import { inviteAcceptanceRoutes } from '../membership/invites.routes.ts'
import { inviteRoutes } from '../membership/invites.routes.ts'
import { logonTokenRoutes } from '../credentials/links.routes.ts'
import { permissionAssignmentRoutes } from '../assignments/assignments.routes.ts'
import { personalAccessTokenRoutes } from '../credentials/personal-access-tokens.routes.ts'
import { publicServerSettingsRoutes } from '../settings/settings.routes.ts'
import { serverAlertRoutes } from '../settings/server-alert.routes.ts'
import { serverLogRoutes } from '../health/health.routes.ts'
import { serverServiceAccountRoutes } from '../credentials/service-accounts.routes.ts'
import { serverStatsRoutes } from '../health/health.routes.ts'
import { applianceTimelineRoutes } from '../history/timeline.routes.ts'
import { tagRoutes } from '../devices/tags.routes.ts'
import { tenantServiceAccountRoutes } from '../credentials/service-accounts.routes.ts'
import { tenantSettingsRoutes } from '../organization/tenants.routes.ts'
import { tenantRoutes } from '../organization/tenants.routes.ts'
import { testEmailRoutes } from '../settings/test-email.routes.ts'
import { userGroupRoutes } from '../organization/user-groups.routes.ts'
import { userPersonalAccessTokenRoutes } from '../credentials/personal-access-tokens.routes.ts'
import { userPreferencesRoutes } from '../people/preferences.routes.ts'
import { userServerSettingRoutes } from '../settings/settings.routes.ts'
import { userStorageRoutes } from '../people/preferences.routes.ts'
import { userRoutes } from '../membership/people.routes.ts'
import { versionRoutes } from './version.routes.ts'

/** Route groups that are always served. */
const routeGroups = [
  agentDeviceRoutes,
  agentUpdateRoutes,
  applianceAgentReleaseRoutes,
  applianceAlertRoutes,
  applianceBackupRoutes,
  applianceBatchRoutes,
  applianceConsentRoutes,
  applianceDeploymentRoutes,
  applianceDeviceFileRoutes,
  applianceDeviceUploadRoutes,
  applianceDeviceNoteRoutes,
  applianceDeviceSearchRoutes,
  applianceDeviceViewRoutes,
  applianceDeviceRoutes,
  applianceEntryRoutes,
  applianceEventRoutes,
  applianceIdentityProviderRoutes,
  applianceInstallerKeyRoutes,
  applianceNetworkRoutes,
  applianceNoticeRoutes,
  applianceNotificationRoutes,
  applianceOrganizationRoutes,
  appliancePasskeyRoutes,
  applianceInvitationRoutes,
  appliancePeopleRoutes,
  applianceRightsRoutes,
  applianceSessionRoutes,
  applianceShareRoutes,
  applianceTerminalShareRoutes,
  applianceAuditLogRoutes,
  applianceRecordingRoutes,
  applianceRemoteSessionRoutes,
  applianceSessionRecordingRoutes,
  applianceHealthRoutes,
  applianceHistoryRoutes,
  applianceHomeRoutes,
  applianceServerRoutes,
  applianceStatusRoutes,
  applianceTimelineRoutes,
  applianceUpdateRoutes,
  applianceWebhookRoutes,
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
