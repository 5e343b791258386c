import type { CaptureSettingsDto, DisplayDto, Payload, ViewerMessage } from '../../../shared/remote-control/messages.ts'
import type { SoundPlanes } from './sound-decoding.ts'

/** Messages between page and worker: the page handles input, the worker the connection and the picture. */

/** A message for the device, with its payload. */
export type Sent = { [N in ViewerMessage]: { name: N; payload: Payload<N> } }[ViewerMessage]

export type ToStage =
  | { do: 'use'; canvas: OffscreenCanvas }
  | {
      do: 'connect'
      uri: string
      protocols: string[]
      sessionId: string
      capture: CaptureSettingsDto
      /** Display to show in the first session of this stage, in place of the primary one. */
      displayId: string | undefined
    }
  | { do: 'send'; message: Sent }
  | { do: 'capture'; capture: CaptureSettingsDto }
  | { do: 'show'; displayId: string }
  /** Answered by `shot`. */
  | { do: 'shoot' }
  /** Sends a picture for the clipboard of the device; answered by `clipboard-result`. */
  | { do: 'send-picture'; contentId: number; picture: Uint8Array }
  /** Requests an offered picture; answered by `clipboard-picture`. */
  | { do: 'request-picture'; offerId: number }
  /** Whether the session can be recorded: a recording is shown from whole pictures on. */
  | { do: 'whole-pictures'; isOn: boolean }
  | { do: 'close' }
  /** Closes the session and stops the worker. */
  | { do: 'quit' }

/** Longest name, message or reason that the page shows; a device may send anything. */
export const mostLetters = 300

/** Answer of the device about a state, as far as the page shows it. */
export const shortened = ({ isSuccess, finalState, reason = '' }: Payload<'BlockInputResult'>) => ({
  isSuccess,
  finalState,
  reason: reason.slice(0, mostLetters),
})

/** Cause of an ended connection, with the reason of the other end if it sent one. */
export interface StageEnd {
  by: 'person' | 'device' | 'server' | 'connection' | 'unread-acks'
  reason: string
}

export interface StageMetrics {
  /** Frames drawn in the last second. */
  framesPerSecond: number
  /** Frames skipped because newer ones covered them, since the session began. */
  droppedFrames: number
  mbps: number
  /** Round trip to the device; undefined before the first ack. */
  latencyMs: number | undefined
  /** Last values that the device reported. */
  captureMode: string
  quality: number | undefined
}

export type CursorShape = Omit<Payload<'CursorChanged'>, 'sessionId'>

/** Picture or files that were copied at the device. */
export interface ClipboardOffer {
  id: number
  /** Undefined for files. */
  picture: { width: number; height: number; byteCount: number } | undefined
  files: Payload<'ClipboardOffer'>['files']
}

/** Reports of the device about its clipboard and folders. */
export type ClipboardNews =
  | ({ is: 'clipboard-status' } & Payload<'ClipboardStatus'>)
  | { is: 'clipboard-offer'; offer: ClipboardOffer }
  /** `picture` is null if the device sent none that can be drawn. */
  | { is: 'clipboard-picture'; offerId: number; picture: Blob | null }
  | ({ is: 'clipboard-result' } & Payload<'ClipboardResult'>)
  | ({ is: 'folder' } & Payload<'Folder'>)

/** Sound of the device: its answer, what it plays, and a packet that the browser could not decode. */
export type SoundNews =
  | ({ is: 'sound-result' } & Payload<'SoundResult'>)
  | { is: 'sound'; planes: SoundPlanes }
  | { is: 'sound-failed' }

export type FromStage =
  | ClipboardNews
  | SoundNews
  | { is: 'connected' }
  /** `listed` is the number of displays that the device lists; `displays` are those that the page offers. */
  | {
      is: 'displays'
      displays: readonly DisplayDto[]
      listed: number
      shownId: string
      /** In pixels of the device. */
      shownSize: { width: number; height: number }
    }
  | { is: 'painted' }
  | { is: 'cursor'; cursor: CursorShape }
  | { is: 'metrics'; metrics: StageMetrics }
  | { is: 'clipboard'; text: string }
  | { is: 'message'; message: string }
  | ({ is: 'input-block' } & Payload<'BlockInputResult'>)
  | ({ is: 'privacy-screen' } & Payload<'PrivacyScreenResult'>)
  | ({ is: 'status' } & Required<Payload<'DesktopStatus'>>)
  | ({ is: 'holders' } & Payload<'ControlHolders'>)
  | { is: 'shot'; picture: Blob }
  | { is: 'silent'; isSilent: boolean }
  | { is: 'ended'; end: StageEnd }
