import type { SessionPolicy } from '../../../shared/remote-control/policy.ts'

export interface SessionRequest {
  sessionId: string
  /** Of the device's end; `ws:` or `wss:`. */
  websocketUri: string
  viewerName: string | null
  notifyUserOnSessionStart: boolean
  requireConsent: boolean
  /** Without one everything is permitted. */
  policy?: SessionPolicy | undefined
}

/** Who or what ended a session, and a sentence about it. */
export interface SessionEnd {
  by: 'viewer' | 'person' | 'server' | 'desktop' | 'connection'
  reason: string
}
