import { expect, test } from 'vitest'
import { ConsentAnswers } from '../../../server/remote/consent-answers.ts'
import { manualClock } from '../../support/clock.ts'

test('visits with two keys go on beside each other, and no other key opens one', () => {
  const answers = new ConsentAnswers(manualClock())
  answers.beginFiles('device', 'of the session')
  answers.beginFiles('device', 'of the token')
  const isOpen = (key: string) => answers.usesFiles(key)
  expect(['of the session', 'of the token', 'of a new policy'].map(isOpen)).toEqual([true, true, false])
})
