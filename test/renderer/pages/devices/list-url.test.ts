import { describe, expect, test } from 'vitest'
import { readListState, toSearch, writeListState } from '../../../../renderer/pages/devices/list-url.ts'

const read = (query: string) => readListState(new URLSearchParams(query))

describe('the address of the list', () => {
  test.each([
    '',
    'q=web',
    'show=offline',
    'sort=-cpu',
    'sort=-name',
    'sort=-lastSeen',
    'sort=address',
    'q=a+b&show=online&sort=disk&device=7',
  ])('%j is written as it was read', (query) => expect(writeListState(read(query)).toString()).toBe(query))

  test.each(['show=sideways', 'sort=constructor', 'sort=-'])('%j is the plain list', (query) =>
    expect(read(query)).toEqual(read('')),
  )
})

describe('the search', () => {
  test('by name sorts by name alone', () =>
    expect(toSearch(read('q=+web+'))).toEqual({
      searchText: 'web',
      filterDefinitions: [],
      sortDefinitions: [{ propertyName: 'Name', descending: false, sortOrder: 0 }],
    }))

  test('by another column sorts equal rows by name', () =>
    expect(toSearch(read('sort=-memory')).sortDefinitions).toEqual([
      { propertyName: 'UsedMemoryPercent', descending: true, sortOrder: 0 },
      { propertyName: 'Name', descending: false, sortOrder: 1 },
    ]))

  test('for offline devices filters by state', () =>
    expect(toSearch(read('show=offline')).filterDefinitions).toEqual([
      { propertyName: 'IsOnline', operator: 'is', value: 'false' },
    ]))
})
