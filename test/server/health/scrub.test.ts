import { expect, test } from 'vitest'
import { scrub } from '../../../server/health/scrub.ts'

test('the query of an address is removed, a question is not', () => {
  expect(scrub('GET /a?code=1&b=2 failed; why? "https://host/x%3Ftoken=5"', [])).toBe(
    'GET /a?[removed] failed; why? "https://host/x?[removed]"',
  )
})

// A time that grew with the square of this length would be minutes, longer than the limit of a test, but not endless.
test('a long text of question marks is read once', () => {
  const marks = '?'.repeat(200_000)
  expect(scrub(marks, [])).toBe(marks)
})
