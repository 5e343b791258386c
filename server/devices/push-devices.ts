import { devicePermissions } from '../../shared/access.ts'
import { failure, success, type FollowResult } from '../../shared/dtos/hub-result.ts'
import type { App, Call } from '../call/call.ts'
import type { Follower, Places } from './followed-devices.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { presentDevice } from '../fleet/present-device.ts'
import type { Principal } from '../ground/principal.ts'

const maxIdsPerCall = 100
/** Subscriptions of a principal on all its connections: each takes 200 bytes. */
const maxSubscriptions = 200_000

const placesOf = ({ customerId, groupIds }: DeviceState): Places => ({ customerId, groupIds })

const isSamePlace = (a: Places, b: Places) => a.customerId === b.customerId && a.groupIds === b.groupIds

/** Permissions of a principal on a device, one bit each. */
const permissionBits = (app: App, principal: Principal, device: DeviceState) =>
  devicePermissions.reduce(
    (bits, permission, index) => (deviceRight(app, principal, permission)(device) ? bits + 2 ** index : bits),
    0,
  )

/**
 * Subscribes a viewer connection to devices and pushes the present state of each, skipping devices that the principal
 * may not read. Fails for too many devices.
 */
export function followDevices(
  { app, principal }: Call,
  connectionId: string,
  readable: DeviceList,
  deviceIds: readonly string[],
): FollowResult {
  const { followedDevices, hubs, agentRelease } = app
  if (deviceIds.length > maxIdsPerCall) {
    return failure(`Too many device IDs (${deviceIds.length}). Subscribe at most ${maxIdsPerCall} devices per call.`)
  }
  if (followedDevices.countOf(principal) + deviceIds.length > maxSubscriptions) {
    return failure(`Too many subscriptions. Your connections together may have ${maxSubscriptions}.`)
  }
  const skippedDeviceIds: string[] = []
  for (const id of new Set(deviceIds)) {
    const device = readable.get(id)
    if (device) {
      const permissions = permissionBits(app, principal, device)
      followedDevices.follow({ connectionId, principal, places: placesOf(device), permissions }, id)
      void hubs.viewer.send(connectionId).ReceiveDeviceUpdate(presentDevice(device, agentRelease.version))
    } else {
      skippedDeviceIds.push(id)
    }
  }
  return skippedDeviceIds.length === 0 ? success : { ...success, skippedDeviceIds }
}

/** Whether a move of the device has changed what a follower may do with it. */
function hasOtherRights(app: App, follower: Follower, device: DeviceState): boolean {
  if (isSamePlace(follower.places, device)) {
    return false
  }
  const { permissions } = follower
  follower.places = placesOf(device)
  follower.permissions = permissionBits(app, follower.principal, device)
  return follower.permissions !== permissions
}

/** Sends a device to every subscriber who may still read the device. */
export function pushDevice(app: App, device: DeviceState): void {
  const all = app.followedDevices.followersOf(device.id)
  if (!all) {
    return
  }
  const followers = [...all].filter(({ principal }) => principal.use())
  const idsOf = (some: readonly Follower[]) => some.map(({ connectionId }) => connectionId)
  const others = idsOf(followers.filter((follower) => hasOtherRights(app, follower, device)))
  if (others.length > 0) {
    void app.hubs.viewer.send(...others).ReceiveRightsChange()
  }
  const readers = idsOf(followers.filter(({ principal }) => deviceRight(app, principal, 'device.read')(device)))
  if (readers.length > 0) {
    void app.hubs.viewer.send(...readers).ReceiveDeviceUpdate(presentDevice(device, app.agentRelease.version))
  }
}

/** Tells the subscribers of a deleted device to ask again. */
export function pushRemoval({ followedDevices, hubs }: Pick<App, 'followedDevices' | 'hubs'>, deviceId: string): void {
  const followers = [...(followedDevices.followersOf(deviceId) ?? [])].map(({ connectionId }) => connectionId)
  if (followers.length > 0) {
    void hubs.viewer.send(...followers).ReceiveRightsChange()
  }
}
