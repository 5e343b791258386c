import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openX11Desktop } from '../../../../agent/platform/linux/x11/desktop.ts'
import { openVp8 } from '../../../../agent/platform/linux/video/vp8-encoder.ts'
import { startXvfb, type XDisplay } from '../../../../tools/simulate/display.ts'
import { manualClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { XProgram } from '../x-program.ts'
import { startSceneOn } from './scene.ts'

type Kind = 'images' | 'video'

const film = { width: 640, height: 384 }
const encoder = openVp8(film)
encoder?.close()
let display: XDisplay

beforeAll(async () => {
  display = await startXvfb('800x600x24')
})
afterAll(() => display?.stop())

/** Plays a film on the display to a viewer. Time passes only from frame to frame, by the time that each kind takes. */
async function startFilm() {
  const clock = manualClock()
  const desktop = await openX11Desktop({ display: display.name })
  const { received, viewer } = await startSceneOn({
    desktop,
    clock,
    capture: { isAutoQualityEnabled: true, acceptsVp8: true, acceptsLossless: true },
  })
  await until(() => received.length > 0)
  const program = await XProgram.start(display.name)
  const { connection } = program
  const { client } = connection
  const window = await program.openWindow(64, 64, film.width, film.height)
  const gc = client.AllocID()
  client.CreateGC(gc, window, {})
  let step = 0
  /** Draws at once: no capture has parts of two pictures. */
  const draw = () => {
    client.ChangeGC(gc, { foreground: (++step * 0x07_0b_0d) & 0xff_ff_ff })
    client.PolyFillRectangle(window, gc, [0, 0, film.width, film.height])
    return connection.flush()
  }
  let kind: Kind = 'images'
  /** Plays frames; returns the kinds in which they arrive, with equal ones in a row as one. */
  const play = async (frames: number, ms: Record<Kind, number>): Promise<Kind[]> => {
    const kinds: Kind[] = []
    for (let count = 0; count < frames; count++) {
      const before = received.length
      clock.advance(ms[kind])
      await draw()
      await until(() => received.length > before)
      kind = received.at(-1)?.video ? 'video' : 'images'
      if (kinds.at(-1) !== kind) {
        kinds.push(kind)
      }
    }
    return kinds
  }
  const stop = () => {
    program.stop()
    viewer.close()
  }
  return { play, stop }
}

describe.skipIf(!encoder)('a film on an X display, over a fast link', () => {
  test('goes on as images where these are clearly more frames, and stays images', async () => {
    const { play, stop } = await startFilm()
    const ms = { video: 50, images: 40 }
    expect(await play(70, ms)).toEqual(['images', 'video', 'images'])
    expect(await play(60, ms)).toEqual(['images'])
    stop()
  })

  test('is video again where images turn out slower, and stays video', async () => {
    const { play, stop } = await startFilm()
    const ms = { video: 50, images: 46 }
    expect(await play(120, ms)).toEqual(['images', 'video', 'images', 'video'])
    expect(await play(60, ms)).toEqual(['video'])
    stop()
  })
})
