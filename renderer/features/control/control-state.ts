import type { DisplayDto } from '../../../shared/remote-control/messages.ts'
import type { SessionState } from '../viewer-kit/session-state.ts'
import { offered, switchedOff, type DeviceSwitch } from './device-switch.ts'
import type { SharingViewer } from './holders.ts'
import { mostLetters, type CursorShape, type FromStage, type StageMetrics } from './stage-messages.ts'

/** Time since which the person at the device is asked for consent. */
export interface ConsentQuestion {
  since: number
  subject: 'control' | 'viewing'
}

export interface ControlState {
  session: SessionState<ConsentQuestion>
  displays: readonly DisplayDto[]
  /** Number of displays that the device lists; more than `displays` if the page cannot show all. */
  listedDisplays: number
  shownId: string | undefined
  /** Size of the shown picture, in pixels of the device. */
  shownSize: { width: number; height: number } | undefined
  /** The device can show all displays in one picture. */
  spansDisplays: boolean
  cursor: CursorShape | undefined
  metrics: StageMetrics | undefined
  /** The canvas shows a picture, possibly a stale one. */
  hasPicture: boolean
  /** The device has acked nothing for so long that input is not sent. */
  isSilent: boolean
  inputBlock: DeviceSwitch
  privacyScreen: DeviceSwitch
  sound: DeviceSwitch
  /** Viewers that share control of this desktop; empty if the device decides nothing. */
  viewers: readonly SharingViewer[]
  /** The device shows its lock screen or a question for an administrator in place of the person's desktop. */
  isSecureDesktop: boolean
  /** Last message of the device; a new object for each message. */
  message: { text: string; at: number } | undefined
}

/** State while the session is being requested. */
export const connecting: ControlState['session'] = { phase: 'connecting' }

export const initialState: ControlState = {
  session: connecting,
  displays: [],
  listedDisplays: 0,
  shownId: undefined,
  shownSize: undefined,
  spansDisplays: false,
  cursor: undefined,
  metrics: undefined,
  hasPicture: false,
  isSilent: false,
  inputBlock: switchedOff,
  privacyScreen: switchedOff,
  sound: switchedOff,
  viewers: [],
  isSecureDesktop: false,
  message: undefined,
}

/** Messages of the stage that change nothing but the state. */
type StateMessage = Extract<
  FromStage,
  { is: 'displays' | 'painted' | 'cursor' | 'metrics' | 'message' | 'status' | 'holders' | 'silent' }
>

/** Changes of the state that a message of the stage makes. */
export function changesOf(message: StateMessage, before: ControlState): Partial<ControlState> {
  switch (message.is) {
    case 'displays': {
      const { displays, listed, shownId, shownSize } = message
      return { displays, listedDisplays: listed, shownId, shownSize }
    }
    case 'painted':
      return { hasPicture: true }
    case 'cursor':
      return { cursor: message.cursor }
    case 'metrics':
      return { metrics: message.metrics }
    case 'message':
      return { message: { text: message.message.slice(0, mostLetters), at: Date.now() } }
    case 'status': {
      const { isSecureDesktop, spansDisplays, blockInputObstacle, privacyScreenObstacle, soundObstacle } = message
      return {
        isSecureDesktop,
        spansDisplays,
        inputBlock: offered(blockInputObstacle, before.inputBlock),
        privacyScreen: offered(privacyScreenObstacle, before.privacyScreen),
        sound: offered(soundObstacle, before.sound),
      }
    }
    case 'holders':
      return { viewers: message.viewers }
    case 'silent':
      return { isSilent: message.isSilent }
  }
}
