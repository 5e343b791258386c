import { expect, test } from 'vitest'
import { permissions } from '../../shared/access.ts'
import * as catalog from '../../renderer/texts.ts'
import { asSentence } from '../../renderer/text/format.ts'
import { withDisplayNames } from '../../renderer/text/permission-names.ts'

/** Every text of a part of the catalog, of functions with 1 for each number; others throw and are left out. */
function textsOf(part: unknown): string[] {
  if (typeof part === 'string') {
    return [part]
  }
  if (typeof part === 'function') {
    try {
      return textsOf((part as (...numbers: number[]) => unknown)(1, 1, 1, 1))
    } catch {
      return []
    }
  }
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(textsOf) : []
}

const texts = textsOf(catalog)

test('one thing is named in the singular in every text', () => {
  expect(texts.length).toBeGreaterThan(1_500)
  const singular =
    /\b1 (is|was|has|less|address|access|leaves|decides|controls|signs|encrypts|uses|wants|asks|watches)\b/g
  expect(texts.filter((text) => /\b1 [a-z]+s\b/.test(text.replaceAll(singular, '')))).toEqual([])
})

test('no text names a permission as programs do', () => {
  const names = [...permissions.keys()].filter((name) => name.includes('.'))
  expect(texts.filter((text) => names.some((name) => text.includes(name)))).toEqual([])
})

test('sentences of the server name permissions as the page does', () => {
  expect(withDisplayNames('You do not have the permission device.tags.write on farhand.example.org.')).toBe(
    'You do not have the permission “Tag devices” on farhand.example.org.',
  )
})

test('a part of a sentence is shown as a sentence', () => {
  expect(['must be text', 'is required.'].map(asSentence)).toEqual(['Must be text.', 'Is required.'])
})
