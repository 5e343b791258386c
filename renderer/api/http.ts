import { appliance } from '../../shared/api/appliance.ts'
import { auth } from '../../shared/api/auth.ts'
import { inviteAcceptance } from '../../shared/api/invite-acceptance.ts'
import { v1 } from '../../shared/api/v1.ts'
import { ApiError, createClient, createClients } from '../../shared/contract/client.ts'
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

/** Tenant of the session, which the requests of signed-in pages name. */
let tenant = ''

export const setTenant = (tenantId: string) => {
  tenant = tenantId
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
const signedIn = { baseUrl: '', fetch: sendSignedIn, tenantId: () => tenant }

export const api = {
  ...createClients(v1, signedIn),
  /** Facts that need no session. */
  versions: createClient(v1.versions, visitor),
  publicServerSettings: createClient(v1.publicServerSettings, visitor),
  session: createClient(appliance.applianceSession, visitor),
  /** Help and invitations, without a session. */
  entry: createClient(appliance.applianceEntry, visitor),
  /** Restore on a server without accounts. */
  firstRun: createClient(appliance.applianceBackup, visitor),
  backup: createClient(appliance.applianceBackup, signedIn),
  invitations: createClient(inviteAcceptance, visitor),
  /** Password reset, without a session. */
  visitor: createClient(auth, visitor),
  passkeyVisitor: createClient(appliance.appliancePasskeys, visitor),
  providers: createClient(appliance.applianceIdentityProviders, visitor),
  auth: createClient(auth, signedIn),
  ownSession: createClient(appliance.applianceSession, signedIn),
  account: createClient(appliance.applianceAccount, signedIn),
  passkeys: createClient(appliance.appliancePasskeys, signedIn),
  /** The user's linked accounts at identity providers. */
  ownLogins: createClient(appliance.applianceIdentityProviders, signedIn),
  network: createClient(appliance.applianceNetwork, signedIn),
  /** Network facts that need no session. */
  networkVisitor: createClient(appliance.applianceNetwork, visitor),
  signedInEntry: createClient(appliance.applianceEntry, signedIn),
  notices: createClient(appliance.applianceNotices, signedIn),
  notifications: createClient(appliance.applianceNotifications, signedIn),
  status: createClient(appliance.applianceStatus, signedIn),
  timeline: createClient(appliance.applianceTimeline, signedIn),
  agentReleases: createClient(appliance.applianceAgentReleases, signedIn),
  agentBuilds: createClient(appliance.applianceAgentBuilds, signedIn),
  alerts: createClient(appliance.applianceAlerts, signedIn),
  auditLog: createClient(appliance.applianceAuditLog, signedIn),
  people: createClient(appliance.appliancePeople, signedIn),
  /** Ways to accept an invitation without a password. */
  invitationWays: createClient(appliance.applianceInvitations, visitor),
  rights: createClient(appliance.applianceRights, signedIn),
  shares: createClient(appliance.applianceShares, signedIn),
  terminalShares: createClient(appliance.applianceTerminalShares, signedIn),
  /** The terminal of a guest, whose page shows the end of the sharing by itself. */
  sharedTerminal: createClient(appliance.applianceTerminalShares, visitor),
  batches: createClient(appliance.applianceBatches, signedIn),
  sessions: createClient(appliance.applianceRemoteSessions, signedIn),
  recordings: createClient(appliance.applianceRecordings, signedIn),
  sessionRecordings: createClient(appliance.applianceSessionRecordings, signedIn),
  organization: createClient(appliance.applianceOrganization, signedIn),
  history: createClient(appliance.applianceHistory, signedIn),
  home: createClient(appliance.applianceHome, signedIn),
  health: createClient(appliance.applianceHealth, signedIn),
  server: createClient(appliance.applianceServer, signedIn),
  updates: createClient(appliance.applianceUpdates, signedIn),
  consent: createClient(appliance.applianceConsent, signedIn),
  webhooks: createClient(appliance.applianceWebhooks, signedIn),
  deviceSearch: createClient(appliance.applianceDeviceSearch, signedIn),
  deviceNotes: createClient(appliance.applianceDeviceNotes, signedIn),
  deviceViews: createClient(appliance.applianceDeviceViews, signedIn),
  devicePages: createClient(appliance.applianceDevices, signedIn),
  fileProperties: createClient(appliance.applianceDeviceFiles, signedIn),
  uploads: createClient(appliance.applianceDeviceUploads, signedIn),
  deployments: createClient(appliance.applianceDeployments, signedIn),
  endedInstallerKeys: createClient(appliance.applianceInstallerKeys, signedIn),
}

/** Opens a response body that is not JSON; failures throw `ApiError`. */
export async function openBody(url: string, signal: AbortSignal | null = null): Promise<ReadableStream<Uint8Array>> {
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
