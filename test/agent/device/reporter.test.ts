import { EventEmitter } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newIdentity } from '../../../agent/trust/identity.ts'
import { heartbeatMs, Reporter, sampleMs } from '../../../agent/device/reporter.ts'
import { simulatedReport } from '../../../tools/simulate/facts.ts'
import { failureOf, successOf } from '../../../shared/dtos/hub-result.ts'
import type { SignedDeviceUpdateDto } from '../../../shared/dtos/device.ts'
import { steady, until } from '../../support/until.ts'
import { collectingLog, manualClock } from '../support.ts'

const facts = simulatedReport(1)
const ids = { deviceId: '11111111-2222-3333-4444-555555555555', tenantId: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee' }

/** Creates a reporter whose server answers `refusal.reason`, or accepts. */
function startReporter() {
  const clock = manualClock()
  const log = collectingLog()
  const sent: SignedDeviceUpdateDto[] = []
  const answers: (string | undefined)[] = []
  const now = { ...facts }
  const refusal: { reason?: string } = {}
  const sessions = new EventEmitter()
  const reporter = new Reporter({
    clock,
    log,
    identity: newIdentity(),
    ids,
    readFacts: async () => ({ ...now }),
    async send(update) {
      sent.push(update as SignedDeviceUpdateDto)
      return refusal.reason ? failureOf(refusal.reason) : successOf(null)
    },
    onSessionChange(listener) {
      sessions.on('change', listener)
      return () => void sessions.off('change', listener)
    },
    onAnswer: (answer) => void answers.push(answer),
  })
  onTestFinished(() => reporter.pause())
  reporter.start()
  /** Waits for all started work. */
  const settle = () => steady(() => `${sent.length} ${answers.length}`, 3)
  return { reporter, clock, log, sent, answers, now, refusal, sessions, settle }
}

describe('Reporter', () => {
  test('reports at once, then every five minutes', async () => {
    const { sent, clock, settle } = startReporter()
    await until(() => sent.length === 1)
    expect(sent[0]?.dto).toEqual({ id: ids.deviceId, tenantId: ids.tenantId, ...facts })
    await settle()
    clock.advance(heartbeatMs - 1)
    await settle()
    expect(sent).toHaveLength(1)
    clock.advance(1)
    await until(() => sent.length === 2)
  })

  test('reports a changed user within half a minute, but not a changed load', async () => {
    const { sent, clock, now, settle } = startReporter()
    await until(() => sent.length === 1)
    await settle()
    now.cpuUtilization = 1
    clock.advance(sampleMs)
    await settle()
    expect(sent).toHaveLength(1)
    now.currentUsers = ['ada', 'eve']
    clock.advance(sampleMs)
    await until(() => sent.length === 2)
    expect(sent[1]?.dto.currentUsers).toEqual(['ada', 'eve'])
  })

  test('reports a user who signs in at once where the system tells, until the connection is lost', async () => {
    const { reporter, sent, now, sessions } = startReporter()
    await until(() => sent.length === 1)
    now.currentUsers = ['ada', 'eve']
    sessions.emit('change')
    await until(() => sent.length === 2)
    expect(sent[1]?.dto.currentUsers).toEqual(['ada', 'eve'])
    reporter.pause()
    expect(sessions.listenerCount('change')).toBe(0)
  })

  test('logs a refusal with its reason and tries again at the next heartbeat', async () => {
    const { sent, answers, log, clock, refusal, settle } = startReporter()
    refusal.reason = 'Signature verification failed.'
    await until(() => answers.length === 1)
    expect(answers[0]).toBe(
      'Signature verification failed. The server does not accept the key of this device. Install the agent again with an installer key.',
    )
    expect(log.lines[0]).toContain('Signature verification failed.')
    delete refusal.reason
    await settle()
    clock.advance(heartbeatMs - 1)
    await settle()
    expect(sent).toHaveLength(1)
    clock.advance(1)
    await until(() => answers.length === 2)
    expect(answers[1]).toBeUndefined()
  })

  test('sends one more update, not several, when asked several times during one', async () => {
    const { reporter, sent, settle } = startReporter()
    void reporter.report()
    void reporter.report()
    await reporter.report()
    await settle()
    expect(sent).toHaveLength(2)
  })

  test('sends nothing while there is no connection', async () => {
    const { reporter, sent, clock, settle } = startReporter()
    await settle()
    reporter.pause()
    clock.advance(3 * heartbeatMs)
    await settle()
    expect(sent).toHaveLength(1)
  })
})
