import { describe, expect, test } from 'vitest'
import { parameterNames, PathTable } from '../../../../../server/engines/http/contract/path-table.ts'

function tableOf(...patterns: string[]) {
  const table = new PathTable<{ pattern: string }>()
  for (const pattern of patterns) {
    table.at(pattern, () => ({ pattern }))
  }
  return (path: string) => table.find(path).map(({ value, segments }) => [value.pattern, ...segments])
}

describe('a path', () => {
  const find = tableOf('/', '/tags', '/tags/:tagId', '/tags/presets', '/tags/:tagId/users/:userId', '/:any/x')

  test.each([
    ['/', [['/']]],
    ['/tags', [['/tags']]],
    ['/tags/', [['/tags']]],
    ['/TAGS', [['/tags']]],
    ['/tags/7', [['/tags/:tagId', '7']]],
    ['/tags/A%2Fb', [['/tags/:tagId', 'A%2Fb']]],
    ['/tags/7/users/8', [['/tags/:tagId/users/:userId', '7', '8']]],
    [
      '/tags/x',
      [
        ['/tags/:tagId', 'x'],
        ['/:any/x', 'tags'],
      ],
    ],
    ['/other/x/', [['/:any/x', 'other']]],
    ['/tags//', []],
    ['//tags', []],
    ['/tags/7/users', []],
    ['/tag', []],
    ['', []],
    ['/__proto__', []],
  ])('%s', (path, expected) => {
    expect(find(path)).toEqual(expected)
  })

  test('a literal pattern wins over one with a parameter, in any order of addition', () => {
    const expected = [['/tags/presets'], ['/tags/:tagId', 'presets']]
    expect(find('/tags/Presets')).toMatchObject([expected[0]!, ['/tags/:tagId', 'Presets']])
    expect(tableOf('/tags/presets', '/tags/:tagId')('/tags/presets')).toEqual(expected)
  })
})

test('patterns that differ only in parameter names share one value', () => {
  const table = new PathTable<string[]>()
  table.at('/tags/:tagId', () => []).push('GET')
  table.at('/tags/:id', () => []).push('DELETE')
  expect(table.find('/tags/1')).toEqual([{ value: ['GET', 'DELETE'], segments: ['1'] }])
  expect(parameterNames('/tags/:tagId/users/:userId')).toEqual(['tagId', 'userId'])
})
