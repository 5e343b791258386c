import { describe, expect, test } from 'vitest'
import { parseBlocks, parseInline } from '../../../renderer/components/markdown-blocks.ts'

test('blocks of Markdown are recognized', () => {
  const text = '# Toner\n\nOrder **two**\nby Friday\n- black\n- cyan\n\n1. call\n\n> quoted\n\n```\n<b>raw</b>\n```'
  expect(parseBlocks(text)).toEqual([
    { kind: 'heading', text: 'Toner' },
    { kind: 'paragraph', lines: ['Order **two**', 'by Friday'] },
    { kind: 'list', isOrdered: false, items: ['black', 'cyan'] },
    { kind: 'list', isOrdered: true, items: ['call'] },
    { kind: 'quote', lines: ['quoted'] },
    { kind: 'code', text: '<b>raw</b>' },
  ])
})

describe('within a line', () => {
  test('marks become parts, and the rest is text', () => {
    expect(parseInline('a `b` **c _d_** [e](https://example.org/x) *f* snake_case_name')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: 'b' },
      { kind: 'text', text: ' ' },
      {
        kind: 'strong',
        parts: [
          { kind: 'text', text: 'c ' },
          { kind: 'emphasis', parts: [{ kind: 'text', text: 'd' }] },
        ],
      },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'e', href: 'https://example.org/x' },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', parts: [{ kind: 'text', text: 'f' }] },
      { kind: 'text', text: ' snake_case_name' },
    ])
  })

  test.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert)',
    '[x](data:text/html,hi)',
    '[x](/devices)',
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](vbscript:x)',
  ])('%s stays text', (text) => {
    expect(parseInline(text).every(({ kind }) => kind === 'text')).toBe(true)
    expect(
      parseInline(text)
        .map((part) => ('text' in part ? part.text : ''))
        .join(''),
    ).toBe(text)
  })
})
