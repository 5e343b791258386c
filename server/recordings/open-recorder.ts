import type { App } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { recordingMode } from './policies.ts'
import { Recorder } from './recorder.ts'
import type { RecordedSession, SessionRecorder } from './recorded-session.ts'

/**
 * Opens the recorder of a new session; call its `begin` when the session has begun. Returns undefined where nothing may
 * be recorded, and the reason why a session that must be recorded cannot begin.
 */
export async function openRecorder(
  app: App,
  device: DeviceState,
  session: Omit<RecordedSession, 'device'>,
): Promise<SessionRecorder | string | undefined> {
  const mode = await recordingMode(app, device)
  if (mode === 'off') {
    return undefined
  }
  if (mode === 'always' && (await app.diskSpace.isLow())) {
    return 'A policy requires that this session is recorded, and the disk of the server is full.'
  }
  const { id, tenantId, customerId, name, alias } = device
  const recorder = new Recorder({
    app,
    session: { ...session, device: { id, tenantId, customerId, name, alias } },
    mode,
    memory: app.recorders.memory,
  })
  app.recorders.add(recorder)
  return recorder
}

/** Reason why a kind of session that cannot be recorded may not begin on a device; undefined if it may. */
export const refusalOfUnrecorded = async (app: App, device: DeviceState): Promise<string | undefined> =>
  (await recordingMode(app, device)) === 'always'
    ? 'A policy requires that every session on this device is recorded, and VNC sessions cannot be recorded.'
    : undefined
