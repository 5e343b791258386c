import { desktop } from '../api/desktop.ts'
import { tabStorage } from '../api/storage.ts'
import { deviceAddress, type DeviceTabName } from './device-tabs.ts'

const parameter = 'window'
const key = 'farhand.own-window'

function readFlag() {
  const isNew = new URLSearchParams(location.search).get(parameter) === 'own'
  if (isNew) {
    tabStorage.set(key, 'true')
  }
  return isNew || tabStorage.get(key) === 'true'
}

/** Whether this window was opened for one device: it hides the navigation on all pages. */
export const isOwnWindow = readFlag()

/** Whether own windows are desktop windows; in a browser they are tabs. */
export const hasWindows = desktop !== undefined

/** Opens a device in its own window, without access to this one (`noopener`). */
export const openOwnWindow = (deviceId: string, tab?: DeviceTabName, query: Readonly<Record<string, string>> = {}) =>
  void window.open(
    `${deviceAddress(deviceId, tab)}?${new URLSearchParams({ [parameter]: 'own', ...query }).toString()}`,
    '_blank',
    'noopener',
  )
