import type { ClipboardKind } from '../../../shared/remote-control/clipboard.ts'
import type { CaptureSettingsDto } from '../../../shared/remote-control/messages.ts'
import type { SessionPolicy } from '../../../shared/remote-control/policy.ts'
import type { PinnedServer } from '../../trust/pinned-server.ts'

/** Parameters of a session. The agent has asked the person at the device before, where that was required. */
export interface SessionRequest {
  sessionId: string
  /** Address of the device's end of the relay; `ws:` or `wss:`. */
  websocketUri: string
  /** Identity that the relay must prove before data is sent; null where no proof is needed. */
  server: PinnedServer | null
  viewerName: string | null
  /** Organization of the device, for the person at it. */
  organizationName?: string | undefined
  notifyUserOnSessionStart: boolean
  viewerPrincipalId?: string | undefined
  /** Whether the viewer follows who holds control, and acts only while it does. */
  sharesControl?: boolean | undefined
  /** The session is recorded from its start, which the person must see. */
  isRecorded?: boolean | undefined
  /** Settings that the viewer will send as it connects. */
  capture?: CaptureSettingsDto | undefined
  /** Rights of the viewer; without a policy everything is permitted. */
  policy?: SessionPolicy | undefined
}

/** Cause of a session's end, with a sentence for people. */
export interface SessionEnd {
  by: 'viewer' | 'person' | 'desktop' | 'connection'
  reason: string
  /** Whether the viewer used keys or buttons. */
  hasTyped?: boolean
  /** Kinds that the viewer put on the clipboard of the device, and got from it. */
  pasted?: readonly ClipboardKind[]
  copied?: readonly ClipboardKind[]
}
