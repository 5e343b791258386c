import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText, storableText } from '../../shared/cut-text.ts'
import { anyCharacter } from '../support/any-character.ts'

test('a cut text is well-formed, no longer than the limit, and the start of the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }).map(storableText), fc.nat(20), (text, length) => {
      const cut = cutText(text, length)
      expect(cut.isWellFormed()).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(length)
      expect(text.startsWith(cut)).toBe(true)
      expect(Math.min(text.length, length) - cut.length).toBeLessThan(2)
    }),
  )
})

test('a character that would be cut in two is left out, and a lone surrogate replaced', () => {
  expect(cutText('a😀', 2)).toBe('a')
  expect(cutText('a😀', 3)).toBe('a😀')
  expect(cutText('\ud83dx', 2)).toBe('\ufffdx')
})

test('a NUL is left out', () => {
  expect(cutText('a\0b', 3)).toBe('ab')
})
