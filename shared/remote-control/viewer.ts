import { Channel, type ChannelClock, type MessageHandlers, type MessageSocket } from './channel.ts'
import type { CaptureSettingsDto, DeviceMessage, Payload, ScreenFrame, ViewerMessage } from './messages.ts'
import { imageFormat } from './values.ts'

/** Initial settings of devices; a viewer sends all members when one changes. */
export const defaultCaptureSettings: CaptureSettingsDto = {
  captureCursor: false,
  enableDirectX: true,
  isAutoQualityEnabled: false,
  manualQuality: 75,
  autoQualityLowerThresholdMbps: 5,
  autoQualityMaximum: 80,
  autoQualityMinimum: 20,
  autoQualityUpperThresholdMbps: 15,
  isMaxBandwidthEnabled: false,
  maxBandwidthMbps: 15,
  encodingFormat: imageFormat.Jpeg,
}

/**
 * Thresholds that no link reaches: the quality then depends on the latency of the link and the queue of the viewer,
 * whatever the traffic.
 */
export const anyTraffic = { autoQualityLowerThresholdMbps: 9_999, autoQualityUpperThresholdMbps: 10_000 }

/** All settings of a viewer of this product. */
export const captureSettings = (settings: Partial<CaptureSettingsDto>): CaptureSettingsDto => ({
  ...defaultCaptureSettings,
  acceptsMoves: true,
  acceptsVp8: false,
  acceptsLossless: true,
  ...settings,
})

export interface ViewerDependencies {
  socket: MessageSocket
  clock: ChannelClock
  /** Apply the moves first, in order, then the regions, in order, each scaled to its area. */
  onFrame: (frame: ScreenFrame) => void
  /** Number of frames waiting to be drawn; the device then sends fewer. */
  waitingFrames?: () => number
  /** Handlers of the device's other messages, by name. */
  on?: MessageHandlers<Exclude<DeviceMessage, 'ScreenRegions' | 'ScreenRegion'>>
  /** Called once, with the reason as a sentence for people. */
  onEnd: (reason: string) => void
}

/** The viewer's end of a session, without rendering: emits the device's messages, sends the user's input. */
export class RemoteControlViewer {
  readonly channel: Channel<ViewerMessage, DeviceMessage>

  constructor({ socket, clock, onFrame, waitingFrames, on = {}, onEnd }: ViewerDependencies) {
    const handlers: MessageHandlers<DeviceMessage> = {
      ...on,
      ScreenRegions: onFrame,
      ScreenRegion: (region) => onFrame({ regions: [region] }),
    }
    this.channel = new Channel({ socket, clock, handlers, onEnd, ...(waitingFrames && { waitingFrames }) })
  }

  send<N extends ViewerMessage>(name: N, payload: Payload<N>): Promise<boolean> {
    return this.channel.send(name, payload)
  }

  setCapture(settings: Partial<CaptureSettingsDto>): Promise<boolean> {
    return this.send('UpdateCaptureSettings', captureSettings(settings))
  }

  /** Closes the session at the device, then the connection. */
  close(): void {
    this.channel.sendLast('CloseRemoteControlSession', {}, 'The viewer closed the session.')
  }
}
