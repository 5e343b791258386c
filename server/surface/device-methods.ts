import type { ViewerCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'

export type OnDevice = ViewerCall & { device: DeviceState }

/** Adapts a service on a device to a method handler, with the device found by the access check. */
export const on =
  <A extends unknown[], R>(work: (call: ViewerCall, device: DeviceState, ...args: A) => R) =>
  (call: OnDevice, ...args: A) =>
    work(call, call.device, ...args)

/** Obsolete signature with a leading device id. */
export const at =
  <C, A extends unknown[], R>(handle: (call: C, ...args: A) => R) =>
  (call: C, _deviceId: string, ...args: A) =>
    handle(call, ...args)

/** Obsolete signature without a result. */
export const silently =
  <C, A extends unknown[]>(handle: (call: C, ...args: A) => Promise<unknown>) =>
  async (call: C, _deviceId: string, ...args: A) =>
    void (await handle(call, ...args))
