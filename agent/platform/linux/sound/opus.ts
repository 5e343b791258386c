import {
  maxSoundPacketBytes,
  soundBitsPerSecond,
  soundChannels,
  soundRate,
  soundSamples,
} from '../../../../shared/remote-control/sound.ts'
import { nativeFunctions } from '../../../base/native-functions.ts'

type Pointer = unknown

/** `OPUS_APPLICATION_AUDIO`, `OPUS_SET_BITRATE`, `OPUS_SET_COMPLEXITY`. */
const forAudio = 2049
const setBitrate = 4002
const setComplexity = 4010
/** Effort from 0 to 10. At this rate more is hardly heard, and costs twice the time. */
const complexity = 5

/** Encodes sound with the system's libopus. */
export interface OpusEncoder {
  /** Encodes `soundSamples` of 16 bits, alternating between the channels. */
  encode(samples: Buffer): Buffer
  close(): void
}

const libopus = nativeFunctions((koffi) => {
  const library = koffi.load('libopus.so.0')
  return {
    create: library.func('void *opus_encoder_create(int32 rate, int channels, int use, _Out_ int *error)') as (
      rate: number,
      channels: number,
      use: number,
      error: [number],
    ) => Pointer,
    control: library.func('int opus_encoder_ctl(void *encoder, int request, ...)') as (
      encoder: Pointer,
      request: number,
      type: 'int',
      value: number,
    ) => number,
    encode: library.func(
      'int32 opus_encode(void *encoder, const void *samples, int count, void *packet, int32 bytes)',
    ) as (encoder: Pointer, samples: Buffer, count: number, packet: Buffer, bytes: number) => number,
    destroy: library.func('void opus_encoder_destroy(void *encoder)') as (encoder: Pointer) => void,
  }
})

/** Opens an encoder of libopus (BSD). Rejects where it is missing. */
export async function openOpus(): Promise<OpusEncoder> {
  const opus = await libopus()
  const error: [number] = [0]
  const encoder = opus.create(soundRate, soundChannels, forAudio, error)
  if (!encoder) {
    throw new Error(`libopus makes no encoder (${error[0]})`)
  }
  opus.control(encoder, setBitrate, 'int', soundBitsPerSecond)
  opus.control(encoder, setComplexity, 'int', complexity)
  return {
    encode(samples) {
      const packet = Buffer.alloc(maxSoundPacketBytes)
      const length = opus.encode(encoder, samples, soundSamples, packet, packet.length)
      if (length < 0) {
        throw new Error(`libopus does not encode this sound (${length})`)
      }
      return packet.subarray(0, length)
    },
    close: () => opus.destroy(encoder),
  }
}
