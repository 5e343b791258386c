import { expect, test } from 'vitest'
import { PointerFollower } from '../../../../agent/desktop/session/pointer-follower.ts'
import { allDisplays } from '../../../../shared/remote-control/values.ts'
import { manualClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop } from './memory-desktop.ts'
import { startScene, type Scene } from './scene.ts'

/** Sizes of the regions that the viewer received. */
const widest = ({ frames }: Scene) => Math.max(0, ...frames.flat().map(({ x, width }) => x + width))
const middle = { normalizedX: 0.5, normalizedY: 0.5 }

test('all displays are one picture, whose middle is the middle of the desktop', async () => {
  const desktop = Object.assign(new MemoryDesktop([100, 80], [320, 200]), { spansDisplays: true as const })
  const scene = await startScene({ desktop })
  await until(() => scene.told.DesktopStatus?.at(-1)?.spansDisplays)
  await scene.viewer.send('ChangeDisplays', { displayId: allDisplays })
  await until(() => widest(scene) === 420)
  await scene.viewer.send('MovePointer', middle)
  await until(() => desktop.actions.length > 0)
  expect(desktop.actions).toEqual([['move', 210, 100]])
})

test('a desktop that captures each display by itself ignores the request for all', async () => {
  const desktop = new MemoryDesktop([100, 80], [320, 200])
  const scene = await startScene({ desktop })
  await scene.viewer.send('ChangeDisplays', { displayId: allDisplays })
  await scene.viewer.send('MovePointer', middle)
  await until(() => desktop.actions.length > 0)
  expect(desktop.actions).toEqual([['move', 50, 40]])
})

test('on request, the display that the pointer enters is shown; a resting pointer leaves the choice to the viewer', async () => {
  const desktop = new MemoryDesktop([100, 80], [320, 200])
  const scene = await startScene({ desktop })
  await scene.viewer.send('FollowPointer', { isEnabled: true })
  desktop.place = { x: 150, y: 20 }
  const shown = () => scene.told.DisplayShown ?? []
  await until(() => shown().length > 0)
  expect(shown()).toEqual([{ displayId: 'display-1' }])
  await until(() => widest(scene) === 320)
  await scene.viewer.send('ChangeDisplays', { displayId: 'display-0' })
  desktop.place = { x: 151, y: 20 }
  await until(() => shown().length > 1)
  await scene.viewer.send('FollowPointer', { isEnabled: false })
})

test('a desktop that does not say where its pointer is, is asked once (T37)', () => {
  const clock = manualClock()
  let asked = 0
  const desktop = Object.assign(new MemoryDesktop([100, 80]), {
    pointer: () => (asked++, new Promise<never>(() => {})),
  })
  const screen = { display: undefined, show: () => {} }
  const channel = { send: () => Promise.resolve(true) }
  const follower = new PointerFollower({ desktop, clock, screen, channel })
  follower.set(true)
  for (let count = 0; count < 8; count++) {
    clock.advance(250)
  }
  follower.set(false)
  expect(asked).toBe(1)
})
