/**
 * Stand-in for a desktop's part of the portal, such as KDE's; runs in gjs. Shares the monitors of a Mutter on another bus.
 * The person answers the question in a file: `answer` holds `yes` or `no`. A file `revoked` ends what was shared.
 */
import Gio from 'gi://Gio'
import GLib from 'gi://GLib'

const home = GLib.getenv('HOME')
const pathOf = (name) => `${home}/${name}`
const has = (name) => GLib.file_test(pathOf(name), GLib.FileTest.EXISTS)
const textOf = (name) => new TextDecoder().decode(GLib.file_get_contents(pathOf(name))[1]).trim()
const until = (isSo) =>
  new Promise((resolve) =>
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 50, () => {
      if (!isSo()) {
        return GLib.SOURCE_CONTINUE
      }
      resolve()
      return GLib.SOURCE_REMOVE
    }),
  )

const arg = (type, name, direction = 'in') => `<arg type="${type}" name="${name}" direction="${direction}"/>`
const responds = arg('u', 'response', 'out') + arg('a{sv}', 'results', 'out')
const method = (name, types, more = '') =>
  `<method name="${name}">${types.map((type, index) => arg(type, `a${index}`)).join('')}${more}</method>`
const property = (name) => `<property type="u" name="${name}" access="read"/>`
const interfaceOf = (name, ...members) =>
  `<node><interface name="org.freedesktop.impl.portal.${name}">${members.join('')}</interface></node>`

const session = interfaceOf('Session', method('Close', []), '<signal name="Closed"/>', property('version'))
const screenCast = interfaceOf(
  'ScreenCast',
  method('CreateSession', ['o', 'o', 's', 'a{sv}'], responds),
  method('SelectSources', ['o', 'o', 's', 'a{sv}'], responds),
  method('Start', ['o', 'o', 's', 's', 'a{sv}'], responds),
  ...['AvailableSourceTypes', 'AvailableCursorModes', 'version'].map(property),
)
const remoteDesktop = interfaceOf(
  'RemoteDesktop',
  method('CreateSession', ['o', 'o', 's', 'a{sv}'], responds),
  method('SelectDevices', ['o', 'o', 's', 'a{sv}'], responds),
  method('Start', ['o', 'o', 's', 's', 'a{sv}'], responds),
  method('NotifyPointerMotionAbsolute', ['o', 'a{sv}', 'u', 'd', 'd']),
  method('NotifyPointerButton', ['o', 'a{sv}', 'i', 'u']),
  method('NotifyPointerAxisDiscrete', ['o', 'a{sv}', 'u', 'i']),
  method('NotifyKeyboardKeycode', ['o', 'a{sv}', 'i', 'u']),
  method('NotifyKeyboardKeysym', ['o', 'a{sv}', 'i', 'u']),
  ...['AvailableDeviceTypes', 'version'].map(property),
)

const { AUTHENTICATION_CLIENT, MESSAGE_BUS_CONNECTION } = Gio.DBusConnectionFlags
const screen = Gio.DBusConnection.new_for_address_sync(
  textOf('screen-bus'),
  AUTHENTICATION_CLIENT | MESSAGE_BUS_CONNECTION,
  null,
  null,
)
const mutter = (service, path, interfaceName, name, types = '()', ...values) => {
  const parameters = new GLib.Variant(types, values)
  return screen
    .call_sync(`org.gnome.Mutter.${service}`, path, interfaceName, name, parameters, null, 0, -1, null)
    .recursiveUnpack()
}

/** Records all monitors of Mutter; resolves with its session, and the streams by node of PipeWire. */
async function share() {
  const remoteInterface = 'org.gnome.Mutter.RemoteDesktop'
  const [remote] = mutter('RemoteDesktop', '/org/gnome/Mutter/RemoteDesktop', remoteInterface, 'CreateSession')
  const properties = 'org.freedesktop.DBus.Properties'
  const sessionInterface = `${remoteInterface}.Session`
  const [id] = mutter('RemoteDesktop', remote, properties, 'Get', '(ss)', sessionInterface, 'SessionId')
  const castInterface = 'org.gnome.Mutter.ScreenCast'
  const options = { 'remote-desktop-session-id': new GLib.Variant('s', id) }
  const castPath = '/org/gnome/Mutter/ScreenCast'
  const [cast] = mutter('ScreenCast', castPath, castInterface, 'CreateSession', '(a{sv})', options)
  const configPath = '/org/gnome/Mutter/DisplayConfig'
  const [, , monitors] = mutter('DisplayConfig', configPath, 'org.gnome.Mutter.DisplayConfig', 'GetCurrentState')
  const streams = new Map()
  for (const [x, y, scale, , , [[connector]]] of monitors) {
    const mode = { 'cursor-mode': new GLib.Variant('u', 1) }
    const [path] = mutter('ScreenCast', cast, `${castInterface}.Session`, 'RecordMonitor', '(sa{sv})', connector, mode)
    screen.signal_subscribe(
      'org.gnome.Mutter.ScreenCast',
      `${castInterface}.Stream`,
      'PipeWireStreamAdded',
      path,
      null,
      Gio.DBusSignalFlags.NONE,
      (_connection, _sender, _path, _interface, _signal, parameters) =>
        streams.set(parameters.recursiveUnpack()[0], { path, x, y, scale }),
    )
  }
  const call = (...given) => mutter('RemoteDesktop', remote, sessionInterface, ...given)
  call('Start')
  await until(() => streams.size === monitors.length)
  // The first events create Mutter's pointer and keyboard, which other machines have; events right after are lost.
  call('NotifyPointerMotionRelative', '(dd)', 0, 0)
  const shift = 42
  call('NotifyKeyboardKeycode', '(ub)', shift, true)
  call('NotifyKeyboardKeycode', '(ub)', shift, false)
  return { call, streams }
}

/** Shared sessions, by object. */
const sessions = new Map()
const answer = (invocation, response, results = {}) =>
  invocation.return_value(new GLib.Variant('(ua{sv})', [response, results]))
const create = ([, path], invocation) => {
  const own = { isRestored: false }
  own.exported = Gio.DBusExportedObject.wrapJSObject(session, {
    version: 1,
    Close() {
      own.shared?.call('Stop')
      own.exported.unexport()
      sessions.delete(path)
    },
  })
  own.exported.export(Gio.DBus.session, path)
  sessions.set(path, own)
  answer(invocation, 0)
}
/** Size of the monitors that Mutter was started with. */
const size = new GLib.Variant('(ii)', [1280, 720])

async function start([, path], invocation) {
  const own = sessions.get(path)
  if (!own.isRestored) {
    GLib.file_set_contents(pathOf('asked'), '')
    // Read once it has text: it is written in two steps.
    await until(() => has('answer') && textOf('answer') !== '')
    const isAllowed = textOf('answer') === 'yes'
    GLib.unlink(pathOf('answer'))
    GLib.unlink(pathOf('asked'))
    if (!isAllowed) {
      answer(invocation, 1)
      return
    }
  }
  own.shared = await share()
  const streams = [...own.shared.streams].map(([node, { x, y }]) => [
    node,
    { position: new GLib.Variant('(ii)', [x, y]), size, source_type: new GLib.Variant('u', 1) },
  ])
  answer(invocation, 0, {
    devices: new GLib.Variant('u', 3),
    streams: new GLib.Variant('a(ua{sv})', streams),
    persist_mode: new GLib.Variant('u', 2),
    restore_data: new GLib.Variant('(suv)', ['farhand', 1, new GLib.Variant('s', 'allowed')]),
  })
}

const screenCastPart = {
  version: 5,
  AvailableSourceTypes: 1,
  AvailableCursorModes: 7,
  CreateSessionAsync: create,
  SelectSourcesAsync: (_, invocation) => answer(invocation, 0),
  StartAsync: start,
}
const remoteDesktopPart = {
  version: 2,
  AvailableDeviceTypes: 3,
  CreateSessionAsync: create,
  SelectDevicesAsync([, path, , options], invocation) {
    sessions.get(path).isRestored = 'restore_data' in options
    answer(invocation, 0)
  },
  StartAsync: start,
  NotifyPointerMotionAbsolute(path, _, node, x, y) {
    const { call, streams } = sessions.get(path).shared
    call('NotifyPointerMotionAbsolute', '(sdd)', streams.get(node).path, x, y)
  },
  NotifyPointerButton: (path, _, button, state) =>
    sessions.get(path).shared.call('NotifyPointerButton', '(ib)', button, state === 1),
  NotifyPointerAxisDiscrete: (path, _, axis, steps) =>
    sessions.get(path).shared.call('NotifyPointerAxisDiscrete', '(ui)', axis, steps),
  NotifyKeyboardKeycode: (path, _, keycode, state) =>
    sessions.get(path).shared.call('NotifyKeyboardKeycode', '(ub)', keycode, state === 1),
  NotifyKeyboardKeysym: (path, _, keysym, state) =>
    sessions.get(path).shared.call('NotifyKeyboardKeysym', '(ub)', keysym, state === 1),
}
// Referenced, because unreferenced objects are collected, and with them their place on the bus.
const exported = [
  [screenCast, screenCastPart],
  [remoteDesktop, remoteDesktopPart],
].map(([definition, part]) => Gio.DBusExportedObject.wrapJSObject(definition, part))
exported.forEach((part) => part.export(Gio.DBus.session, '/org/freedesktop/portal/desktop'))
void until(() => has('revoked')).then(() =>
  sessions.forEach((own) => own.exported.emit_signal('Closed', new GLib.Variant('()', []))),
)
Gio.bus_own_name(Gio.BusType.SESSION, 'org.freedesktop.impl.portal.desktop.farhand', 0, null, null, null)
GLib.MainLoop.new(null, false).run()
