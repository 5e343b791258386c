import { newId } from '../../api/new-id.ts'
import { browserStorage } from '../../api/storage.ts'
import { openOwnWindow } from '../../components/own-window.ts'
import type { ControlSession } from './control-session.ts'

/** Display that a new window shows without another question. */
interface DisplayRequest {
  deviceId: string
  systemSessionId: number
  displayId: string
  isViewOnly: boolean
}

const key = (id: string) => `farhand.display.${id}`
const parameter = 'display'
const unusedMs = 60_000

/**
 * Opens a display in a window of its own. The request lies in this browser's storage, which other sites cannot write:
 * a link from elsewhere begins no session.
 */
export function openDisplay(deviceId: string, { systemSessionId, isViewOnly }: ControlSession, displayId: string) {
  const id = newId()
  const request: DisplayRequest = { deviceId, systemSessionId, displayId, isViewOnly }
  browserStorage.set(key(id), JSON.stringify(request))
  // The browser may open no window.
  setTimeout(() => browserStorage.remove(key(id)), unusedMs)
  openOwnWindow(deviceId, 'control', { [parameter]: id })
}

/** Takes the request that this window was opened with; undefined for any other window, and after the first call. */
export function takeDisplayRequest(query: string, deviceId: string): DisplayRequest | undefined {
  const name = key(new URLSearchParams(query).get(parameter) ?? '')
  const stored = browserStorage.get(name)
  browserStorage.remove(name)
  const request = stored === null ? undefined : (JSON.parse(stored) as DisplayRequest)
  return request?.deviceId === deviceId ? request : undefined
}
