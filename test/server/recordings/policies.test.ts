import { expect, test } from 'vitest'
import type { RecordingMode } from '../../../shared/dtos/recording.ts'
import { modeAmong } from '../../../server/recordings/policies.ts'

const of = (mode: RecordingMode, customerId: string | null = null, tagId: string | null = null) => ({
  mode,
  customerId,
  tagId,
})
const device = { tagIds: ['lab', 'desk'], customerIds: ['site', 'customer'] }

const cases: [string, ReturnType<typeof of>[], RecordingMode][] = [
  ['without policies, recording is allowed', [], 'allowed'],
  ['the policy of the tenant applies', [of('off')], 'off'],
  ['a customer’s policy applies before the tenant’s', [of('off'), of('allowed', 'customer')], 'allowed'],
  ['a site’s policy applies before the customer’s', [of('off', 'customer'), of('allowed', 'site')], 'allowed'],
  ['a tag’s policy applies before the customer’s', [of('off', 'site'), of('allowed', null, 'lab')], 'allowed'],
  ['among tags, never wins', [of('allowed', null, 'lab'), of('off', null, 'desk')], 'off'],
  ['always wins over a tag that says never', [of('always'), of('off', null, 'lab')], 'always'],
  ['always of a tag wins over the customer', [of('off', 'customer'), of('always', null, 'desk')], 'always'],
  [
    'policies of other customers and tags do not apply',
    [of('always', 'other'), of('always', null, 'other')],
    'allowed',
  ],
]

test.each(cases)('%s', (_, policies, mode) => {
  expect(modeAmong(policies, device)).toBe(mode)
})
