import { describe, expect, test } from 'vitest'
import { formatKey, hexOfId, idOfHex, readKey } from '../../../server/credentials/key-format.ts'

/** Results of .NET's `Guid.ToByteArray`. */
const encodings = [
  ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'E004253F894FD3419A0C0305E82C3301'],
  ['00112233-4455-6677-8899-aabbccddeeff', '33221100554477668899AABBCCDDEEFF'],
  ['01000000-0000-0000-0000-000000000000', '00000001000000000000000000000000'],
  ['00000000-0000-0000-0000-000000000001', '00000000000000000000000000000001'],
  // Palindromic groups: the only case in which removing the hyphens would suffice.
  ['abbccbab-1221-5665-8899-aabbccddeeff', 'ABCBBCAB211265568899AABBCCDDEEFF'],
  ['11111111-2222-3333-8899-aabbccddeeff', '11111111222233338899AABBCCDDEEFF'],
] as const

test.each(encodings)('%s is encoded as %s, and decoded in any letter case', (id, hex) => {
  expect(hexOfId(id)).toBe(hex)
  expect(hexOfId(id.toUpperCase())).toBe(hex)
  for (const spelling of [hex, hex.toLowerCase(), hex.slice(0, 16) + hex.slice(16).toLowerCase()]) {
    expect(idOfHex(spelling)).toBe(id)
  }
})

describe('reading a key', () => {
  const [[id, hex]] = encodings

  test.each([
    [`${hex}:secret`, 'secret'],
    [`${hex.toLowerCase()}:secret`, 'secret'],
    [`${hex}:a:b:`, 'a:b:'],
    [`${hex}::`, ':'],
    [`${hex}: `, ' '],
  ])('%s', (text, secret) => {
    expect(readKey(text)).toEqual({ id, secret })
  })

  test('a formatted key is parsed', () => {
    expect(formatKey({ id, secret: 's:t' })).toBe(`${hex}:s:t`)
    expect(readKey(formatKey({ id, secret: 's:t' }))).toEqual({ id, secret: 's:t' })
  })

  test.each([
    '',
    ':',
    hex,
    `${hex}:`,
    `:${hex}`,
    `${hex}secret`,
    `${hex.slice(1)}:secret`,
    `${hex}0:secret`,
    `${hex.slice(0, 31)}G:secret`,
    `${id}:secret`,
    ` ${hex}:secret`,
    `{${hex}}:secret`,
    `${'0'.repeat(32)}:secret`,
    'Bearer token',
  ])('%j is malformed', (text) => {
    expect(readKey(text)).toBeUndefined()
  })
})
