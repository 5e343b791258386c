import { nativeFunctions, type Koffi } from '../../../base/native-functions.ts'

/** Memory or object of a C library. */
export type Pointer = unknown

/** Releases of libvpx since 2020, the newest first: distributions have one of them. */
const vpxNames = [
  'libvpx.so.12',
  'libvpx.so.11',
  'libvpx.so.10',
  'libvpx.so.9',
  'libvpx.so.8',
  'libvpx.so.7',
  'libvpx.so.6',
]

/** Space for a configuration and for a context, whose ends differ between releases. */
const configBytes = 4096
export const contextBytes = 256

/** First members of `vpx_codec_enc_cfg`, which are the same in all releases. */
const members = `
  g_usage g_threads g_profile g_w g_h g_bit_depth g_input_bit_depth timebase_num timebase_den g_error_resilient g_pass
  g_lag_in_frames rc_dropframe_thresh rc_resize_allowed rc_scaled_width rc_scaled_height rc_resize_up_thresh
  rc_resize_down_thresh rc_end_usage twopass_stats twopass_size firstpass_stats firstpass_size rc_target_bitrate
  rc_min_quantizer rc_max_quantizer rc_undershoot_pct rc_overshoot_pct rc_buf_sz rc_buf_initial_sz rc_buf_optimal_sz
  rc_2pass_vbr_bias_pct rc_2pass_vbr_minsection_pct rc_2pass_vbr_maxsection_pct rc_2pass_vbr_corpus_complexity kf_mode
  kf_min_dist kf_max_dist
`
  .trim()
  .split(/\s+/)
const wideMembers = /^(twopass|firstpass)_/

/** VP8's defaults of some members: a configuration with others has another layout, and is not touched. */
const knownDefaults = { g_w: 320, g_h: 240, rc_target_bitrate: 256, rc_max_quantizer: 63, kf_max_dist: 128 }

function loadFirst(koffi: Koffi, names: readonly string[]) {
  for (const name of names) {
    try {
      return koffi.load(name)
    } catch {
      // Another release may be installed.
    }
  }
  throw new Error(`None of ${names.join(', ')} is installed.`)
}

/** Functions of the system's libvpx (BSD) and libyuv (BSD). Throws where one is missing. */
export const vpx = nativeFunctions((koffi) => {
  const library = loadFirst(koffi, vpxNames)
  const yuv = koffi.load('libyuv.so.0')
  const config = koffi.struct(
    Object.fromEntries(members.map((name) => [name, wideMembers.test(name) ? 'uint64' : 'uint32'])),
  )
  const packet = koffi.struct({ kind: 'int', bytes: 'void *', size: 'size_t' })
  const interfaceOf = library.func('void *vpx_codec_vp8_cx()') as () => Pointer
  const next = library.func('void *vpx_codec_get_cx_data(void *context, void *position)') as (
    context: Buffer,
    position: Buffer,
  ) => Pointer
  const activate = library.func('int vpx_codec_control_(void *context, int id, ...)') as (
    context: Buffer,
    id: number,
    type: string,
    value: unknown,
  ) => number
  return {
    vp8: interfaceOf(),
    fillDefaults: library.func('int vpx_codec_enc_config_default(void *interface, void *config, uint usage)') as (
      vp8: Pointer,
      config: Buffer,
      usage: number,
    ) => number,
    start: library.func(
      'int vpx_codec_enc_init_ver(void *context, void *interface, void *config, long flags, int version)',
    ) as (context: Buffer, vp8: Pointer, config: Buffer, flags: number, version: number) => number,
    configure: library.func('int vpx_codec_enc_config_set(void *context, void *config)') as (
      context: Buffer,
      config: Buffer,
    ) => number,
    control: (context: Buffer, id: number, value: number) => activate(context, id, 'int', value),
    /** Sets which blocks of 16 pixels change; the codec copies the map. */
    setActive(context: Buffer, id: number, { map, rows, columns }: { map: Buffer; rows: number; columns: number }) {
      const active = Buffer.alloc(16)
      active.writeBigUInt64LE(koffi.address(map), 0)
      active.writeUInt32LE(rows, 8)
      active.writeUInt32LE(columns, 12)
      return activate(context, id, 'void *', active)
    },
    wrap: library.func(
      'void *vpx_img_wrap(void *image, int format, uint width, uint height, uint align, void *data)',
    ) as (image: null, format: number, width: number, height: number, align: number, data: Buffer) => Pointer,
    freeImage: library.func('void vpx_img_free(void *image)') as (image: Pointer) => void,
    encode: library.func(
      'int vpx_codec_encode(void *context, void *image, int64 time, ulong duration, long flags, ulong deadline)',
    ) as unknown as { async(...args: unknown[]): unknown },
    /** Returns a copy of the next packet of the last picture; undefined after the last packet. `position` starts as 0. */
    packet(context: Buffer, position: Buffer): Buffer | undefined {
      const found = next(context, position)
      if (!found) {
        return undefined
      }
      const { kind, bytes, size } = koffi.decode(found, packet) as { kind: number; bytes: Pointer; size: number }
      return kind === 0 ? Buffer.from(koffi.decode(bytes, 'uint8', Number(size)) as Uint8Array) : Buffer.alloc(0)
    },
    destroy: library.func('int vpx_codec_destroy(void *context)') as (context: Buffer) => number,
    /** Converts blue, green, red and an unused byte to planes; reads and writes from the starts of the buffers. */
    toPlanes: yuv.func(
      'int ARGBToI420(void *pixels, int stride, void *y, int yStride, void *u, int uStride, void *v, int vStride, int width, int height)',
    ) as (
      ...planes: [Buffer, number, Buffer, number, Buffer, number, Buffer, number, width: number, height: number]
    ) => number,
    offsetOf: (member: string) => koffi.offsetof(config, member),
  }
})

/** Configuration of an encoder, in the memory that the library reads. */
export class VpxConfig {
  readonly bytes = Buffer.alloc(configBytes)
  readonly #offsetOf: (member: string) => number

  /** Throws if the library's configuration has another layout. */
  constructor({ vp8, fillDefaults, offsetOf }: Awaited<ReturnType<typeof vpx>>) {
    this.#offsetOf = offsetOf
    const status = fillDefaults(vp8, this.bytes, 0)
    const isKnown = Object.entries(knownDefaults).every(
      ([name, value]) => this.bytes.readUInt32LE(offsetOf(name)) === value,
    )
    if (status !== 0 || !isKnown) {
      throw new Error('This libvpx has another configuration.')
    }
  }

  set(values: Readonly<Record<string, number>>): void {
    Object.entries(values).forEach(([name, value]) => this.bytes.writeUInt32LE(value, this.#offsetOf(name)))
  }
}
