import type { SessionPolicy } from '../../../shared/remote-control/policy.ts'
import type { TrustedServer } from '../../trust/trusted-server.ts'

/** What a session needs to know; the person at the device has agreed to it, where that was asked for. */
export interface SessionRequest {
  sessionId: string
  /** Of the device's end; `ws:` or `wss:`. */
  websocketUri: string
  /** What proves itself at that address before anything is sent; null where nothing does. */
  server: TrustedServer | null
  viewerName: string | null
  notifyUserOnSessionStart: boolean
  /** Without one everything is permitted. */
  policy?: SessionPolicy | undefined
}

/** Who or what ended a session, and a sentence about it. */
export interface SessionEnd {
  by: 'viewer' | 'person' | 'desktop' | 'connection'
  reason: string
}
