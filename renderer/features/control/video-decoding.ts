import { maxVideoPixels } from '../../../shared/remote-control/messages.ts'
import { vp8Packet } from '../viewer-kit/vp8-packet.ts'
import type { Size } from './placement.ts'

interface Pending {
  timestamp: number
  resolve: (picture: VideoFrame | undefined) => void
}

/** Limit for one packet: decoders may wait for more packets without an error, but begin slowly on a busy machine. */
const patienceMs = 10_000

const configOf = ({ width, height }: Size): VideoDecoderConfig => ({
  codec: 'vp8',
  codedWidth: width,
  codedHeight: height,
  optimizeForLatency: true,
  // As devices encode: BT.601 with the colors of screens, which must not be converted.
  colorSpace: { primaries: 'bt709', transfer: 'iec61966-2-1', matrix: 'smpte170m', fullRange: false },
})

/** Whether this browser decodes VP8. Browsers offer no decoder to pages that came over plain HTTP from another machine. */
export async function canDecodeVideo(): Promise<boolean> {
  try {
    return (await VideoDecoder.isConfigSupported(configOf({ width: 1920, height: 1080 }))).supported === true
  } catch {
    return false
  }
}

/** Size of the video for a picture: even, as VP8's colors need it. */
export const videoSizeOf = ({ width, height }: Size): Size => ({
  width: width + (width % 2),
  height: height + (height % 2),
})

/** Decodes the video of one picture in order, after reading the size of each packet (T35). */
export class VideoDecoding {
  readonly #onFailure: () => void
  #decoder: VideoDecoder | undefined
  #size: Size = { width: 0, height: 0 }
  #pending: Pending[] = []
  #timestamp = 0

  /** `onFailure` is called when the browser cannot decode a packet that looks right. */
  constructor(onFailure: () => void) {
    this.#onFailure = onFailure
  }

  /**
   * Resolves with undefined for a packet that cannot be shown; the picture is closed by the caller. Packets after a lost
   * one need a key packet.
   */
  decode(bytes: Uint8Array, picture: Size): Promise<VideoFrame | undefined> {
    const size = videoSizeOf(picture)
    const packet = vp8Packet(bytes)
    const isKey = packet?.size !== undefined
    const coded = packet?.size ?? this.#size
    const isOfPicture = coded.width === size.width && coded.height === size.height
    if (!packet || !isOfPicture || size.width * size.height > maxVideoPixels || (!isKey && !this.#decoder)) {
      this.close()
      return Promise.resolve(undefined)
    }
    return new Promise((settle) => {
      const timer = setTimeout(() => this.#fail(), patienceMs)
      const resolve = (decoded: VideoFrame | undefined) => {
        clearTimeout(timer)
        settle(decoded)
      }
      try {
        if (isKey) {
          this.#open(size)
        }
        const timestamp = this.#timestamp++
        this.#pending.push({ timestamp, resolve })
        this.#decoder?.decode(new EncodedVideoChunk({ type: isKey ? 'key' : 'delta', timestamp, data: bytes.slice() }))
      } catch {
        this.#fail()
        resolve(undefined)
      }
    })
  }

  /** Drops what is being decoded; the next packet has to be a key packet. */
  close(): void {
    const decoder = this.#decoder
    this.#decoder = undefined
    if (decoder && decoder.state !== 'closed') {
      decoder.close()
    }
    this.#pending.forEach(({ resolve }) => resolve(undefined))
    this.#pending = []
  }

  #open(size: Size) {
    if (this.#decoder && this.#size.width === size.width && this.#size.height === size.height) {
      return
    }
    this.close()
    this.#size = size
    const decoder: VideoDecoder = new VideoDecoder({
      output: (picture) => (this.#decoder === decoder ? this.#take(picture) : picture.close()),
      error: () => this.#decoder === decoder && this.#fail(),
    })
    decoder.configure(configOf(size))
    this.#decoder = decoder
  }

  /** Packets without a picture before this one are lost. */
  #take(picture: VideoFrame) {
    const { width, height } = this.#size
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
      if (next.timestamp === picture.timestamp && picture.codedWidth >= width && picture.codedHeight >= height) {
        next.resolve(picture)
        return
      }
      next.resolve(undefined)
    }
    picture.close()
  }

  #fail() {
    this.close()
    this.#onFailure()
  }
}
