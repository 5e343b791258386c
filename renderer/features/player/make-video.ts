import { BufferTarget, CanvasSource, getFirstEncodableVideoCodec, Output, WebMOutputFormat } from 'mediabunny'
import type { Playback } from './playback.ts'

/** Bits per second for a picture of a whole screen; text stays readable. */
const bitrate = 4_000_000
const keyFrameSeconds = 10

interface VideoOptions {
  playback: Playback
  /** Canvas on which the recording is shown. */
  canvas: HTMLCanvasElement
  /** Called with the share that is done. */
  onProgress: (share: number) => void
  signal: AbortSignal
}

/** Makes a WebM of a recording in the browser, faster than it plays. Rejects where the browser has no encoder. */
export async function makeVideo({ playback, canvas, onProgress, signal }: VideoOptions): Promise<Blob> {
  const format = new WebMOutputFormat()
  const { width, height } = canvas
  const codec = await getFirstEncodableVideoCodec(format.getSupportedVideoCodecs(), { width, height, bitrate })
  if (codec === null) {
    throw new Error('This browser cannot make videos. Use Chrome, Edge or the window of the appliance.')
  }
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const source = new CanvasSource(canvas, {
    codec,
    bitrate,
    keyFrameInterval: keyFrameSeconds,
    // Displays of another size are fitted into the picture.
    sizeChangeBehavior: 'contain',
  })
  output.addVideoTrack(source)
  await output.start()
  try {
    await playback.showAll(async (from, until) => {
      await source.add(from / 1000, (until - from) / 1000)
      onProgress(until / Math.max(1, playback.durationMs))
    }, signal)
    await output.finalize()
  } catch (error) {
    await output.cancel()
    throw error
  }
  return new Blob([target.buffer!], { type: 'video/webm' })
}
