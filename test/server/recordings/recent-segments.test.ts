import { expect, test } from 'vitest'
import { recordingEntryHeadBytes } from '../../../shared/recording-entries.ts'
import { RecentMemory } from '../../../server/recordings/recent-segments.ts'
import { SegmentBuilder } from '../../../server/recordings/segments.ts'

const mebibyte = 1024 * 1024
const pictureBytes = 64 * 1024
const pictures = 200

test('the last minutes of a session that shows much are whole, though their memory was used before', () => {
  let reused = 0
  const recent = new RecentMemory(8 * mebibyte).open(4 * mebibyte, (segment) => {
    builder.reuse(segment)
    reused++
  })
  const builder = new SegmentBuilder((segment) => recent.add(segment))
  for (let picture = 0; picture < pictures; picture++) {
    builder.beginKey(picture * 500)
    builder.add(0, picture * 500, Buffer.alloc(pictureBytes, picture))
  }
  builder.close()
  expect(reused).toBeGreaterThan(50)

  const shown = Buffer.concat(recent.all.map(({ entries }) => entries))
  const entryBytes = recordingEntryHeadBytes + pictureBytes
  const kept = shown.length / entryBytes
  const entryOf = (index: number) =>
    shown.subarray(index * entryBytes + recordingEntryHeadBytes, (index + 1) * entryBytes)
  expect(kept).toBeGreaterThan(50)
  for (let index = 0; index < kept; index++) {
    expect(entryOf(index).equals(Buffer.alloc(pictureBytes, pictures - kept + index))).toBe(true)
  }
})
