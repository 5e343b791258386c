import type { OpenVideo, Picture, Rectangle, VideoEncoder, VideoOptions } from '../../desktop/desktop.ts'
import { contextBytes, vpx, VpxConfig, type Pointer } from './libvpx.ts'

const setActiveMap = 9
const setCpuUsed = 13
const setStaticThreshold = 17
const setTokenPartitions = 18
const setMaxIntraPercent = 26
const i420 = 0x102
const constantRate = 1
const noKeyFrames = 0
const isKeyFlag = 1
const realtime = 1
const isMismatch = 3
/** Numbers of the encoder's interface in the releases from 2020 on; a release accepts its own only. */
const versions = { from: 15, to: 80 }

const blockSize = 16
/** Steps per second of the encoder's clock. */
const ticksPerSecond = 1000
/**
 * Longest and shortest time between pictures that the encoder is told: it would spend the time and the bits of a pause on
 * the next picture, and fall behind further on a busy machine.
 */
const mostMs = 1000 / 30
const leastMs = 1
/** Milliseconds of the rate that a scene may use ahead. */
const bufferMs = { rc_buf_sz: 400, rc_buf_initial_sz: 200, rc_buf_optimal_sz: 250 }
/**
 * Speed, 0 to 16: a positive number lets the encoder take at most (16 - n)/16 of the time between pictures, and lower its effort
 * for that.
 */
const cpuUsed = 10
/** Change of the rate from which the encoder is configured again. */
const rateStep = 0.1

const even = (value: number) => value + (value % 2)

type Vpx = Awaited<ReturnType<typeof vpx>>

class Vp8Encoder implements VideoEncoder {
  readonly #api: Vpx
  readonly #context = Buffer.alloc(contextBytes)
  readonly #config: VpxConfig
  readonly #image: Pointer
  readonly #width: number
  readonly #height: number
  /** Planes of the picture, read by the encoder's threads. */
  readonly #planes: Buffer
  readonly #active: { map: Buffer; rows: number; columns: number }
  #time = 0
  #kbitPerSecond = 1000
  #isClosed = false

  constructor(api: Vpx, { width, height }: { width: number; height: number }) {
    this.#api = api
    this.#width = even(width)
    this.#height = even(height)
    // Half gray: areas that are never seen cost few bytes.
    this.#planes = Buffer.allocUnsafeSlow((this.#width * this.#height * 3) / 2).fill(128)
    const [rows, columns] = [Math.ceil(this.#height / blockSize), Math.ceil(this.#width / blockSize)]
    this.#active = { map: Buffer.allocUnsafeSlow(rows * columns), rows, columns }
    this.#config = new VpxConfig(api)
    this.#config.set({
      g_w: this.#width,
      g_h: this.#height,
      g_threads: 1,
      timebase_num: 1,
      timebase_den: ticksPerSecond,
      g_error_resilient: 0,
      g_lag_in_frames: 0,
      rc_dropframe_thresh: 0,
      rc_end_usage: constantRate,
      rc_min_quantizer: 4,
      rc_max_quantizer: 63,
      rc_target_bitrate: this.#kbitPerSecond,
      kf_mode: noKeyFrames,
      ...bufferMs,
    })
    this.#start()
    const controls: readonly (readonly [number, number])[] = [
      [setCpuUsed, cpuUsed],
      [setStaticThreshold, 1],
      [setTokenPartitions, 0],
      [setMaxIntraPercent, 400],
    ]
    try {
      controls.forEach(([id, value]) => api.control(this.#context, id, value))
      this.#image = api.wrap(null, i420, this.#width, this.#height, 1, this.#planes)
    } catch (error) {
      // Without an encoder nobody would close the context.
      api.destroy(this.#context)
      throw error
    }
  }

  #start() {
    for (let version = versions.from; version <= versions.to; version++) {
      const status = this.#api.start(this.#context, this.#api.vp8, this.#config.bytes, 0, version)
      if (status === 0) {
        return
      }
      if (status !== isMismatch) {
        throw new Error(`libvpx does not start: error ${status}.`)
      }
    }
    throw new Error('This libvpx has an unknown interface.')
  }

  async encode(picture: Picture, areas: readonly Rectangle[], options: VideoOptions): Promise<Buffer> {
    const { isKey, sinceMs, kbitPerSecond } = options
    this.#setRate(Math.round(kbitPerSecond))
    this.#active.map.fill(0)
    areas.forEach((area) => this.#take(picture, area))
    this.#api.setActive(this.#context, setActiveMap, this.#active)
    const duration = Math.round(Math.min(mostMs, Math.max(leastMs, sinceMs)))
    this.#time += duration
    const status = await new Promise<number>((resolve, reject) =>
      this.#api.encode.async(
        this.#context,
        this.#image,
        this.#time,
        duration,
        isKey ? isKeyFlag : 0,
        realtime,
        (error: Error | null, result: number) => (error ? reject(error) : resolve(result)),
      ),
    )
    if (status !== 0) {
      throw new Error(`libvpx failed: error ${status}.`)
    }
    const position = Buffer.alloc(8)
    const packet = this.#api.packet(this.#context, position)
    if (!packet || packet.length === 0) {
      throw new Error('libvpx returned no packet.')
    }
    return packet
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#api.destroy(this.#context)
      this.#api.freeImage(this.#image)
    }
  }

  #setRate(kbitPerSecond: number) {
    if (Math.abs(kbitPerSecond - this.#kbitPerSecond) > this.#kbitPerSecond * rateStep) {
      this.#kbitPerSecond = kbitPerSecond
      this.#config.set({ rc_target_bitrate: kbitPerSecond })
      this.#api.configure(this.#context, this.#config.bytes)
    }
  }

  #take({ pixels, stride }: Picture, { x, y, width, height }: Rectangle) {
    const half = this.#width / 2
    const chroma = this.#width * this.#height
    const corner = (y / 2) * half + x / 2
    this.#api.toPlanes(
      pixels.subarray(y * stride + x * 4),
      stride,
      this.#planes.subarray(y * this.#width + x),
      this.#width,
      this.#planes.subarray(chroma + corner),
      half,
      this.#planes.subarray(chroma + chroma / 4 + corner),
      half,
      width,
      height,
    )
    const { map, columns } = this.#active
    const [left, right] = [Math.floor(x / blockSize), Math.ceil((x + width) / blockSize)]
    for (let row = Math.floor(y / blockSize); row * blockSize < y + height; row++) {
      map.fill(1, row * columns + left, row * columns + right)
    }
  }
}

/** Opens the encoder of the system's libvpx; undefined where libvpx or libyuv is missing or unknown. */
export const openVp8: OpenVideo = (size) => {
  try {
    return new Vp8Encoder(vpx.now(), size)
  } catch {
    return undefined
  }
}
