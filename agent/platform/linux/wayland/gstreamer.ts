import { closeSync } from 'node:fs'
import { UserError } from '../../../base/errors.ts'
import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Picture } from '../../desktop/desktop.ts'
import { asynchronously } from './bus.ts'
import { gio, type Gio, type Out, type Pointer } from './gio.ts'

const playing = 4
const stopped = 1
const errorMessage = 2
const bytesPerPixel = 4

const gstreamer = nativeFunctions((koffi) => {
  const library = koffi.load('libgstreamer-1.0.so.0')
  const base = koffi.load('libgstbase-1.0.so.0')
  const gobject = koffi.load('libgobject-2.0.so.0')
  const isStarted = library.func('int gst_init_check(void *count, void *arguments, void *error)') as (
    ...none: null[]
  ) => number
  isStarted(null, null, null)
  return {
    parse: library.func('void *gst_parse_launch(str description, _Out_ void **error)') as (
      description: string,
      error: Out<Pointer>,
    ) => Pointer,
    setState: library.func('int gst_element_set_state(void *element, int state)'),
    elementOf: library.func('void *gst_bin_get_by_name(void *bin, str name)') as (
      bin: Pointer,
      name: string,
    ) => Pointer,
    busOf: library.func('void *gst_element_get_bus(void *element)') as (element: Pointer) => Pointer,
    popMessage: library.func('void *gst_bus_pop_filtered(void *bus, int types)') as (
      bus: Pointer,
      types: number,
    ) => Pointer,
    parseError: library.func('void gst_message_parse_error(void *message, _Out_ void **error, void *debug)') as (
      message: Pointer,
      error: Out<Pointer>,
      debug: null,
    ) => void,
    unref: library.func('void gst_mini_object_unref(void *object)') as (object: Pointer) => void,
    unrefObject: library.func('void gst_object_unref(void *object)') as (object: Pointer) => void,
    stats: gobject.func('void g_object_get(void *object, str name, _Out_ void **value, void *end)') as (
      object: Pointer,
      name: string,
      value: Out<Pointer>,
      end: null,
    ) => void,
    freeStructure: library.func('void gst_structure_free(void *structure)') as (structure: Pointer) => void,
    largeNumberOf: library.func('int gst_structure_get_uint64(void *structure, str name, _Out_ uint64 *value)') as (
      structure: Pointer,
      name: string,
      value: Out<number>,
    ) => number,
    numberOf: library.func('int gst_structure_get_int(void *structure, str name, _Out_ int *value)') as (
      structure: Pointer,
      name: string,
      value: Out<number>,
    ) => number,
    lastSample: base.func('void *gst_base_sink_get_last_sample(void *sink)') as (sink: Pointer) => Pointer,
    capsOf: library.func('void *gst_sample_get_caps(void *sample)') as (sample: Pointer) => Pointer,
    structureOf: library.func('void *gst_caps_get_structure(void *caps, uint index)') as (
      caps: Pointer,
      index: number,
    ) => Pointer,
    bufferOf: library.func('void *gst_sample_get_buffer(void *sample)') as (sample: Pointer) => Pointer,
    sizeOf: library.func('size_t gst_buffer_get_size(void *buffer)') as (buffer: Pointer) => number,
    extract: library.func('size_t gst_buffer_extract(void *buffer, size_t offset, void *to, size_t size)') as (
      buffer: Pointer,
      offset: number,
      to: Buffer,
      size: number,
    ) => number,
  }
})

type GStreamer = Awaited<ReturnType<typeof gstreamer>>

/** Video stream of PipeWire, of which the newest frame can be read at any time. */
export class PipeWireStream {
  readonly #api: GStreamer
  readonly #glib: Gio
  readonly #pipeline: Pointer
  readonly #sink: Pointer
  readonly #messages: Pointer
  readonly #remote: number | undefined
  #isClosed = false

  private constructor(api: GStreamer, glib: Gio, pipeline: Pointer, remote: number | undefined) {
    this.#remote = remote
    this.#api = api
    this.#glib = glib
    this.#pipeline = pipeline
    this.#sink = api.elementOf(pipeline, 'sink')
    this.#messages = api.busOf(pipeline)
  }

  /** Starts reading a node; owns `remote`, a descriptor of PipeWire that a portal handed out. Rejects with a UserError. */
  static async open(node: number, remote?: number): Promise<PipeWireStream> {
    try {
      return await PipeWireStream.#open(node, remote)
    } catch (error) {
      if (remote !== undefined) {
        closeSync(remote)
      }
      throw error
    }
  }

  static async #open(node: number, remote?: number) {
    const glib = await gio()
    const api = await gstreamer().catch(() => {
      throw new UserError('GStreamer is missing on this device; it reads the pictures of Wayland desktops.')
    })
    // Mutter offers the wanted format; other compositors may draw in 24 bits.
    const source =
      remote === undefined ? `pipewiresrc path=${node}` : `pipewiresrc path=${node} fd=${remote} ! videoconvert`
    const error: Out<Pointer> = [null]
    // Without a queue: the sink keeps only the newest frame, which never waits for its time to be shown.
    const pipeline = api.parse(
      `${source} ! video/x-raw,format=(string){BGRx,BGRA} ! fakesink name=sink sync=false`,
      error,
    )
    if (!pipeline || error[0]) {
      throw new UserError(
        `GStreamer cannot read pictures here: ${glib.takeMessage(error[0])}. Install its plugin for PipeWire on the device.`,
      )
    }
    const stream = new PipeWireStream(api, glib, pipeline, remote)
    await asynchronously(api.setState, pipeline, playing)
    return stream
  }

  /** Number of frames so far. */
  get count(): number {
    const [stats, count]: [Out<Pointer>, Out<number>] = [[null], [0]]
    this.#api.stats(this.#sink, 'stats', stats, null)
    this.#api.largeNumberOf(stats[0], 'rendered', count)
    this.#api.freeStructure(stats[0])
    return Number(count[0])
  }

  /** Copies the newest frame, into the pixels of `reused` if they have its size; undefined before the first frame. */
  newest(reused: Picture | undefined): Picture | undefined {
    const sample = this.#api.lastSample(this.#sink)
    if (!sample) {
      return undefined
    }
    try {
      const structure = this.#api.structureOf(this.#api.capsOf(sample), 0)
      const [width, height]: [Out<number>, Out<number>] = [[0], [0]]
      this.#api.numberOf(structure, 'width', width)
      this.#api.numberOf(structure, 'height', height)
      const buffer = this.#api.bufferOf(sample)
      const size = Number(this.#api.sizeOf(buffer))
      const stride = Math.floor(size / height[0])
      if (stride < width[0] * bytesPerPixel || height[0] <= 0) {
        return undefined
      }
      const pixels = reused?.pixels.length === size ? reused.pixels : Buffer.allocUnsafeSlow(size)
      this.#api.extract(buffer, 0, pixels, size)
      return { width: width[0], height: height[0], stride, pixels }
    } finally {
      this.#api.unref(sample)
    }
  }

  /** Reason why the stream has failed; undefined while it runs. */
  problem(): string | undefined {
    const message = this.#api.popMessage(this.#messages, errorMessage)
    if (!message) {
      return undefined
    }
    const error: Out<Pointer> = [null]
    this.#api.parseError(message, error, null)
    this.#api.unref(message)
    return this.#glib.takeMessage(error[0])
  }

  /** Stops on another thread: streaming threads end first. */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true
      await asynchronously(this.#api.setState, this.#pipeline, stopped)
      for (const object of [this.#sink, this.#messages, this.#pipeline]) {
        this.#api.unrefObject(object)
      }
      if (this.#remote !== undefined) {
        closeSync(this.#remote)
      }
    }
  }
}
