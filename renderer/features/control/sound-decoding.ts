import { isSoundPacket, soundChannels, soundRate, soundSamples } from '../../../shared/remote-control/sound.ts'

const config: AudioDecoderConfig = { codec: 'opus', sampleRate: soundRate, numberOfChannels: soundChannels }
/** Packets that a device may send at once, and then in a second; more are dropped (T35). */
const mostAtOnce = 100
const mostPerSecond = 60
/** Packets that wait for the decoder; with more, the sound is late. */
const mostWaiting = 25

/** Decoded sound: samples of each channel. */
export type SoundPlanes = readonly Float32Array<ArrayBuffer>[]

/** Decodes the packets of a device in order, after reading how much sound they have (T35). */
export class SoundDecoding {
  readonly #onSound: (planes: SoundPlanes) => void
  readonly #onFailure: () => void
  #decoder: AudioDecoder | undefined
  #timestamp = 0
  #credit = mostAtOnce
  #creditAt = 0

  /** `onFailure` is called when the browser cannot decode a packet that looks right. */
  constructor(onSound: (planes: SoundPlanes) => void, onFailure: () => void) {
    this.#onSound = onSound
    this.#onFailure = onFailure
  }

  decode(packet: Uint8Array): void {
    if (!isSoundPacket(packet) || !this.#isInTime() || (this.#decoder?.decodeQueueSize ?? 0) > mostWaiting) {
      return
    }
    try {
      this.#decoder ??= this.#open()
      const timestamp = this.#timestamp++ * (1_000_000 / soundRate) * soundSamples
      this.#decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp, data: packet.slice() }))
    } catch {
      this.#fail()
    }
  }

  /** Drops what is being decoded. */
  close(): void {
    const decoder = this.#decoder
    this.#decoder = undefined
    if (decoder && decoder.state !== 'closed') {
      decoder.close()
    }
  }

  #isInTime() {
    const now = performance.now()
    this.#credit = Math.min(mostAtOnce, this.#credit + ((now - this.#creditAt) * mostPerSecond) / 1000)
    this.#creditAt = now
    if (this.#credit < 1) {
      return false
    }
    this.#credit--
    return true
  }

  #open() {
    const decoder: AudioDecoder = new AudioDecoder({
      output: (sound) => {
        if (this.#decoder === decoder) {
          this.#take(sound)
        }
        sound.close()
      },
      error: () => this.#decoder === decoder && this.#fail(),
    })
    decoder.configure(config)
    return decoder
  }

  #take(sound: AudioData) {
    const { numberOfFrames, numberOfChannels, sampleRate } = sound
    if (sampleRate !== soundRate || numberOfChannels !== soundChannels || numberOfFrames > soundSamples) {
      this.#fail()
      return
    }
    this.#onSound(
      Array.from({ length: numberOfChannels }, (_, planeIndex) => {
        const plane = new Float32Array(numberOfFrames)
        sound.copyTo(plane, { planeIndex, format: 'f32-planar' })
        return plane
      }),
    )
  }

  #fail() {
    this.close()
    this.#onFailure()
  }
}
