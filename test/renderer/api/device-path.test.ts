import { expect, test } from 'vitest'
import {
  childOf,
  crumbsOf,
  isWithin,
  nameOf,
  parentOf,
  pathOfSegments,
  separatorOf,
} from '../../../renderer/api/device-path.ts'

test.each([
  ['/', ['/']],
  ['/home/ada', ['/', '/home', '/home/ada']],
  ['/odd\\name/x', ['/', '/odd\\name', '/odd\\name/x']],
  ['C:\\', ['C:\\']],
  ['C:', ['C:\\']],
  ['c:/Users/Ada', ['c:\\', 'c:\\Users', 'c:\\Users\\Ada']],
  ['C:\\Users\\Ada', ['C:\\', 'C:\\Users', 'C:\\Users\\Ada']],
  ['\\\\files\\share\\a', ['\\\\files\\share\\', '\\\\files\\share\\a']],
])('%s is taken apart from its root on', (path, expected) => {
  expect(crumbsOf(path).map((crumb) => crumb.path)).toEqual(expected)
})

test('parents and children of roots and folders have no doubled separators', () => {
  expect([parentOf('/'), parentOf('/a'), parentOf('C:\\'), parentOf('C:\\a')]).toEqual([
    undefined,
    '/',
    undefined,
    'C:\\',
  ])
  expect([childOf('/', 'a'), childOf('/a', 'b'), childOf('C:\\', 'a'), childOf('C:\\a', 'b')]).toEqual([
    '/a',
    '/a/b',
    'C:\\a',
    'C:\\a\\b',
  ])
  expect([nameOf('/a/b'), nameOf('C:\\a'), nameOf('/'), separatorOf('/C:\\a')]).toEqual(['b', 'a', '/', '/'])
})

test('a folder lies in another only by whole names', () => {
  expect([isWithin('/ab', '/a'), isWithin('/a/b', '/a'), isWithin('/a', '/a'), isWithin('C:\\a', 'C:\\')]).toEqual([
    false,
    true,
    true,
    true,
  ])
})

test('segments of a device become its path again', () => {
  expect(pathOfSegments(['/', 'a', 'b'], '/')).toBe('/a/b')
  expect(pathOfSegments(['C:\\', 'a'], '\\')).toBe('C:\\a')
  expect(pathOfSegments(['C:', 'a'], '\\')).toBe('C:\\a')
  expect(pathOfSegments(['/'], '/')).toBe('/')
})
