import { soundChannels, soundSamples } from '../../../../shared/remote-control/sound.ts'
import { reasonOf, UserError } from '../../../base/errors.ts'
import type { DesktopSound } from '../../desktop/desktop.ts'
import { SharedState } from '../../desktop/switches.ts'
import { openOpus, type OpusEncoder } from './opus.ts'
import { PlayedSound } from './played-sound.ts'

const bytesPerSample = 2
const partBytes = soundSamples * soundChannels * bytesPerSample
const silence = Buffer.alloc(partBytes)
/** Packets of silence that are sent after sound, so that it fades out; the others are not sent. */
const trailingPackets = 3
const lookEveryMs = 10

/** Sound of this desktop, read and encoded once for all sessions. */
class Capture {
  readonly #played: PlayedSound
  readonly #encoder: OpusEncoder
  readonly #onPacket: (packet: Buffer) => void
  readonly #onEnd: (reason: string) => void
  readonly #looking: NodeJS.Timeout
  #rest: Buffer = Buffer.alloc(0)
  #silentPackets = trailingPackets

  constructor(
    played: PlayedSound,
    encoder: OpusEncoder,
    onPacket: (packet: Buffer) => void,
    onEnd: (reason: string) => void,
  ) {
    this.#played = played
    this.#encoder = encoder
    this.#onPacket = onPacket
    this.#onEnd = onEnd
    this.#looking = setInterval(() => this.#look(), lookEveryMs)
  }

  close(): void {
    clearInterval(this.#looking)
    this.#played.close()
    this.#encoder.close()
  }

  #look() {
    try {
      const samples = Buffer.concat([this.#rest, this.#played.take()])
      const end = samples.length - (samples.length % partBytes)
      for (let at = 0; at < end; at += partBytes) {
        this.#send(samples.subarray(at, at + partBytes))
      }
      this.#rest = samples.subarray(end)
      const problem = this.#played.problem()
      if (problem !== undefined) {
        this.#onEnd(problem)
      }
    } catch (error) {
      this.#onEnd(reasonOf(error))
    }
  }

  #send(samples: Buffer) {
    this.#silentPackets = samples.equals(silence) ? this.#silentPackets + 1 : 0
    if (this.#silentPackets < trailingPackets) {
      this.#onPacket(this.#encoder.encode(samples))
    }
  }
}

async function openCapture(onPacket: (packet: Buffer) => void, onEnd: (reason: string) => void): Promise<Capture> {
  const encoder = await openOpus().catch(() => {
    throw new UserError('libopus is missing on this device; it encodes the sound')
  })
  try {
    return new Capture(await PlayedSound.open(partBytes), encoder, onPacket, onEnd)
  } catch (error) {
    encoder.close()
    throw error
  }
}

const listeners = new Set<DesktopSound>()
let capture: Capture | undefined

function close() {
  capture?.close()
  capture = undefined
}

const state = new SharedState(async (isOn) => {
  close()
  if (isOn) {
    capture = await openCapture(
      (packet) => listeners.forEach((listener) => listener.onPacket(packet)),
      (reason) => {
        close()
        listeners.clear()
        state.end(`The sound of the device has ended: ${reason}.`)
      },
    )
  }
})

/** Creates the sound of one desktop object; all of this process share what is read. */
export function newDesktopSound(): DesktopSound {
  const sound = Object.assign(state.newSwitch(), { onPacket: (_: Buffer): void => undefined })
  const { set } = sound
  sound.set = async (isOn) => {
    const isOnNow = await set(isOn)
    if (isOnNow) {
      listeners.add(sound)
    } else {
      listeners.delete(sound)
    }
    return isOnNow
  }
  return sound
}
