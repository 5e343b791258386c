import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatQuery, hasValue, parsePercent, parseQuery, setValue, toggleValue } from '../../shared/device-query.ts'

describe('a typed search', () => {
  test('is read as terms and text', () => {
    expect(parseQuery('tag:web,db customer:"Contoso Ltd" -is:offline disk:>90 front desk')).toEqual({
      text: 'front desk',
      terms: [
        { field: 'tag', values: ['web', 'db'], isExcluded: false },
        { field: 'customer', values: ['Contoso Ltd'], isExcluded: false },
        { field: 'is', values: ['offline'], isExcluded: true },
        { field: 'disk', values: ['>90'], isExcluded: false },
      ],
    })
  })

  test.each(['host:8080', 'fe80::1', 'tag:', '-', '""', 'C:\\temp'])('keeps %s as text', (text) => {
    expect(parseQuery(text)).toEqual({ text, terms: [] })
  })

  test('is the same after it was written and read', () => {
    const query = fc.string({ maxLength: 60 }).map((text) => `tag:a ${text} customer:"x, y"`)
    fc.assert(
      fc.property(query, (typed) => {
        const read = parseQuery(typed)
        expect(parseQuery(formatQuery(read)).terms).toEqual(read.terms)
      }),
    )
  })
})

test('a chip adds its value as an alternative, and removes it again', () => {
  const one = toggleValue(parseQuery('printer'), 'tag', 'web')
  expect(formatQuery(one)).toBe('tag:web printer')
  const both = toggleValue(one, 'tag', 'db')
  expect(formatQuery(both)).toBe('tag:web,db printer')
  expect(hasValue(both, 'tag', 'WEB')).toBe(true)
  expect(formatQuery(toggleValue(both, 'tag', 'Web'))).toBe('tag:db printer')
  expect(formatQuery(setValue(both, 'tag', undefined))).toBe('printer')
})

test('percentages are read with and without an operator', () => {
  expect(parsePercent('>90')).toEqual({ operator: '>', share: 0.9 })
  expect(parsePercent('<=50%')).toEqual({ operator: '<=', share: 0.5 })
  expect(parsePercent('75')).toEqual({ operator: '>=', share: 0.75 })
  expect(parsePercent('much')).toBeUndefined()
})
