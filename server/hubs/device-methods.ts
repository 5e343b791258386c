import type { ViewerCall } from '../call.ts'
import type { DeviceState } from '../mirrors/fleet/device-state.ts'

/** A call whose access names a device. */
export type OnDevice = ViewerCall & { device: DeviceState }

/** A service that works on a device, as the handler of a method: it gets the device that the access has found. */
export const on =
  <A extends unknown[], R>(work: (call: ViewerCall, device: DeviceState, ...args: A) => R) =>
  (call: OnDevice, ...args: A) =>
    work(call, call.device, ...args)

/** The obsolete form: the device id comes first. */
export const at =
  <C, A extends unknown[], R>(handle: (call: C, ...args: A) => R) =>
  (call: C, _deviceId: string, ...args: A) =>
    handle(call, ...args)

/** The obsolete form that answers nothing. */
export const silently =
  <C, A extends unknown[]>(handle: (call: C, ...args: A) => Promise<unknown>) =>
  async (call: C, _deviceId: string, ...args: A) =>
    void (await handle(call, ...args))
