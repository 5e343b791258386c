import { applianceSession } from '../../shared/api/appliance-session.ts'
import { applianceStatus } from '../../shared/api/appliance-status.ts'
import { auth } from '../../shared/api/auth.ts'
import { devices } from '../../shared/api/devices.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { publicServerSettings } from '../../shared/api/public-server-settings.ts'
import { ApiError, createClient, type Fetch } from '../../shared/contract/client.ts'

let handleSignedOut = () => {}

/** Called whenever the server says that nobody is signed in any more. */
export const onSignedOut = (handler: () => void) => {
  handleSignedOut = handler
}

// The query cache decides what is fresh; the browser's would show an open registration for a minute after it closed.
const send: Fetch = (url, init) => fetch(url, { ...init, cache: 'no-store' })

const sendSignedIn: Fetch = async (url, init) => {
  const answer = await send(url, init)
  if (answer.status === 401) {
    handleSignedOut()
  }
  return answer
}

const visitor = { baseUrl: '', fetch: send }
const signedIn = { baseUrl: '', fetch: sendSignedIn }

/** The declared REST surface on this page's origin. */
export const api = {
  session: createClient(applianceSession, visitor),
  /** What people do about a password that does not let them in. */
  visitor: createClient(auth, visitor),
  publicSettings: createClient(publicServerSettings, visitor),
  auth: createClient(auth, signedIn),
  status: createClient(applianceStatus, signedIn),
  devices: createClient(devices, signedIn),
  installerKeys: createClient(installerKeys, signedIn),
}

/** Status of a failed request; undefined when the server did not answer at all. */
export const statusOf = (error: unknown) => (error instanceof ApiError ? error.status : undefined)
