import { appendFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readVisits, VisitLog } from '../../../agent/capabilities/visit-log.ts'
import { manualClock, temporaryFolder } from '../support.ts'

const openLog = () => {
  const clock = manualClock()
  const file = join(temporaryFolder(), 'readable', 'visits.jsonl')
  return { clock, file, log: new VisitLog(file, clock) }
}

describe('the log of visits', () => {
  test('has who did what from when to when, and that something was typed', () => {
    const { clock, file, log } = openLog()
    const end = log.begin({ kind: 'control', visitor: 'Ada\u202e\n', organizationName: 'Acme' })
    clock.advance(60_000)
    log.note({ kind: 'read', visitor: 'Ada', detail: '/etc/hosts' })
    end({ hasTyped: true, pasted: ['text', 'picture'], copied: [] })
    expect(readVisits(file)).toMatchObject([
      {
        kind: 'control',
        visitor: 'Ada',
        organization: 'Acme',
        hasTyped: true,
        pasted: ['text', 'picture'],
        until: clock.now(),
      },
      { kind: 'read', visitor: 'Ada', detail: '/etc/hosts', until: null },
    ])
  })

  test.skipIf(process.platform === 'win32')('is read by all users of the device and written by the agent alone', () => {
    const { file, log } = openLog()
    log.note({ kind: 'command', visitor: '' })
    expect((statSync(file).mode & 0o777).toString(8)).toBe('644')
    expect((statSync(join(file, '..')).mode & 0o777).toString(8)).toBe('755')
  })

  test('keeps the visits of others when a visitor touches many files with long names, within its limit', () => {
    const { file, log } = openLog()
    log.begin({ kind: 'control', visitor: 'Ada' })({ hasTyped: true })
    for (let count = 0; count < 700; count++) {
      log.note({ kind: 'written', visitor: 'Eve', detail: '檔'.repeat(200) })
    }
    const visits = readVisits(file)
    expect(visits[0]).toMatchObject({ kind: 'control', visitor: 'Ada', hasTyped: true })
    expect(visits.at(-1)).toMatchObject({ kind: 'written', visitor: 'Eve' })
    expect(statSync(file).size).toBeLessThanOrEqual(256 * 1024)
  })

  test('loses no entry to a line that a killed agent has not finished', () => {
    const { clock, file, log } = openLog()
    log.note({ kind: 'command', visitor: 'Ada' })
    appendFileSync(file, '{"id":"torn","at":17')
    new VisitLog(file, clock).note({ kind: 'command', visitor: 'Eve' })
    expect(readVisits(file).map(({ visitor }) => visitor)).toEqual(['Ada', 'Eve'])
  })

  test('leaves damaged lines out, and loses the oldest entries at its limit', () => {
    const { file, log } = openLog()
    log.note({ kind: 'folder', visitor: 'Ada', detail: 'first' })
    appendFileSync(file, `{"id":1}\nnonsense\n${' '.repeat(300_000)}\n`)
    for (let count = 0; count < 501; count++) {
      log.note({ kind: 'folder', visitor: 'Ada', detail: String(count) })
    }
    appendFileSync(file, `${' '.repeat(300_000)}\n`)
    log.note({ kind: 'folder', visitor: 'Ada', detail: 'last' })
    const visits = readVisits(file)
    expect(visits).toHaveLength(500)
    expect(visits[0]!.detail).toBe('2')
    expect(visits.at(-1)!.detail).toBe('last')
    expect(statSync(file).size).toBeLessThan(256 * 1024)
  })
})
