import { expect, test } from 'vitest'
import { Outages } from '../../../shared/telemetry/outage.ts'

test('an outage is a line at its first failure and a line at its end, whatever fails late', () => {
  let now = 0
  const lines: string[] = []
  const outages = new Outages(
    { warn: (_fields, sentence) => lines.push(sentence), info: (_fields, sentence) => lines.push(sentence) },
    () => now,
  )
  const begin = (signal: string) => outages.begin('collector', signal)
  const [traces, logs, metrics] = [begin('traces'), begin('logs'), begin('metrics')]
  now = 3_000
  traces('no answer')
  logs('no answer')
  expect(lines).toEqual([expect.stringContaining('Telemetry does not reach collector: no answer.')])
  now = 4_000
  begin('traces')(undefined)
  begin('logs')(undefined)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toBe('Telemetry reaches collector again, after 1 s.')
  now = 5_000
  // Began in the outage, and is given up after its end.
  metrics('no answer')
  expect(lines).toHaveLength(2)
  begin('metrics')('connection refused')
  expect(lines).toHaveLength(3)
})
