import { nativeFunctions } from '../../../base/native-functions.ts'

/** Pointer of a C library; koffi represents pointers as opaque values. */
export type Pointer = unknown
export type Out<T> = [T]

type SignalCallback = (
  connection: Pointer,
  sender: string,
  path: string,
  interfaceName: string,
  signal: string,
  parameters: Pointer,
) => void

/**
 * GIO of GLib: D-Bus with file descriptors, which clipboards and portals pass. Packages of npm pass none without a
 * native part of their own, and GLib is there wherever PipeWire's plugin of GStreamer is.
 */
export const gio = nativeFunctions((koffi) => {
  const glib = koffi.load('libglib-2.0.so.0')
  const gobject = koffi.load('libgobject-2.0.so.0')
  const library = koffi.load('libgio-2.0.so.0')
  const errorStruct = koffi.struct({ domain: 'uint32', code: 'int', message: 'str' })
  const onSignal = koffi.proto(
    'void FarhandDBusSignal(void *connection, str sender, str path, str interface, str signal, void *parameters, void *data)',
  )
  const freeError: (error: Pointer) => void = glib.func('void g_error_free(void *error)')
  return {
    connect: library.func(
      'void *g_dbus_connection_new_for_address_sync(str address, int flags, void *observer, void *cancellable, _Out_ void **error)',
    ),
    call: library.func(
      'void *g_dbus_connection_call_with_unix_fd_list_sync(void *connection, str name, str path, str interface, str method, void *parameters, void *replyType, int flags, int timeoutMs, void *descriptors, _Out_ void **replyDescriptors, void *cancellable, _Out_ void **error)',
    ),
    send: library.func(
      'void g_dbus_connection_call(void *connection, str name, str path, str interface, str method, void *parameters, void *replyType, int flags, int timeoutMs, void *cancellable, void *callback, void *data)',
    ),
    subscribe: library.func(
      'uint g_dbus_connection_signal_subscribe(void *connection, str sender, str interface, str member, str path, str arg0, int flags, FarhandDBusSignal *callback, void *data, void *free)',
    ),
    unsubscribe: library.func('void g_dbus_connection_signal_unsubscribe(void *connection, uint id)'),
    uniqueName: library.func('str g_dbus_connection_get_unique_name(void *connection)') as (
      connection: Pointer,
    ) => string,
    isClosed: library.func('int g_dbus_connection_is_closed(void *connection)') as (connection: Pointer) => number,
    close: library.func('int g_dbus_connection_close_sync(void *connection, void *cancellable, void *error)'),
    descriptorAt: library.func('int g_unix_fd_list_get(void *list, int index, _Out_ void **error)') as (
      list: Pointer,
      index: number,
      error: Out<Pointer>,
    ) => number,
    unrefObject: gobject.func('void g_object_unref(void *object)') as (object: Pointer) => void,
    iterate: glib.func('int g_main_context_iteration(void *context, int mayBlock)') as (
      context: null,
      mayBlock: number,
    ) => number,
    parse: glib.func('void *g_variant_parse(str type, str text, void *limit, void *end, _Out_ void **error)') as (
      type: string,
      text: string,
      limit: null,
      end: null,
      error: Out<Pointer>,
    ) => Pointer,
    unref: glib.func('void g_variant_unref(void *value)') as (value: Pointer) => void,
    typeOf: glib.func('str g_variant_get_type_string(void *value)') as (value: Pointer) => string,
    count: glib.func('size_t g_variant_n_children(void *value)') as (value: Pointer) => number,
    child: glib.func('void *g_variant_get_child_value(void *value, size_t index)') as (
      value: Pointer,
      index: number,
    ) => Pointer,
    text: glib.func('str g_variant_get_string(void *value, void *length)') as (value: Pointer, length: null) => string,
    print: glib.func('str g_variant_print(void *value, int hasTypes)') as (value: Pointer, hasTypes: number) => string,
    double: glib.func('double g_variant_get_double(void *value)') as (value: Pointer) => number,
    handle: glib.func('int g_variant_get_handle(void *value)') as (value: Pointer) => number,
    /** Message of an error, which is freed. */
    takeMessage(error: Pointer): string {
      const { message } = koffi.decode(error, errorStruct) as { message: string }
      freeError(error)
      return message
    },
    callback: (listener: SignalCallback) => koffi.register(listener, koffi.pointer(onSignal)),
    forget: (callback: bigint) => koffi.unregister(callback),
  }
})

export type Gio = Awaited<ReturnType<typeof gio>>

/** Values of D-Bus: structures are arrays, dictionaries are maps. */
export type Value = string | number | boolean | readonly Value[] | Map<Value, Value>

/** Returns the value of a variant; a variant within is replaced by its content. */
export function valueOf(api: Gio, variant: Pointer): Value {
  const type = api.typeOf(variant)
  const children = () =>
    Array.from({ length: Number(api.count(variant)) }, (_, index) => {
      const child = api.child(variant, index)
      try {
        return valueOf(api, child)
      } finally {
        api.unref(child)
      }
    })
  switch (type[0]) {
    case 's':
    case 'o':
    case 'g':
      return api.text(variant, null)
    case 'b':
      return api.print(variant, 0) === 'true'
    case 'd':
      return api.double(variant)
    case 'h':
      return api.handle(variant)
    case 'v':
      return children()[0] ?? ''
    case 'a':
      return type[1] === '{' ? new Map(children() as [Value, Value][]) : children()
    case '(':
    case '{':
      return children()
    default:
      return Number(api.print(variant, 0))
  }
}
