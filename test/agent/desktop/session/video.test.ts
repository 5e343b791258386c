import { describe, expect, test } from 'vitest'
import { openVp8 } from '../../../../agent/platform/linux/video/vp8-encoder.ts'
import { MovingAreas } from '../../../../agent/desktop/session/moving-areas.ts'
import { Quality } from '../../../../agent/desktop/session/quality.ts'
import { ShownPicture } from '../../../../agent/desktop/session/shown-picture.ts'
import { VideoRate } from '../../../../agent/desktop/session/video-rate.ts'
import type { OpenVideo, Rectangle } from '../../../../agent/platform/desktop/desktop.ts'
import { defaultCaptureSettings } from '../../../../shared/remote-control/viewer.ts'
import type { ScreenFrame } from '../../../../shared/remote-control/messages.ts'
import { until } from '../../../support/until.ts'
import { decodeKey, isKey } from '../../../support/vp8.ts'
import { MemoryDesktop } from './memory-desktop.ts'
import { startScene } from './scene.ts'

const size = { width: 641, height: 480 }
const film: Rectangle = { x: 64, y: 0, width: 384, height: 320 }
const encoderOf = openVp8({ width: 64, height: 64 })
encoderOf?.close()

/** Plays a film on a desktop until the condition holds. */
async function play(desktop: MemoryDesktop, isDone: () => boolean) {
  for (let frame = 0; !isDone(); frame++) {
    const { captures } = desktop.screen
    desktop.fill(film, () => [frame % 2 === 0 ? 200 : 190, 60, (frame * 8) % 250])
    await until(() => desktop.screen.captures > captures)
  }
}

async function watch(openVideo: OpenVideo, acceptsVp8 = true) {
  const desktop = Object.assign(new MemoryDesktop([size.width, size.height]), { openVideo })
  desktop.fill({ x: 0, y: 0, ...size }, () => [250, 250, 250])
  const scene = await startScene({ desktop })
  await scene.viewer.setCapture({ isAutoQualityEnabled: true, acceptsVp8 })
  const videos = () => scene.received.flatMap(({ video }) => video ?? [])
  return { ...scene, videos }
}

describe.skipIf(!encoderOf)("video by the system's encoder", () => {
  test('an area that moves is sent as video, and as a sharp image once it rests', async () => {
    const { desktop, videos, received } = await watch(openVp8)
    await play(desktop, () => videos().length > 5)
    const [first, ...others] = videos()
    const picture = await decodeKey(first!.packet)
    expect([picture.width, picture.height]).toEqual([642, 480])
    expect(first!.areas).toEqual([film])
    const [red = 0, green = 0] = picture.at(300, 200)
    expect([Math.abs(red - 195) < 20, Math.abs(green - 60) < 20]).toEqual([true, true])
    expect(others.every(({ packet }) => !isKey(packet))).toBe(true)
    const before = received.length
    const coversFilm = ({ regions }: ScreenFrame) => regions.reduce((sum, { width, height }) => sum + width * height, 0)
    await until(() => received.slice(before).reduce((sum, frame) => sum + coversFilm(frame), 0) >= 384 * 320)
  })

  test('the first packet after a whole picture is decodable by itself', async () => {
    const { desktop, viewer, videos, received } = await watch(openVp8)
    await play(desktop, () => videos().length > 2)
    const before = received.length
    await viewer.send('RequestKeyFrame', {})
    const isWhole = ({ regions }: ScreenFrame) => regions.some(({ width }) => width === size.width)
    await play(desktop, () => {
      const whole = received.findIndex((frame, index) => index >= before && isWhole(frame))
      return whole >= 0 && received.slice(whole).some(({ video }) => video)
    })
    const whole = received.findIndex((frame, index) => index >= before && isWhole(frame))
    expect(isKey(received.slice(whole).find(({ video }) => video)!.video!.packet)).toBe(true)
  })
})

test('a viewer that accepts no video gets images', async () => {
  const asked: unknown[] = []
  const { desktop, videos, received } = await watch((of) => void asked.push(of), false)
  await play(desktop, () => received.length > 12)
  expect([videos(), asked]).toEqual([[], []])
})

test.each([
  ['is missing', () => undefined],
  ['fails', () => ({ encode: () => Promise.reject(new Error('No memory.')), close: () => {} })],
] satisfies [string, OpenVideo][])('where the encoder %s, the film goes on as images', async (_, openVideo) => {
  const { desktop, videos, received, canvas } = await watch(openVideo)
  await play(desktop, () => received.length > 20)
  expect(videos()).toEqual([])
  desktop.fill(film, () => [20, 200, 30])
  await until(() => Math.abs(canvas.at(300, 200)[1] - 200) < 8)
})

describe('areas that move', () => {
  const screen = { width: 1280, height: 720 }
  /** Captures `lateMs` after each change. */
  const follow = (areas: (step: number) => Rectangle[], everyMs = 33, lateMs = 0) => {
    const moving = new MovingAreas(screen)
    return Array.from({ length: 10 }, (_, step) => moving.split(areas(step), step * everyMs + lateMs, step * everyMs))
  }

  test('are large, change again and again, and leave out what else changes', () => {
    const letter = { x: 1000, y: 640, width: 9, height: 15 }
    const splits = follow(() => [{ x: 128, y: 64, width: 640, height: 320 }, letter])
    expect(splits[3]).toEqual({ moving: [], rest: [{ x: 128, y: 64, width: 640, height: 320 }, letter] })
    expect(splits[9]).toEqual({ moving: [{ x: 128, y: 64, width: 640, height: 320 }], rest: [letter] })
  })

  test('are found on a slow line too, where a film is captured three times a second', () => {
    const area = { x: 128, y: 64, width: 640, height: 320 }
    expect(follow(() => [area], 330, 310).at(-1)?.moving).toEqual([area])
  })

  test.each([
    ['typed text', () => [{ x: 0, y: 0, width: 1280, height: 15 }], 33],
    ['a small picture', () => [{ x: 0, y: 0, width: 256, height: 256 }], 33],
    ['a page turned four times a second', () => [{ x: 0, y: 0, ...screen }], 250],
  ] satisfies [string, () => Rectangle[], number][])('are not %s', (_, areas, everyMs) => {
    expect(follow(areas, everyMs).flatMap(({ moving }) => moving)).toEqual([])
  })
})

test('a film is video after its first frames, and images once the link shows more frames of these', () => {
  const quality = new Quality()
  quality.apply({ ...defaultCaptureSettings, isAutoQualityEnabled: true, acceptsVp8: true })
  const shown = new ShownPicture(quality)
  const area: Rectangle = { x: 0, y: 0, width: 640, height: 320 }
  const picture = { ...area, stride: area.width * 4, pixels: Buffer.alloc(area.width * 4 * area.height) }
  shown.whole(picture, 0)
  const kinds: string[] = []
  let now = 0
  for (let step = 1; step <= 100; step++) {
    now += kinds.at(-1) === 'video' ? 50 : 20
    picture.pixels.fill(step)
    const link = { sentMbps: 5, frameMs: 2, canUseVideo: true, changedAt: now }
    const { video, regions } = shown.changes(picture, [area], now, link)
    expect([video, regions.map((region) => region.area)]).toContainEqual([area])
    const kind = video.length > 0 ? 'video' : 'images'
    kinds.push(...(kind === kinds.at(-1) ? [] : [kind]))
  }
  expect(kinds).toEqual(['images', 'video', 'images'])
})

test('the rate of a video stays below that of the link, and falls with a queue', () => {
  const rate = new VideoRate()
  const link = { mbps: 5, queueMs: 10, mostMbps: Number.POSITIVE_INFINITY }
  rate.follow(1920 * 1080, link)
  expect(rate).toMatchObject({ kbitPerSecond: 4000, intervalMs: 1000 / 30 })
  for (let frame = 0; frame < 10; frame++) {
    rate.follow(1920 * 1080, { ...link, queueMs: 200 })
  }
  // A slower link gets fewer frames.
  expect(rate.kbitPerSecond).toBe(2000)
  // A viewer that acknowledges what it has not received seems to have an endless link.
  for (let frame = 0; frame < 200; frame++) {
    rate.follow(1920 * 1080, { ...link, mbps: Number.POSITIVE_INFINITY, queueMs: 0 })
  }
  expect(rate.kbitPerSecond).toBe(8500)
})
