import { expect, test } from 'vitest'
import { localPath, signInPath } from '../../../renderer/api/local-path.ts'

test.each(['/devices/1?device=2#top', '/', '/deploy'])('%s is local', (path) => expect(localPath(path)).toBe(path))

test.each([
  null,
  '',
  'devices',
  'https://evil.example/',
  'javascript:alert(1)',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  '/.//evil.example/',
  '\n//evil.example',
])('the return path %j is replaced by the start page', (path) => expect(localPath(path)).toBe('/home'))

test('a path is kept through the address of the sign-in page', () => {
  const url = new URL(signInPath('/devices?q=a&show=online'), 'http://here')
  expect(localPath(url.searchParams.get('returnUrl'))).toBe('/devices?q=a&show=online')
})
