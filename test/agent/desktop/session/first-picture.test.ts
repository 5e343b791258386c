import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { decodeEnvelope } from '../../../../shared/remote-control/codec.ts'
import { messages } from '../../../../shared/remote-control/messages.ts'
import { imageFormat } from '../../../../shared/remote-control/values.ts'
import { captureSettings } from '../../../../shared/remote-control/viewer.ts'
import type { SessionRequest } from '../../../../agent/desktop/session/request.ts'
import { manualClock } from '../../../support/clock.ts'
import { steady, until } from '../../../support/until.ts'
import { MemoryDesktop } from './memory-desktop.ts'
import { runQuietly, startRelay, startScene } from './scene.ts'

const page = () => {
  const desktop = new MemoryDesktop([320, 200])
  desktop.fill({ x: 0, y: 0, width: 320, height: 200 }, (x, y) =>
    x % 9 < 2 && y % 20 < 12 ? [0, 0, 0] : [250, 250, 245],
  )
  return desktop
}

test('the first picture has the settings that the viewer sends as it connects, and is captured once', async () => {
  const capture = { isAutoQualityEnabled: true, acceptsLossless: true }
  const { frames, desktop } = await startScene({ desktop: page(), clock: manualClock(), capture })
  await until(() => frames.length > 0)
  expect(await steady(() => desktop.screen.captures, 40)).toBe(1)
  expect(frames).toMatchObject([[{ width: 320, height: 200, imageFormat: imageFormat.Png }]])
})

/** Starts a session on a page with a viewer that sends nothing; returns the types of the messages that it gets. */
async function watchSilently(request: Partial<SessionRequest> = {}) {
  const clock = manualClock()
  const relay = await startRelay()
  const desktop = page()
  const ended = runQuietly(desktop, relay.uri, clock, request)
  const viewer = new WebSocket(relay.uri)
  const received: number[] = []
  viewer.on('message', (bytes: Buffer) => received.push(decodeEnvelope(bytes).dtoType))
  await once(viewer, 'open')
  onTestFinished(async () => {
    relay.stop()
    await ended
  })
  return { clock, desktop, received }
}

test('a viewer that sends no settings gets its first picture after 250 ms', async () => {
  const { clock, desktop, received } = await watchSilently()
  await until(() => received.includes(messages.DisplayData.number))
  clock.advance(200)
  expect(await steady(() => desktop.screen.captures, 40)).toBe(0)
  clock.advance(50)
  await until(() => received.includes(messages.ScreenRegions.number))
})

test('a viewer whose request has its settings gets its first picture without sending them', async () => {
  const { received } = await watchSilently({ capture: captureSettings({}) })
  await until(() => received.includes(messages.ScreenRegions.number))
})

test('settings that the viewer sends again as it connects cause no second picture', async () => {
  const capture = captureSettings({ isAutoQualityEnabled: true })
  const { frames, desktop } = await startScene({ desktop: page(), clock: manualClock(), request: { capture }, capture })
  await until(() => frames.length > 0)
  expect(await steady(() => desktop.screen.captures, 40)).toBe(1)
  expect(frames).toMatchObject([[{ width: 320, height: 200, imageFormat: imageFormat.Png }]])
})

test('a viewer whose request has absurd settings gets its first picture (T35)', async () => {
  const most = 2_147_483_647
  const { received } = await watchSilently({
    capture: captureSettings({
      isAutoQualityEnabled: true,
      manualQuality: -most,
      autoQualityMinimum: most,
      autoQualityMaximum: -most,
      autoQualityLowerThresholdMbps: 1e300,
      autoQualityUpperThresholdMbps: -1e300,
      isMaxBandwidthEnabled: true,
      maxBandwidthMbps: -1e300,
    }),
  })
  await until(() => received.includes(messages.ScreenRegions.number))
})
