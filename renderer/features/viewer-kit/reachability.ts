import { liveState, onLiveState } from '../../api/hubs.ts'

/** Follows whether the device can be reached: the live channel is up and the device is online. */
export function followReachability(onChange: (isReachable: boolean) => void) {
  let isDeviceOnline = false
  const report = () => onChange(isDeviceOnline && liveState().state === 'live')
  return {
    stop: onLiveState(report),
    setDeviceOnline(isOnline: boolean) {
      isDeviceOnline = isOnline
      report()
    },
  }
}
