import { hash } from 'node:crypto'
import type { ViewerCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'

/** Session on our relay, as requested by a viewer. */
export interface RelayTicket {
  sessionId: string
  /** SHA-256 of the token that both ends present. */
  tokenHash: Buffer
  /** Time that the relay waits for both ends. */
  waitMs: number
  /** Address that the device connects to. */
  address: string
}

const shortestWaitMs = 60_000
const longestWaitMs = 5 * 60_000

/**
 * Query parameters by lower-case name; undefined for duplicates, because the device may read another duplicate than we
 * do.
 */
function parametersOf({ searchParams }: URL): ReadonlyMap<string, string> | undefined {
  const parameters = new Map([...searchParams].map(([name, value]) => [name.toLowerCase(), value] as const))
  return parameters.size === searchParams.size ? parameters : undefined
}

/**
 * Rewrites the address to the host by which the device reaches this server: the device may know no other, and the host
 * sent by the viewer is untrusted. Uses TLS where that host is known to be encrypted.
 */
function asDeviceKnowsUs(url: URL, agentOrigin: URL, publicOrigin: URL | undefined): string {
  const isElsewhere = url.host !== publicOrigin?.host && url.host !== agentOrigin.host
  if (isElsewhere) {
    url.hostname = agentOrigin.hostname
    url.port = agentOrigin.port
  }
  const isEncrypted = [publicOrigin, agentOrigin].some(
    (origin) => origin?.host === url.host && origin.protocol === 'https:',
  )
  if (isEncrypted) {
    url.protocol = 'wss:'
  } else if (isElsewhere) {
    url.protocol = 'ws:'
  }
  return url.href
}

/**
 * Parses the address that a viewer built for the device. Returns undefined unless the address leads to our own relay,
 * by a host that is ours for this viewer, and to this session in the role of the device: any other address would have
 * the device send its screen elsewhere.
 */
export function relayTicket(
  { app, viewer }: ViewerCall,
  device: DeviceState,
  { sessionId, websocketUri }: { sessionId: string; websocketUri: string },
): RelayTicket | undefined {
  const url = URL.parse(websocketUri)
  if (!url || !['ws:', 'wss:'].includes(url.protocol) || url.username || url.password || url.hash) {
    return undefined
  }
  const parameters = parametersOf(url)
  if (!parameters) {
    return undefined
  }
  const token = parameters.get('accesstoken') ?? ''
  const { publicUrl } = app.config.branding
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl)
  const agentOrigin = app.hubs.agent.originOf(device.connectionId)
  const isOurs =
    [publicOrigin?.host, new URL(viewer.origin).host].includes(url.host) &&
    agentOrigin !== undefined &&
    url.pathname === '/relay' &&
    parameters.get('role')?.toLowerCase() === 'responder' &&
    parameters.get('sessionid')?.toLowerCase() === sessionId &&
    token !== ''
  if (!isOurs) {
    return undefined
  }
  const timeoutMs = 1000 * Number(parameters.get('timeout') ?? 0) || 0
  return {
    sessionId,
    tokenHash: hash('sha256', token, 'buffer'),
    waitMs: Math.min(Math.max(timeoutMs, shortestWaitMs), longestWaitMs),
    address: asDeviceKnowsUs(url, new URL(agentOrigin), publicOrigin),
  }
}
