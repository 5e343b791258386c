import type { CaptureSettingsDto, DisplayDto, Payload, ViewerMessage } from '../../../shared/remote-control/messages.ts'

/** What page and worker say to each other: the page has the person, the worker the connection and the picture. */

/** A message for the device, with its payload. */
export type Sent = { [N in ViewerMessage]: { name: N; payload: Payload<N> } }[ViewerMessage]

export type ToStage =
  | { do: 'use'; canvas: OffscreenCanvas }
  | { do: 'connect'; uri: string; protocols: string[]; sessionId: string; capture: CaptureSettingsDto }
  | { do: 'send'; message: Sent }
  | { do: 'capture'; capture: CaptureSettingsDto }
  | { do: 'show'; displayId: string }
  | { do: 'close' }
  /** Closes, and the worker ends. */
  | { do: 'quit' }

/** Who ended a connection, and in which words, if the other end had any. */
export interface StageEnd {
  by: 'person' | 'device' | 'server' | 'connection' | 'unread-acks'
  reason: string
}

export interface StageMetrics {
  /** Frames drawn within the last second. */
  framesPerSecond: number
  /** Frames that were not drawn because a newer one covered them, since the session began. */
  droppedFrames: number
  mbps: number
  /** To the device and back; undefined before the first answer. */
  latencyMs: number | undefined
  /** What the device last said of its side. */
  captureMode: string
  quality: number | undefined
}

export type CursorShape = Omit<Payload<'CursorChanged'>, 'sessionId'>

export type FromStage =
  | { is: 'connected' }
  /** `listed` is how many displays the device lists; the page offers `displays`. */
  | { is: 'displays'; displays: readonly DisplayDto[]; listed: number; shownId: string | undefined }
  | { is: 'painted' }
  | { is: 'cursor'; cursor: CursorShape }
  | { is: 'metrics'; metrics: StageMetrics }
  | { is: 'clipboard'; text: string }
  | { is: 'told'; message: string }
  | { is: 'input-blocked'; isSuccess: boolean; isBlocked: boolean }
  | { is: 'silent'; isSilent: boolean }
  | { is: 'ended'; end: StageEnd }
