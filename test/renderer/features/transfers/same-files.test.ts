import { expect, test } from 'vitest'
import type { KeptPart } from '../../../../renderer/features/transfers/kept-uploads.ts'
import { sameFiles } from '../../../../renderer/features/transfers/same-files.ts'

const part = (name: string, ...folders: string[]): KeptPart => ({
  uploadId: `id of ${name}`,
  folders,
  file: { name, size: 10, modifiedAt: 1_000 },
  name: `${name} (2)`,
  overwrite: false,
})
const chosen = (name: string, folders: string[] = [], more: Partial<{ size: number; lastModified: number }> = {}) => ({
  file: { name, size: 10, lastModified: 1_000, ...more },
  folders,
})

test('an upload resumes when a file with its name, size and date is chosen, whatever its name on the device', () => {
  const one = chosen('a.bin')
  expect(sameFiles([part('a.bin')], [chosen('b.bin'), one])).toEqual({
    found: [{ part: part('a.bin'), file: one.file }],
    others: [],
  })
})

test.each([
  ['missing', chosen('b.bin')],
  ['missing', chosen('a.bin', ['in another folder'])],
  ['size', chosen('a.bin', [], { size: 11 })],
  ['date', chosen('a.bin', [], { lastModified: 1_001 })],
])('another file does not resume an upload: %s', (difference, file) => {
  expect(sameFiles([part('a.bin')], [file])).toEqual({ found: [], others: [{ part: part('a.bin'), difference }] })
})

test('of a folder each file is found by its path, and an empty folder needs none', () => {
  const empty = { ...part('nothing', 'top', 'nothing'), file: undefined }
  const parts = [part('a', 'top'), part('a', 'top', 'deep'), empty]
  const { found, others } = sameFiles(parts, [chosen('a', ['top', 'deep'])])
  expect(found).toEqual([
    { part: parts[1], file: chosen('a').file },
    { part: empty, file: undefined },
  ])
  expect(others).toEqual([{ part: parts[0], difference: 'missing' }])
})
