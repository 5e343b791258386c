import { expect, test } from 'vitest'
import { ConsentAnswers } from '../../../server/remote/consent-answers.ts'
import { manualClock } from '../../support/clock.ts'

const device = { id: 'device', tenantId: 'tenant' }

test('visits with two keys go on beside each other, and no other key opens one', () => {
  const answers = new ConsentAnswers(manualClock())
  answers.beginFiles(device, 'of the session')
  answers.beginFiles(device, 'of the token')
  const isOpen = (key: string) => answers.usesFiles(key)
  expect(['of the session', 'of the token', 'of a new policy'].map(isOpen)).toEqual([true, true, false])
})

test('T44: a tenant whose devices let in very many visitors ends its own visits, and none of another', () => {
  const answers = new ConsentAnswers(manualClock())
  answers.beginFiles(device, 'visit')
  for (let count = 0; count < 10_001; count++) {
    answers.beginFiles({ id: 'other device', tenantId: 'other tenant' }, `other visit ${count}`)
  }
  expect(['visit', 'other visit 0', 'other visit 10000'].map((key) => answers.usesFiles(key))).toEqual([
    true,
    false,
    true,
  ])
})
