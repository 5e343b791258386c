import type { Migration } from '../database.ts'
import { createTables } from './0001-create-tables.ts'
import { createResources } from './0002-create-resources.ts'
import { bindWhatTokensMade } from './0003-bind-what-tokens-made.ts'
import { signIn } from './0004-sign-in.ts'
import { rememberSignedUpdates } from './0005-remember-signed-updates.ts'
import { createTerminals } from './0006-create-terminals.ts'
import { createBatches } from './0007-create-batches.ts'
import { rememberPresence } from './0008-remember-presence.ts'
import { createChats } from './0009-create-chats.ts'
import { createTlsIdentity } from './0010-create-tls-identity.ts'
import { createNetworkSettings } from './0011-create-network-settings.ts'
import { pageKeys } from './0012-page-keys.ts'
import { agentMakes } from './0013-agent-makes.ts'
import { agentReleases } from './0014-agent-releases.ts'
import { ownAccount } from './0015-own-account.ts'
import { passkeysAndExternalLogins } from './0016-passkeys-and-external-logins.ts'
import { auditLog } from './0017-audit-log.ts'
import { noticesOfOwnChanges } from './0018-notices-of-own-changes.ts'
import { disabledPeople } from './0019-disabled-people.ts'
import { assignmentEnds } from './0020-assignment-ends.ts'
import { organizeDevices } from './0021-organize-devices.ts'
import { serverSettings } from './0022-server-settings.ts'
import { installerKeyPlacements } from './0023-installer-key-placements.ts'
import { acceptedInvites } from './0024-accepted-invites.ts'
import { backups } from './0025-backups.ts'
import { endingsOfRuns } from './0026-endings-of-runs.ts'
import { updates } from './0027-updates.ts'
import { guestNames } from './0030-guest-names.ts'
import { sleepsOfRuns } from './0037-sleeps-of-runs.ts'
import { terminalStarts } from './0038-terminal-starts.ts'
import { makersOfLinks } from './0039-makers-of-links.ts'
import { rolloutsOfTenants } from './0040-rollouts-of-tenants.ts'
import { invitationsApart } from './0041-invitations-apart.ts'
import { requiredSecondFactors } from './0042-required-second-factors.ts'
import { makersOfInvites } from './0043-makers-of-invites.ts'
import { programEvents } from './0045-program-events.ts'
import { webhooks } from './0046-webhooks.ts'
import { auditIndexes } from './0047-audit-indexes.ts'
import { deviceHistories } from './0048-device-histories.ts'
import { notifications } from './0050-notifications.ts'
import { deviceConnections } from './0051-device-connections.ts'
import { alerts } from './0052-alerts.ts'
import { webhookBacklog } from './0053-webhook-backlog.ts'
import { changesByTime } from './0055-changes-by-time.ts'
import { consentPolicies } from './0056-consent-policies.ts'
import { recordings } from './0057-recordings.ts'
import { stoppedRules } from './0060-stopped-rules.ts'
import { terminalShares } from './0062-terminal-shares.ts'
import { sentFiles } from './0063-sent-files.ts'
import { powerOrders } from './0064-power-orders.ts'
import { confirmedPowerOrders } from './0066-confirmed-power-orders.ts'
import { retentionTime } from './0070-retention-time.ts'
import { notePictures } from './0071-note-pictures.ts'
import { sharedConnections } from './0074-shared-connections.ts'
import { severalServers } from './0076-several-servers.ts'
import { sharedCounts } from './0077-shared-counts.ts'
import { sound } from './0078-sound.ts'
import { auditMarks } from './0079-audit-marks.ts'
import { serverClocks } from './0082-server-clocks.ts'
import { rulesAfterEvents } from './0083-rules-after-events.ts'
import { accountsOfNotes } from './0085-accounts-of-notes.ts'
import { changesByTenant } from './0087-changes-by-tenant.ts'
import { answersByUser } from './0088-answers-by-user.ts'
import { makers } from './0084-makers.ts'
import { keysForNewDevices } from './0086-keys-for-new-devices.ts'

/** Migrations in execution order; append only. */
export const migrations: readonly Migration[] = [
  createTables,
  createResources,
  bindWhatTokensMade,
  signIn,
  rememberSignedUpdates,
  createTerminals,
  createBatches,
  rememberPresence,
  createChats,
  createTlsIdentity,
  createNetworkSettings,
  pageKeys,
  agentMakes,
  agentReleases,
  ownAccount,
  passkeysAndExternalLogins,
  auditLog,
  noticesOfOwnChanges,
  disabledPeople,
  assignmentEnds,
  organizeDevices,
  serverSettings,
  installerKeyPlacements,
  acceptedInvites,
  backups,
  endingsOfRuns,
  updates,
  guestNames,
  sleepsOfRuns,
  terminalStarts,
  makersOfLinks,
  rolloutsOfTenants,
  invitationsApart,
  requiredSecondFactors,
  makersOfInvites,
  programEvents,
  webhooks,
  auditIndexes,
  deviceHistories,
  notifications,
  deviceConnections,
  alerts,
  webhookBacklog,
  changesByTime,
  consentPolicies,
  recordings,
  stoppedRules,
  terminalShares,
  sentFiles,
  powerOrders,
  confirmedPowerOrders,
  retentionTime,
  notePictures,
  sharedConnections,
  severalServers,
  sharedCounts,
  sound,
  auditMarks,
  serverClocks,
  rulesAfterEvents,
  answersByUser,
  makers,
  keysForNewDevices,
  accountsOfNotes,
  changesByTenant,
]
