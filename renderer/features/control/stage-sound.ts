import type { MessageHandlers } from '../../../shared/remote-control/channel.ts'
import { SoundDecoding } from './sound-decoding.ts'
import { shortened, type SoundNews } from './stage-messages.ts'

type Sound = Extract<SoundNews, { is: 'sound' }>

/** Sound of the device, while it says that it sends some. */
export class StageSound {
  readonly #report: (news: SoundNews) => void
  readonly #decoding: SoundDecoding
  #isOn = false

  /** `report` passes on the newest of each kind, `play` all sound. */
  constructor(report: (news: SoundNews) => void, play: (sound: Sound) => void) {
    this.#report = report
    this.#decoding = new SoundDecoding(
      (planes) => play({ is: 'sound', planes }),
      () => {
        this.#isOn = false
        report({ is: 'sound-failed' })
      },
    )
  }

  handlers(): MessageHandlers<'SoundResult' | 'Sound'> {
    return {
      SoundResult: (result) => {
        this.close()
        this.#isOn = result.finalState
        this.#report({ is: 'sound-result', ...shortened(result) })
      },
      Sound: ({ packets }) => {
        if (this.#isOn) {
          packets.forEach((packet) => this.#decoding.decode(packet))
        }
      },
    }
  }

  /** Call at the end of a session. */
  close(): void {
    this.#isOn = false
    this.#decoding.close()
  }
}
