import { describe, expect, test } from 'vitest'
import { readListState, toSearch, writeListState } from '../../../../renderer/pages/devices/list-url.ts'

const read = (query: string) => readListState(new URLSearchParams(query))

describe('the address of the list', () => {
  test.each([
    '',
    'q=web',
    'q=is%3Aoffline',
    'sort=-cpu',
    'sort=-name',
    'sort=-lastSeen',
    'sort=address',
    'q=tag%3Aweb+a+b&sort=customer&device=7',
  ])('%j is written as it was read', (query) => expect(writeListState(read(query)).toString()).toBe(query))

  test.each(['show=sideways', 'sort=constructor', 'sort=-'])('%j is the plain list', (query) =>
    expect(read(query)).toEqual(read('')),
  )
})

describe('the search', () => {
  test('by name sorts by name alone', () =>
    expect(toSearch(read('q=+web+'))).toEqual({
      query: 'web',
      sortDefinitions: [{ propertyName: 'Name', descending: false, sortOrder: 0 }],
    }))

  test('by another column sorts equal rows by name', () =>
    expect(toSearch(read('sort=-memory')).sortDefinitions).toEqual([
      { propertyName: 'UsedMemoryPercent', descending: true, sortOrder: 0 },
      { propertyName: 'Name', descending: false, sortOrder: 1 },
    ]))

  test('of an address of earlier versions has the state as a term', () =>
    expect(toSearch(read('q=web&show=offline')).query).toBe('is:offline web'))
})
