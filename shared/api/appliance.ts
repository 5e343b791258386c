import { applianceAccount } from './appliance-account.ts'
import { applianceAgentBuilds } from './appliance-agent-builds.ts'
import { applianceAgentReleases } from './appliance-agent-releases.ts'
import { applianceAlerts } from './appliance-alerts.ts'
import { applianceBackup } from './appliance-backup.ts'
import { applianceBatches } from './appliance-batches.ts'
import { applianceConsent } from './appliance-consent.ts'
import { applianceDeployments } from './appliance-deployments.ts'
import { applianceDeviceFiles } from './appliance-device-files.ts'
import { applianceDeviceUploads } from './appliance-device-uploads.ts'
import { applianceDeviceNotes } from './appliance-device-notes.ts'
import { applianceDeviceSearch } from './appliance-device-search.ts'
import { applianceDeviceViews } from './appliance-device-views.ts'
import { applianceDevices } from './appliance-devices.ts'
import { applianceEntry } from './appliance-entry.ts'
import { applianceHistory } from './appliance-history.ts'
import { applianceHome } from './appliance-home.ts'
import { applianceEvents } from './appliance-events.ts'
import { applianceHealth } from './appliance-health.ts'
import { applianceIdentityProviders } from './appliance-identity-providers.ts'
import { applianceInstallerKeys } from './appliance-installer-keys.ts'
import { applianceNetwork } from './appliance-network.ts'
import { applianceNotices } from './appliance-notices.ts'
import { applianceNotifications } from './appliance-notifications.ts'
import { applianceOrganization } from './appliance-organization.ts'
import { appliancePasskeys } from './appliance-passkeys.ts'
import { applianceInvitations } from './appliance-invitations.ts'
import { appliancePeople } from './appliance-people.ts'
import { applianceRights } from './appliance-rights.ts'
import { applianceSession } from './appliance-session.ts'
import { applianceShares } from './appliance-shares.ts'
import { applianceTerminalShares } from './appliance-terminal-shares.ts'
import { applianceAuditLog } from './appliance-audit-log.ts'
import { applianceRecordings, applianceSessionRecordings } from './appliance-recordings.ts'
import { applianceRemoteSessions } from './appliance-remote-sessions.ts'
import { applianceServer } from './appliance-server.ts'
import { applianceStatus } from './appliance-status.ts'
import { applianceTimeline } from './appliance-timeline.ts'
import { applianceUpdates } from './appliance-updates.ts'
import { applianceWebhooks } from './appliance-webhooks.ts'

/** Route groups of this server alone, under `/api/appliance/v1`. */
export const appliance = {
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
}
