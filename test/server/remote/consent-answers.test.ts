import { expect, test } from 'vitest'
import { ConsentAnswers } from '../../../server/remote/consent-answers.ts'
import { manualClock } from '../../support/clock.ts'

test('visits of one visitor under two rules go on beside each other, and no other rule opens one', () => {
  const answers = new ConsentAnswers(manualClock())
  answers.beginFiles('device', 'visitor', 'of the session')
  answers.beginFiles('device', 'visitor', 'of the token')
  const isOpen = (rule: string) => answers.usesFiles('device', 'visitor', rule)
  expect(['of the session', 'of the token', 'of a new policy'].map(isOpen)).toEqual([true, true, false])
})
