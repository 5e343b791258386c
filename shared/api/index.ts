import { agentDevices } from './agent-devices.ts'
import { agentUpdates } from './agent-updates.ts'
import { applianceAccount } from './appliance-account.ts'
import { applianceAgentBuilds } from './appliance-agent-builds.ts'
import { applianceAgentReleases } from './appliance-agent-releases.ts'
import { applianceBackup } from './appliance-backup.ts'
import { applianceBatches } from './appliance-batches.ts'
import { applianceConsent } from './appliance-consent.ts'
import { applianceDeployments } from './appliance-deployments.ts'
import { applianceDeviceFiles } from './appliance-device-files.ts'
import { applianceDeviceUploads } from './appliance-device-uploads.ts'
import { applianceEntry } from './appliance-entry.ts'
import { applianceEvents } from './appliance-events.ts'
import { applianceDeviceNotes } from './appliance-device-notes.ts'
import { applianceDeviceSearch } from './appliance-device-search.ts'
import { applianceDeviceViews } from './appliance-device-views.ts'
import { applianceDevices } from './appliance-devices.ts'
import { applianceHealth } from './appliance-health.ts'
import { applianceHistory } from './appliance-history.ts'
import { applianceHome } from './appliance-home.ts'
import { applianceIdentityProviders } from './appliance-identity-providers.ts'
import { applianceInstallerKeys } from './appliance-installer-keys.ts'
import { applianceNetwork } from './appliance-network.ts'
import { applianceOrganization } from './appliance-organization.ts'
import { applianceNotices } from './appliance-notices.ts'
import { applianceNotifications } from './appliance-notifications.ts'
import { applianceRights } from './appliance-rights.ts'
import { applianceShares } from './appliance-shares.ts'
import { applianceTerminalShares } from './appliance-terminal-shares.ts'
import { applianceSession } from './appliance-session.ts'
import { appliancePasskeys } from './appliance-passkeys.ts'
import { applianceInvitations } from './appliance-invitations.ts'
import { appliancePeople } from './appliance-people.ts'
import { applianceAlerts } from './appliance-alerts.ts'
import { applianceAuditLog } from './appliance-audit-log.ts'
import { applianceRecordings, applianceSessionRecordings } from './appliance-recordings.ts'
import { applianceRemoteSessions } from './appliance-remote-sessions.ts'
import { applianceServer } from './appliance-server.ts'
import { applianceTimeline } from './appliance-timeline.ts'
import { applianceStatus } from './appliance-status.ts'
import { applianceUpdates } from './appliance-updates.ts'
import { applianceWebhooks } from './appliance-webhooks.ts'
import { auth } from './auth.ts'
import { authorizationChangeLogs } from './authorization-change-logs.ts'
import { customers } from './customers.ts'
import { deploymentOptions } from './deployment-options.ts'
import { desktopPreview } from './desktop-preview.ts'
import { deviceFileSystem } from './device-file-system.ts'
import { deviceFileSystemForm } from './device-file-system-form.ts'
import { deviceGroups } from './device-groups.ts'
import { deviceTags } from './device-tags.ts'
import { devices } from './devices.ts'
import { effectivePermissions } from './effective-permissions.ts'
import { effectiveUserPreferences } from './effective-user-preferences.ts'
import { identity } from './identity.ts'
import { installerKeys } from './installer-keys.ts'
import { internalLogonTokens } from './internal-logon-tokens.ts'
import { inviteAcceptance } from './invite-acceptance.ts'
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

/** All route groups, by the document that describes them. */
export const api = {
  v1: {
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
  },
  identity: { identity },
  internal: { auth, deviceFileSystemForm, internalLogonTokens, inviteAcceptance },
  agent: { agentDevices, agentUpdates },
  appliance: {
    applianceAccount,
    applianceAgentBuilds,
    applianceAgentReleases,
    applianceAlerts,
    applianceBackup,
    applianceBatches,
    applianceConsent,
    applianceDeployments,
    applianceDeviceFiles,
    applianceDeviceUploads,
    applianceDeviceNotes,
    applianceDeviceSearch,
    applianceDeviceViews,
    applianceDevices,
    applianceEntry,
    applianceHistory,
    applianceHome,
    applianceEvents,
    applianceHealth,
    applianceIdentityProviders,
    applianceInstallerKeys,
    applianceNetwork,
    applianceNotices,
    applianceNotifications,
    applianceOrganization,
    appliancePasskeys,
    applianceInvitations,
    appliancePeople,
    applianceRights,
    applianceSession,
    applianceShares,
    applianceTerminalShares,
    applianceAuditLog,
    applianceRecordings,
    applianceRemoteSessions,
    applianceSessionRecordings,
    applianceServer,
    applianceStatus,
    applianceTimeline,
    applianceUpdates,
    applianceWebhooks,
  },
}
