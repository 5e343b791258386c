import { expect, onTestFinished, test, vi } from 'vitest'
import { Playback, type Screen } from '../../../../renderer/features/player/playback.ts'
import { recordingEntries, recordingEntryHeadBytes } from '../../../../shared/recording-entries.ts'
import { until } from '../../../support/until.ts'

function entry(at: number, text: string): Buffer {
  const head = Buffer.alloc(recordingEntryHeadBytes)
  head.writeUInt8(recordingEntries.device, 0)
  head.writeUInt32BE(at, 1)
  head.writeUInt32BE(text.length, 5)
  return Buffer.concat([head, Buffer.from(text)])
}

test('a recording whose first picture comes after its start shows this picture before it is played, and no later one', async () => {
  const shown: string[] = []
  const screen: Screen = {
    needsAll: false,
    isBlank: true,
    reset() {
      this.isBlank = true
    },
    show({ content }) {
      const text = Buffer.from(content).toString()
      shown.push(text)
      this.isBlank = text !== 'picture'
    },
    settled: () => Promise.resolve(),
  }
  let reads = 0
  const playback = new Playback({
    reading: { durationMs: 1_000, startOffsetMs: 50, blocks: [{ from: 0, to: 900, isKey: true, bytes: 1 }] },
    readBlock() {
      reads++
      return Promise.resolve(Buffer.concat([entry(50, 'displays'), entry(350, 'picture'), entry(950, 'later')]))
    },
    screen,
  })
  onTestFinished(() => playback.stop())
  await until(() => shown.length === 2)
  playback.seek(400)
  await until(() => shown.length === 4)
  expect([shown, reads]).toEqual([['displays', 'picture', 'displays', 'picture'], 1])
})

/** Playback of a picture and of a second one after a time, with the contents that it has shown. */
function playbackOf(durationMs: number, second: string, secondMs = 400) {
  const shown: string[] = []
  const playback = new Playback({
    reading: { durationMs, startOffsetMs: 0, blocks: [{ from: 0, to: secondMs, isKey: true, bytes: 1 }] },
    readBlock: () => Promise.resolve(Buffer.concat([entry(0, 'picture'), entry(secondMs, second)])),
    screen: {
      needsAll: false,
      isBlank: false,
      reset() {},
      show: ({ content }) => void shown.push(Buffer.from(content).toString()),
      settled: () => Promise.resolve(),
    },
  })
  onTestFinished(() => playback.stop())
  return { playback, shown }
}

test.each([
  [0.5, 800],
  [8, 50],
])('at speed %s, an entry of 400 ms is shown after %s ms', async (speed, ms) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { playback, shown } = playbackOf(1_000, 'later')
  playback.setSpeed(speed)
  await vi.advanceTimersByTimeAsync(0)
  playback.play()
  await vi.advanceTimersByTimeAsync(ms - 10)
  expect(shown).toEqual(['picture'])
  await vi.advanceTimersByTimeAsync(20)
  expect(shown).toEqual(['picture', 'later'])
})

test('what was recorded last is shown, also by a page that was too busy to show it in time', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => now.mockRestore())
  const { playback, shown } = playbackOf(400, 'last')
  playback.play()
  await vi.advanceTimersByTimeAsync(0)
  now.mockReturnValue(1_000)
  await vi.advanceTimersByTimeAsync(1_000)
  expect([shown, playback.store.state]).toMatchObject([['picture', 'last'], { isPlaying: false, position: 400 }])
})

test.each([
  [3_300, true, 600],
  [2_000, true, 2_000],
  [3_300, false, 3_300],
])(
  'after %s ms in which nothing changes, skipping of quiet parts being %s, the next entry is shown after %s ms',
  async (quiet, skipsQuiet, ms) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { playback, shown } = playbackOf(10_000, 'later', quiet)
    playback.setSkipsQuiet(skipsQuiet)
    await vi.advanceTimersByTimeAsync(0)
    playback.play()
    await vi.advanceTimersByTimeAsync(ms - 200)
    expect(shown).toEqual(['picture'])
    await vi.advanceTimersByTimeAsync(300)
    expect(shown).toEqual(['picture', 'later'])
  },
)

test('a recording that ends with a quiet part ends at once where quiet parts are skipped', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { playback } = playbackOf(60_000, 'last')
  playback.setSkipsQuiet(true)
  await vi.advanceTimersByTimeAsync(0)
  playback.play()
  await vi.advanceTimersByTimeAsync(1_200)
  expect(playback.store.state).toMatchObject({ isPlaying: false, position: 60_000 })
})
