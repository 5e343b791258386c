import { applianceAccount } from '../../shared/api/appliance-account.ts'
import { applianceAgentBuilds } from '../../shared/api/appliance-agent-builds.ts'
import { applianceAgentReleases } from '../../shared/api/appliance-agent-releases.ts'
import { applianceAlerts } from '../../shared/api/appliance-alerts.ts'
import { applianceAuditLog } from '../../shared/api/appliance-audit-log.ts'
import { applianceBackup } from '../../shared/api/appliance-backup.ts'
import { applianceBatches } from '../../shared/api/appliance-batches.ts'
import { applianceEntry } from '../../shared/api/appliance-entry.ts'
import { applianceDevices } from '../../shared/api/appliance-devices.ts'
import { applianceDeployments } from '../../shared/api/appliance-deployments.ts'
import { applianceInstallerKeys } from '../../shared/api/appliance-installer-keys.ts'
import { applianceDeviceNotes } from '../../shared/api/appliance-device-notes.ts'
import { applianceDeviceSearch } from '../../shared/api/appliance-device-search.ts'
import { applianceDeviceViews } from '../../shared/api/appliance-device-views.ts'
import { applianceDeviceFiles } from '../../shared/api/appliance-device-files.ts'
import { applianceDeviceUploads } from '../../shared/api/appliance-device-uploads.ts'
import { applianceIdentityProviders } from '../../shared/api/appliance-identity-providers.ts'
import { applianceOrganization } from '../../shared/api/appliance-organization.ts'
import { applianceNetwork } from '../../shared/api/appliance-network.ts'
import { applianceNotices } from '../../shared/api/appliance-notices.ts'
import { applianceNotifications } from '../../shared/api/appliance-notifications.ts'
import { appliancePasskeys } from '../../shared/api/appliance-passkeys.ts'
import { applianceInvitations } from '../../shared/api/appliance-invitations.ts'
import { appliancePeople } from '../../shared/api/appliance-people.ts'
import { applianceRecordings, applianceSessionRecordings } from '../../shared/api/appliance-recordings.ts'
import { applianceRemoteSessions } from '../../shared/api/appliance-remote-sessions.ts'
import { applianceRights } from '../../shared/api/appliance-rights.ts'
import { applianceHistory } from '../../shared/api/appliance-history.ts'
import { applianceHome } from '../../shared/api/appliance-home.ts'
import { applianceHealth } from '../../shared/api/appliance-health.ts'
import { applianceServer } from '../../shared/api/appliance-server.ts'
import { applianceUpdates } from '../../shared/api/appliance-updates.ts'
import { applianceSession } from '../../shared/api/appliance-session.ts'
import { applianceShares } from '../../shared/api/appliance-shares.ts'
import { applianceTerminalShares } from '../../shared/api/appliance-terminal-shares.ts'
import { applianceTimeline } from '../../shared/api/appliance-timeline.ts'
import { applianceStatus } from '../../shared/api/appliance-status.ts'
import { auth } from '../../shared/api/auth.ts'
import { customers } from '../../shared/api/customers.ts'
import { deviceGroups } from '../../shared/api/device-groups.ts'
import { authorizationChangeLogs } from '../../shared/api/authorization-change-logs.ts'
import { desktopPreview } from '../../shared/api/desktop-preview.ts'
import { deviceTags } from '../../shared/api/device-tags.ts'
import { deviceFileSystem } from '../../shared/api/device-file-system.ts'
import { devices } from '../../shared/api/devices.ts'
import { invites } from '../../shared/api/invites.ts'
import { inviteAcceptance } from '../../shared/api/invite-acceptance.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { effectiveUserPreferences } from '../../shared/api/effective-user-preferences.ts'
import { logonTokens } from '../../shared/api/logon-tokens.ts'
import { permissionAssignments } from '../../shared/api/permission-assignments.ts'
import { personalAccessTokens } from '../../shared/api/personal-access-tokens.ts'
import { publicServerSettings } from '../../shared/api/public-server-settings.ts'
import { serverAlert } from '../../shared/api/server-alert.ts'
import { serverLogs } from '../../shared/api/server-logs.ts'
import { serverServiceAccounts } from '../../shared/api/server-service-accounts.ts'
import { serverStats } from '../../shared/api/server-stats.ts'
import { tags } from '../../shared/api/tags.ts'
import { tenantServiceAccounts } from '../../shared/api/tenant-service-accounts.ts'
import { tenantSettings } from '../../shared/api/tenant-settings.ts'
import { tenants } from '../../shared/api/tenants.ts'
import { testEmail } from '../../shared/api/test-email.ts'
import { userGroups } from '../../shared/api/user-groups.ts'
import { userPersonalAccessTokens } from '../../shared/api/user-personal-access-tokens.ts'
import { userPreferences } from '../../shared/api/user-preferences.ts'
import { userStorage } from '../../shared/api/user-storage.ts'
import { userServerSettings } from '../../shared/api/user-server-settings.ts'
import { applianceConsent } from '../../shared/api/appliance-consent.ts'
import { applianceWebhooks } from '../../shared/api/appliance-webhooks.ts'
import { versions } from '../../shared/api/version.ts'
import { users } from '../../shared/api/users.ts'
import { ApiError, createClient } from '../../shared/contract/client.ts'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import { proof } from './waiting-requests.ts'
import { pageHeaders } from './page-key.ts'

let handleSignedOut = () => Promise.resolve(false)

/** Called on every 401; returns whether the request should be sent again. */
export const onSignedOut = (handler: () => Promise<boolean>) => {
  handleSignedOut = handler
}

let handleMissingFactor = () => {}

/** Called when a request was rejected because the person needs a second factor by now. */
export const onMissingFactor = (handler: () => void) => {
  handleMissingFactor = handler
}

// The query cache decides about freshness; the browser's cache would show an open registration for a minute after it
// closed.
const send = (url: string, init: RequestInit) =>
  fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...pageHeaders }, cache: 'no-store' })

const readJson = (answer: Response): Promise<unknown> => answer.json().catch(() => undefined)

export const isProofMissing = (problem: ProblemDetails | undefined) => problem?.code === 'reauthentication-required'

async function asksForProof(answer: Response): Promise<boolean> {
  const problem = answer.status === 403 ? ProblemDetails.safeParse(await readJson(answer.clone())).data : undefined
  if (problem?.code === 'second-factor-required') {
    handleMissingFactor()
  }
  return isProofMissing(problem)
}

/**
 * Sends a request; after a 401, or a 403 that asks for recent authentication, sends it again once the user has signed
 * in or confirmed.
 */
export const sendSignedIn = async (url: string, init: RequestInit): Promise<Response> => {
  const answer = await send(url, init)
  const isWorthRepeating =
    answer.status === 401 ? await handleSignedOut() : (await asksForProof(answer)) && (await proof.wait())
  return isWorthRepeating ? sendSignedIn(url, init) : answer
}

/** The sign-out under way. */
let leaving: Promise<unknown> = Promise.resolve()

/** Signs out. Requests of visitors wait for that: a session that begins earlier would end with the old one. */
export function leave(signOut: () => Promise<void>): Promise<void> {
  const left = signOut()
  leaving = left.catch(() => {})
  return left
}

const sendAsVisitor = async (url: string, init: RequestInit) => {
  await leaving
  return send(url, init)
}

const visitor = { baseUrl: '', fetch: sendAsVisitor }
const signedIn = { baseUrl: '', fetch: sendSignedIn }

export const api = {
  session: createClient(applianceSession, visitor),
  /** Help and invitations, without a session. */
  entry: createClient(applianceEntry, visitor),
  /** Restore on a server without accounts. */
  firstRun: createClient(applianceBackup, visitor),
  backup: createClient(applianceBackup, signedIn),
  invitations: createClient(inviteAcceptance, visitor),
  /** Password reset, without a session. */
  visitor: createClient(auth, visitor),
  passkeyVisitor: createClient(appliancePasskeys, visitor),
  providers: createClient(applianceIdentityProviders, visitor),
  versions: createClient(versions, visitor),
  publicSettings: createClient(publicServerSettings, visitor),
  auth: createClient(auth, signedIn),
  ownSession: createClient(applianceSession, signedIn),
  account: createClient(applianceAccount, signedIn),
  tokens: createClient(personalAccessTokens, signedIn),
  preferences: createClient(userPreferences, signedIn),
  effectivePreferences: createClient(effectiveUserPreferences, signedIn),
  passkeys: createClient(appliancePasskeys, signedIn),
  /** The user's linked accounts at identity providers. */
  ownLogins: createClient(applianceIdentityProviders, signedIn),
  network: createClient(applianceNetwork, signedIn),
  /** Network facts that need no session. */
  networkVisitor: createClient(applianceNetwork, visitor),
  ownEntry: createClient(applianceEntry, signedIn),
  notices: createClient(applianceNotices, signedIn),
  notifications: createClient(applianceNotifications, signedIn),
  status: createClient(applianceStatus, signedIn),
  timeline: createClient(applianceTimeline, signedIn),
  agentReleases: createClient(applianceAgentReleases, signedIn),
  agentBuilds: createClient(applianceAgentBuilds, signedIn),
  alerts: createClient(applianceAlerts, signedIn),
  auditLog: createClient(applianceAuditLog, signedIn),
  people: createClient(appliancePeople, signedIn),
  /** Ways to accept an invitation without a password. */
  invitationWays: createClient(applianceInvitations, visitor),
  users: createClient(users, signedIn),
  invites: createClient(invites, signedIn),
  userGroups: createClient(userGroups, signedIn),
  userTokens: createClient(userPersonalAccessTokens, signedIn),
  rights: createClient(applianceRights, signedIn),
  permissionAssignments: createClient(permissionAssignments, signedIn),
  rightsChanges: createClient(authorizationChangeLogs, signedIn),
  shares: createClient(applianceShares, signedIn),
  terminalShares: createClient(applianceTerminalShares, signedIn),
  /** The terminal of a guest, whose page shows the end of the sharing by itself. */
  sharedTerminal: createClient(applianceTerminalShares, visitor),
  logonTokens: createClient(logonTokens, signedIn),
  batches: createClient(applianceBatches, signedIn),
  sessions: createClient(applianceRemoteSessions, signedIn),
  recordings: createClient(applianceRecordings, signedIn),
  sessionRecordings: createClient(applianceSessionRecordings, signedIn),
  tags: createClient(tags, signedIn),
  organization: createClient(applianceOrganization, signedIn),
  customers: createClient(customers, signedIn),
  deviceGroups: createClient(deviceGroups, signedIn),
  storage: createClient(userStorage, signedIn),
  serverSettings: createClient(userServerSettings, signedIn),
  history: createClient(applianceHistory, signedIn),
  home: createClient(applianceHome, signedIn),
  health: createClient(applianceHealth, signedIn),
  server: createClient(applianceServer, signedIn),
  updates: createClient(applianceUpdates, signedIn),
  serverAlert: createClient(serverAlert, signedIn),
  serverLogs: createClient(serverLogs, signedIn),
  serverStats: createClient(serverStats, signedIn),
  serverAccounts: createClient(serverServiceAccounts, signedIn),
  tenantAccounts: createClient(tenantServiceAccounts, signedIn),
  tenantSettings: createClient(tenantSettings, signedIn),
  tenants: createClient(tenants, signedIn),
  testEmail: createClient(testEmail, signedIn),
  consent: createClient(applianceConsent, signedIn),
  webhooks: createClient(applianceWebhooks, signedIn),
  devices: createClient(devices, signedIn),
  deviceSearch: createClient(applianceDeviceSearch, signedIn),
  deviceNotes: createClient(applianceDeviceNotes, signedIn),
  deviceViews: createClient(applianceDeviceViews, signedIn),
  devicePages: createClient(applianceDevices, signedIn),
  files: createClient(deviceFileSystem, signedIn),
  fileFacts: createClient(applianceDeviceFiles, signedIn),
  uploads: createClient(applianceDeviceUploads, signedIn),
  deployments: createClient(applianceDeployments, signedIn),
  installerKeys: createClient(installerKeys, signedIn),
  endedInstallerKeys: createClient(applianceInstallerKeys, signedIn),
  deviceTags: createClient(deviceTags, signedIn),
}

/** Opens a response body that is not JSON; failures throw `ApiError`. */
export async function openBody(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const answer = await sendSignedIn(url, { signal })
  if (!answer.ok) {
    throw new ApiError(answer.status, ProblemDetails.safeParse(await readJson(answer)).data)
  }
  return answer.body ?? new Blob().stream()
}

/** Code of the problem that a failed request describes, if it has one. */
export const codeOf = (error: unknown) => (error instanceof ApiError ? error.problem?.code : undefined)

/** HTTP status of a failed request; undefined without a response. */
export const statusOf = (error: unknown) => (error instanceof ApiError ? error.status : undefined)

/** Image of a desktop, as encoded by the device; failures throw `ApiError` with the reason. */
export async function desktopPicture(
  deviceId: string,
  processId: number,
  tenantId: string,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const path = desktopPreview.routes.get.path
    .replace(':deviceId', encodeURIComponent(deviceId))
    .replace(':targetProcessId', String(processId))
  const answer = await sendSignedIn(`${path}?tenantId=${encodeURIComponent(tenantId)}`, {
    method: 'GET',
    cache: 'no-store',
    ...(signal && { signal }),
  })
  if (!answer.ok) {
    throw new ApiError(answer.status, ProblemDetails.safeParse(await readJson(answer)).data)
  }
  return await answer.arrayBuffer()
}
