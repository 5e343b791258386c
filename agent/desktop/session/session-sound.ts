import { maxSoundPackets, soundBitsPerSecond } from '../../../shared/remote-control/sound.ts'
import type { MessageHandlers } from '../../../shared/remote-control/channel.ts'
import type { ViewerMessage } from '../../../shared/remote-control/messages.ts'
import type { DesktopSound } from '../../platform/desktop/desktop.ts'
import { noSwitch } from '../../platform/desktop/switches.ts'
import type { SessionRights } from './rights.ts'
import type { DeviceChannel } from './screen-sender.ts'
import { SessionSwitch } from './session-switch.ts'

/** Pictures come first: sound takes at most this part of the line, and waits behind at most so much of the rest. */
const maxShare = 1 / 8
const maxQueueMs = 300
const bytesPerSecond = soundBitsPerSecond / 8

const notHere = 'The agent cannot read the sound of this system yet.'

interface SessionSoundDependencies {
  sound: DesktopSound | undefined
  rights: SessionRights
  channel: DeviceChannel
  tell: (message: string) => void
  /** Called when the viewer begins or ceases to hear the device. */
  onHeard: (isHeard: boolean) => void
}

/** Sound of the desktop as one session hears it: off until the viewer asks for it, as far as its policy permits (T05). */
export class SessionSound {
  readonly obstacle: string | null
  readonly #deps: SessionSoundDependencies
  readonly #switch: SessionSwitch
  #waiting: Buffer[] = []
  #isOn = false

  constructor(deps: SessionSoundDependencies) {
    const { sound = noSwitch(notHere), channel, tell, onHeard } = deps
    this.#deps = deps
    this.obstacle = sound.obstacle ?? null
    this.#switch = new SessionSwitch(sound, (report) => {
      const { isSuccess, finalState, reason } = report
      if (finalState !== this.#isOn) {
        this.#isOn = finalState
        this.#waiting = []
        onHeard(finalState)
      }
      void channel.send('SoundResult', report)
      if (isSuccess && reason !== undefined) {
        tell(reason)
      }
    })
    if (deps.sound) {
      deps.sound.onPacket = (packet) => this.#take(packet)
    }
  }

  handlers(): MessageHandlers<ViewerMessage> {
    return {
      ToggleSound: ({ isEnabled }) => {
        if (!isEnabled || this.#deps.rights.permits('canHear')) {
          void this.#switch.set(isEnabled)
        }
      },
    }
  }

  /** Call at the end of the session. */
  release(): Promise<void> {
    return this.#switch.release()
  }

  #take(packet: Buffer) {
    if (!this.#isOn || !this.#hasRoom()) {
      this.#waiting = []
      return
    }
    this.#waiting.push(packet)
    if (this.#waiting.length > maxSoundPackets) {
      this.#waiting.shift()
    }
    if (this.#waiting.length === 1) {
      void this.#deps.channel.sendWhenRoom('Sound', () => {
        const packets = this.#waiting
        this.#waiting = []
        return packets.length > 0 ? { packets } : undefined
      })
    }
  }

  #hasRoom() {
    const { channel } = this.#deps
    return channel.queueMs <= maxQueueMs && channel.transmissionMs(bytesPerSecond) <= 1000 * maxShare
  }
}
