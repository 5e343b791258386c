import { recordingNoticeType, type RecordingNotice } from '../../shared/dtos/recording-notice.ts'
import type { App } from '../call/call.ts'

/** Tells our agent whether a session is recorded, for the line on the screen. Agents of other makes ignore it. */
export function noticeOnDevice(app: App, deviceId: string, notice: RecordingNotice): void {
  const connectionId = app.fleet.get(deviceId)?.connectionId ?? ''
  if (connectionId !== '') {
    const payload = Buffer.from(JSON.stringify(notice)).toString('base64')
    void app.hubs.agent.send(connectionId).ReceiveDto({ dtoType: recordingNoticeType, payload })
  }
}
