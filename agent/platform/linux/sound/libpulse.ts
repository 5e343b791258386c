import type { LibraryHandle } from 'koffi'
import { nativeFunctions, type Koffi } from '../../../base/native-functions.ts'

/** Object of a C library. */
export type Pointer = unknown
type Out<T> = [T]

/** Members of `pa_buffer_attr`, in bytes. */
const sizeNames = ['maxlength', 'tlength', 'prebuf', 'minreq', 'fragsize'] as const

/** Functions of a stream that records. */
function streamFunctions(koffi: Koffi, library: LibraryHandle) {
  koffi.struct('pa_buffer_attr', Object.fromEntries(sizeNames.map((name) => [name, 'uint32'])))
  const peek = library.func('int pa_stream_peek(void *stream, _Out_ void **data, _Out_ size_t *bytes)') as (
    stream: Pointer,
    data: Out<Pointer>,
    bytes: Out<number>,
  ) => number
  const drop = library.func('int pa_stream_drop(void *stream)') as (stream: Pointer) => number
  return {
    newStream: library.func('void *pa_stream_new(void *context, str name, pa_sample_spec *spec, void *map)') as (
      context: Pointer,
      name: string,
      spec: { format: number; rate: number; channels: number },
      map: null,
    ) => Pointer,
    record: library.func(
      'int pa_stream_connect_record(void *stream, str device, pa_buffer_attr *sizes, int flags)',
    ) as (
      stream: Pointer,
      device: string,
      sizes: Readonly<Record<(typeof sizeNames)[number], number>>,
      flags: number,
    ) => number,
    streamState: library.func('int pa_stream_get_state(void *stream)') as (stream: Pointer) => number,
    /** Copies the oldest part and removes it; zeros for a part that was lost, empty without one. */
    takePart(stream: Pointer): Buffer {
      const [data, bytes]: [Out<Pointer>, Out<number>] = [[null], [0]]
      peek(stream, data, bytes)
      const length = Number(bytes[0])
      const part = data[0] ? Buffer.from(koffi.decode(data[0], 'uint8', length) as Uint8Array) : Buffer.alloc(length)
      if (length > 0) {
        drop(stream)
      }
      return part
    },
    endStream: library.func('int pa_stream_disconnect(void *stream)') as (stream: Pointer) => number,
    freeStream: library.func('void pa_stream_unref(void *stream)') as (stream: Pointer) => void,
  }
}

/** Functions of libpulse (LGPL), which PulseAudio and PipeWire serve. Rejects where it is missing. */
export const libpulse = nativeFunctions((koffi) => {
  const library = koffi.load('libpulse.so.0')
  koffi.struct('pa_sample_spec', { format: 'int', rate: 'uint32', channels: 'uint8' })
  const changed = koffi.pointer(koffi.proto('void pa_changed(void *context, int type, uint32 index, void *data)'))
  const told = koffi.pointer(koffi.proto('void pa_told(void *context, void *info, void *data)'))
  /** First members of `pa_server_info`. */
  const info = koffi.struct({
    user: 'str',
    host: 'str',
    version: 'str',
    server: 'str',
    spec: 'pa_sample_spec',
    output: 'str',
  })
  const create = (name: string) => library.func(`void *${name}(void *of)`) as (of: Pointer) => Pointer
  const count = (name: string) => library.func(`int ${name}(void *of)`) as (of: Pointer) => number
  const run = (name: string) => library.func(`void ${name}(void *of)`) as (of: Pointer) => void
  return {
    newLoop: library.func('void *pa_mainloop_new()') as () => Pointer,
    /** Returns the number of events that were handled, negative for an end. */
    iterate: library.func('int pa_mainloop_iterate(void *loop, int block, void *result)') as (
      loop: Pointer,
      block: 0,
      result: null,
    ) => number,
    freeLoop: run('pa_mainloop_free'),
    apiOf: create('pa_mainloop_get_api'),
    newContext: library.func('void *pa_context_new(void *api, str name)') as (api: Pointer, name: string) => Pointer,
    connect: library.func('int pa_context_connect(void *context, str server, int flags, void *spawn)') as (
      context: Pointer,
      server: null,
      flags: number,
      spawn: null,
    ) => number,
    contextState: count('pa_context_get_state'),
    contextError: count('pa_context_errno'),
    /** Makes a listener for `listen`. Listeners are called within `iterate`, and freed by `freeListener`. */
    newListener: (listener: () => void) => koffi.register(listener, changed),
    /** Makes a listener for `askServer`, which gets the name of the default output; null without one. */
    newOutputListener: (listener: (output: string | null) => void) =>
      koffi.register((_: Pointer, about: Pointer) => {
        listener(about ? (koffi.decode(about, info) as { output: string | null }).output : null)
      }, told),
    freeListener: (listener: bigint) => koffi.unregister(listener),
    askServer: library.func('void *pa_context_get_server_info(void *context, void *listener, void *data)') as (
      context: Pointer,
      listener: bigint,
      data: null,
    ) => Pointer,
    listen: library.func('void pa_context_set_subscribe_callback(void *context, void *listener, void *data)') as (
      context: Pointer,
      listener: bigint | null,
      data: null,
    ) => void,
    subscribe: library.func('void *pa_context_subscribe(void *context, int events, void *done, void *data)') as (
      context: Pointer,
      events: number,
      done: null,
      data: null,
    ) => Pointer,
    freeOperation: run('pa_operation_unref'),
    disconnect: run('pa_context_disconnect'),
    freeContext: run('pa_context_unref'),
    textOf: library.func('str pa_strerror(int error)') as (error: number) => string,
    ...streamFunctions(koffi, library),
  }
})
