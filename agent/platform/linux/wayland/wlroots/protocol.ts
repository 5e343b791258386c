/**
 * Interfaces of the Wayland protocols that this client speaks: requests and events in the order of their numbers, each
 * with one letter per argument. i: signed, u: unsigned, f: fixed-point number, s: text, o: object, n: id of a new
 * object, h: file descriptor, a: bytes.
 */
export interface Interface {
  name: string
  /** Newest version that is used. */
  version: number
  requests: Readonly<Record<string, string>>
  events: Readonly<Record<string, string>>
}

const interfaceOf = <const T extends Interface>(definition: T): T => definition

export const wlDisplay = interfaceOf({
  name: 'wl_display',
  version: 1,
  requests: { sync: 'n', get_registry: 'n' },
  events: { error: 'ous', delete_id: 'u' },
})

export const wlRegistry = interfaceOf({
  name: 'wl_registry',
  version: 1,
  requests: { bind: 'usun' },
  events: { global: 'usu', global_remove: 'u' },
})

export const wlCallback = interfaceOf({ name: 'wl_callback', version: 1, requests: {}, events: { done: 'u' } })

export const wlCompositor = interfaceOf({
  name: 'wl_compositor',
  version: 4,
  requests: { create_surface: 'n', create_region: 'n' },
  events: {},
})

export const wlSurface = interfaceOf({
  name: 'wl_surface',
  version: 4,
  requests: {
    destroy: '',
    attach: 'oii',
    damage: 'iiii',
    frame: 'n',
    set_opaque_region: 'o',
    set_input_region: 'o',
    commit: '',
    set_buffer_transform: 'i',
    set_buffer_scale: 'i',
    damage_buffer: 'iiii',
  },
  events: { enter: 'o', leave: 'o' },
})

export const wlShm = interfaceOf({
  name: 'wl_shm',
  version: 1,
  requests: { create_pool: 'nhi' },
  events: { format: 'u' },
})

export const wlShmPool = interfaceOf({
  name: 'wl_shm_pool',
  version: 1,
  requests: { create_buffer: 'niiiiu', destroy: '', resize: 'i' },
  events: {},
})

export const wlBuffer = interfaceOf({
  name: 'wl_buffer',
  version: 1,
  requests: { destroy: '' },
  events: { release: '' },
})

export const wlSeat = interfaceOf({
  name: 'wl_seat',
  version: 3,
  requests: { get_pointer: 'n', get_keyboard: 'n', get_touch: 'n' },
  events: { capabilities: 'u', name: 's' },
})

export const wlPointer = interfaceOf({
  name: 'wl_pointer',
  version: 3,
  requests: { set_cursor: 'uoii', release: '' },
  events: { enter: 'uoff', leave: 'uo', motion: 'uff', button: 'uuuu', axis: 'uuf' },
})

export const wlOutput = interfaceOf({
  name: 'wl_output',
  version: 3,
  requests: { release: '' },
  events: { geometry: 'iiiiissi', mode: 'uiii', done: '', scale: 'i' },
})

export const xdgOutputManager = interfaceOf({
  name: 'zxdg_output_manager_v1',
  version: 3,
  requests: { destroy: '', get_xdg_output: 'no' },
  events: {},
})

export const xdgOutput = interfaceOf({
  name: 'zxdg_output_v1',
  version: 3,
  requests: { destroy: '' },
  events: { logical_position: 'ii', logical_size: 'ii', done: '', name: 's', description: 's' },
})

export const screencopyManager = interfaceOf({
  name: 'zwlr_screencopy_manager_v1',
  version: 3,
  requests: { capture_output: 'nio', capture_output_region: 'nioiiii', destroy: '' },
  events: {},
})

export const screencopyFrame = interfaceOf({
  name: 'zwlr_screencopy_frame_v1',
  version: 3,
  requests: { copy: 'o', destroy: '', copy_with_damage: 'o' },
  events: {
    buffer: 'uuuu',
    flags: 'u',
    ready: 'uuu',
    failed: '',
    damage: 'uuuu',
    linux_dmabuf: 'uuu',
    buffer_done: '',
  },
})

export const virtualPointerManager = interfaceOf({
  name: 'zwlr_virtual_pointer_manager_v1',
  version: 1,
  requests: { create_virtual_pointer: 'on', destroy: '' },
  events: {},
})

export const virtualPointer = interfaceOf({
  name: 'zwlr_virtual_pointer_v1',
  version: 1,
  requests: {
    motion: 'uff',
    motion_absolute: 'uuuuu',
    button: 'uuu',
    axis: 'uuf',
    frame: '',
    axis_source: 'u',
    axis_stop: 'uu',
    axis_discrete: 'uufi',
    destroy: '',
  },
  events: {},
})

export const virtualKeyboardManager = interfaceOf({
  name: 'zwp_virtual_keyboard_manager_v1',
  version: 1,
  requests: { create_virtual_keyboard: 'on' },
  events: {},
})

export const virtualKeyboard = interfaceOf({
  name: 'zwp_virtual_keyboard_v1',
  version: 1,
  requests: { keymap: 'uhu', key: 'uuu', modifiers: 'uuuu', destroy: '' },
  events: {},
})

export const dataControlManager = interfaceOf({
  name: 'zwlr_data_control_manager_v1',
  version: 1,
  requests: { create_data_source: 'n', get_data_device: 'no', destroy: '' },
  events: {},
})

export const dataControlDevice = interfaceOf({
  name: 'zwlr_data_control_device_v1',
  version: 1,
  requests: { set_selection: 'o', destroy: '' },
  events: { data_offer: 'n', selection: 'o', finished: '' },
})

export const dataControlSource = interfaceOf({
  name: 'zwlr_data_control_source_v1',
  version: 1,
  requests: { offer: 's', destroy: '' },
  events: { send: 'sh', cancelled: '' },
})

export const dataControlOffer = interfaceOf({
  name: 'zwlr_data_control_offer_v1',
  version: 1,
  requests: { receive: 'sh', destroy: '' },
  events: { offer: 's' },
})

export const layerShell = interfaceOf({
  name: 'zwlr_layer_shell_v1',
  version: 1,
  requests: { get_layer_surface: 'noous' },
  events: {},
})

export const layerSurface = interfaceOf({
  name: 'zwlr_layer_surface_v1',
  version: 1,
  requests: {
    set_size: 'uu',
    set_anchor: 'u',
    set_exclusive_zone: 'i',
    set_margin: 'iiii',
    set_keyboard_interactivity: 'u',
    get_popup: 'o',
    ack_configure: 'u',
    destroy: '',
  },
  events: { configure: 'uuu', closed: '' },
})
