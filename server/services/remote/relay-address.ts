import { hash } from 'node:crypto'
import type { ViewerCall } from '../../call.ts'
import type { DeviceState } from '../../memory/fleet/device-state.ts'

/** What a viewer made for a session of its own on our relay. */
export interface RelayTicket {
  sessionId: string
  /** SHA-256 of the token that both ends show. */
  tokenHash: Buffer
  /** How long the relay waits for both ends. */
  waitMs: number
  /** What the device connects to. */
  address: string
}

const shortestWaitMs = 60_000
const longestWaitMs = 5 * 60_000

const parametersOf = (url: URL) =>
  new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value] as const))

/**
 * The same address, at the name by which the device reaches this server: it may know no other, and what the viewer
 * calls us is the viewer's word. A device that came encrypted is never sent where it is not.
 */
function asDeviceKnowsUs(url: URL, agentOrigin: string, isPublic: boolean): string {
  const origin = new URL(agentOrigin)
  const isElsewhere = !isPublic && url.host !== origin.host
  if (isElsewhere) {
    url.hostname = origin.hostname
    url.port = origin.port
  }
  if (origin.protocol === 'https:') {
    url.protocol = 'wss:'
  } else if (isElsewhere) {
    url.protocol = 'ws:'
  }
  return url.href
}

/**
 * Reads the address that a viewer made for the device. Undefined unless it leads to our own relay, by an address that
 * is ours for this viewer, and to this session as the device: any other would have the device send its screen elsewhere.
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
  const token = parameters.get('accesstoken') ?? ''
  const { publicUrl } = app.config.branding
  const isPublic = publicUrl !== undefined && url.host === new URL(publicUrl).host
  const agentOrigin = app.hubs.agent.originOf(device.connectionId)
  const isOurs =
    (isPublic || url.host === new URL(viewer.origin).host) &&
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
    address: asDeviceKnowsUs(url, agentOrigin, isPublic),
  }
}
