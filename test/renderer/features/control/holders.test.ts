import { expect, test } from 'vitest'
import { canAct, type SharingViewer } from '../../../../renderer/features/control/holders.ts'

const viewer = (changes: Partial<SharingViewer>): SharingViewer => ({
  id: 1,
  name: 'Ada',
  isYou: false,
  holds: false,
  isAsking: false,
  ...changes,
})
const you = (holds: boolean) => viewer({ id: 2, isYou: true, holds })

test.each([
  ['on a device that decides nothing', [], true],
  ['while the page holds control', [viewer({}), you(true)], true],
  ['while both hold it', [viewer({ holds: true }), you(true)], true],
  ['while nobody holds it, since the first to act gets it', [viewer({}), you(false)], true],
  ['not while another holds it', [viewer({ holds: true }), you(false)], false],
])('input is sent %s', (_, viewers, expected) => {
  expect(canAct(viewers)).toBe(expected)
})
