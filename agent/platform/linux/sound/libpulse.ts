import { nativeFunctions } from '../../../base/native-functions.ts'

/** Object of a C library. */
export type Pointer = unknown
type Out<T> = [T]

/** Members of `pa_buffer_attr`, in bytes. */
const sizeNames = ['maxlength', 'tlength', 'prebuf', 'minreq', 'fragsize'] as const

/** Functions of libpulse (LGPL), which PulseAudio and PipeWire serve. Rejects where it is missing. */
export const libpulse = nativeFunctions((koffi) => {
  const library = koffi.load('libpulse.so.0')
  koffi.struct('pa_sample_spec', { format: 'int', rate: 'uint32', channels: 'uint8' })
  koffi.struct('pa_buffer_attr', Object.fromEntries(sizeNames.map((name) => [name, 'uint32'])))
  const create = (name: string) => library.func(`void *${name}(void *of)`) as (of: Pointer) => Pointer
  const count = (name: string) => library.func(`int ${name}(void *of)`) as (of: Pointer) => number
  const run = (name: string) => library.func(`void ${name}(void *of)`) as (of: Pointer) => void
  const peek = library.func('int pa_stream_peek(void *stream, _Out_ void **data, _Out_ size_t *bytes)') as (
    stream: Pointer,
    data: Out<Pointer>,
    bytes: Out<number>,
  ) => number
  const drop = count('pa_stream_drop')
  return {
    newLoop: library.func('void *pa_threaded_mainloop_new()') as () => Pointer,
    startLoop: count('pa_threaded_mainloop_start'),
    /** Waits for the thread of the loop, which must not be locked. */
    stopLoop: run('pa_threaded_mainloop_stop'),
    freeLoop: run('pa_threaded_mainloop_free'),
    lock: run('pa_threaded_mainloop_lock'),
    unlock: run('pa_threaded_mainloop_unlock'),
    apiOf: create('pa_threaded_mainloop_get_api'),
    newContext: library.func('void *pa_context_new(void *api, str name)') as (api: Pointer, name: string) => Pointer,
    connect: library.func('int pa_context_connect(void *context, str server, int flags, void *spawn)') as (
      context: Pointer,
      server: null,
      flags: number,
      spawn: null,
    ) => number,
    contextState: count('pa_context_get_state'),
    contextError: count('pa_context_errno'),
    disconnect: run('pa_context_disconnect'),
    freeContext: run('pa_context_unref'),
    textOf: library.func('str pa_strerror(int error)') as (error: number) => string,
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
    streamState: count('pa_stream_get_state'),
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
    endStream: count('pa_stream_disconnect'),
    freeStream: run('pa_stream_unref'),
  }
})
