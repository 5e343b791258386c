import { expect, test } from 'vitest'
import type { Entry } from '../../../../renderer/api/files.ts'
import { inOrder, type SortOrder } from '../../../../renderer/features/files/entry-order.ts'

const entry = (name: string, more: Partial<Entry> = {}): Entry => ({
  name,
  fullPath: `/${name}`,
  isDirectory: false,
  size: 0,
  lastModified: '2026-01-01T00:00:00.000Z',
  isHidden: false,
  canRead: true,
  canWrite: true,
  hasSubfolders: false,
  ...more,
})

const entries = [
  entry('file 10', { size: 5 }),
  entry('zebra', { isDirectory: true }),
  entry('File 9', { size: 50, lastModified: '2026-03-01T00:00:00.000Z' }),
  entry('apple', { isDirectory: true, lastModified: '2026-02-01T00:00:00.000Z' }),
  entry('tiny', { size: 5 }),
]
const names = (order: SortOrder) => inOrder(entries, order).map(({ name }) => name)

test('numbers in names count as numbers, letters in any case alike, folders come first', () => {
  expect(names({ column: 'name', isDescending: false })).toEqual(['apple', 'zebra', 'File 9', 'file 10', 'tiny'])
  expect(names({ column: 'name', isDescending: true })).toEqual(['zebra', 'apple', 'tiny', 'file 10', 'File 9'])
})

test('equal sizes are by name whichever way the sizes go', () => {
  expect(names({ column: 'size', isDescending: true })).toEqual(['apple', 'zebra', 'File 9', 'file 10', 'tiny'])
  expect(names({ column: 'changed', isDescending: true })).toEqual(['apple', 'zebra', 'File 9', 'file 10', 'tiny'])
})
