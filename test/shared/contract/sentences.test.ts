import { expect, test } from 'vitest'
import { z } from 'zod'
import { dateTime, id, nameEnum, numberEnum } from '../../../shared/contract/fields.ts'
import { sentenceOf } from '../../../shared/contract/sentences.ts'

const Kind = nameEnum('SentenceKind', { Left: 0, Right: 1 })
const Level = numberEnum('SentenceLevel', { Low: 0, High: 1 })

test.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is required'],
  [z.string(), 1, 'must be text'],
  [z.string(), null, 'must be text'],
  [z.number(), 'x', 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'x', 'must be true or false'],
  [z.array(z.string()), {}, 'must be a list'],
  [z.object({}), [], 'must be an object'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(8), 'x', 'must have at least 8 characters'],
  [z.string().max(1), 'xx', 'must have at most 1 character'],
  [z.array(z.string()).max(2), ['', '', ''], 'must have at most 2 items'],
  [z.number().max(9), 10, 'must be at most 9'],
  [id, 'x', 'must be a GUID'],
  [z.email(), 'x', 'must be an e-mail address'],
  [dateTime, '2027-01-31T10:00:00', 'needs an offset, as in 2027-01-31T10:00:00Z'],
  [dateTime, '2027-01-31', 'must be a time with an offset, as in 2027-01-31T10:00:00Z'],
  [Kind, 'up', 'must be one of Left, Right'],
  [Level, 7, 'must be one of 0, 1'],
  [Kind, undefined, 'is required'],
  [z.string().min(1, 'must not be blank'), '', 'must not be blank'],
])('%# a rejected value is explained in our words', (schema, value, sentence) => {
  const { error } = schema.safeParse(value, { error: sentenceOf })
  expect(error?.issues.map(({ message }) => message)).toEqual([sentence])
})
