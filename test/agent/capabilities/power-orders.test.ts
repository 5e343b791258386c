import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PowerOrders } from '../../../agent/capabilities/power-orders.ts'
import { timeOf } from '../../../agent/capabilities/power-times.ts'
import type { Person } from '../../../agent/desktop-host/served-desktop.ts'
import type { PowerQuestion, PowerReply } from '../../../agent/desktop/messages.ts'
import { deferred, type Deferred } from '../../../shared/deferred.ts'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import {
  cancelPowerOrderType,
  powerOrderType,
  type PowerOrder,
  type PowerStateDto,
} from '../../../shared/dtos/power-order.ts'
import { manualClock } from '../../support/clock.ts'
import { collectingLog, temporaryFolder } from '../support.ts'

const [minute, hour] = [60_000, 60 * 60_000]
const id = '0cb3b571-2f2e-4343-a879-d86a476d7215'

/** Device at noon whose person gives the answers of the test, in order, and whose server confirms orders. */
function openDevice(isSignedIn = true) {
  const passing = manualClock()
  let aheadMs = 0
  const clock = { ...passing, now: () => passing.now() + aheadMs }
  const file = join(temporaryFolder(), 'power-order.json')
  const questions: PowerQuestion[] = []
  const answers: (PowerReply['answer'] | Promise<PowerReply['answer']>)[] = []
  const reports: PowerStateDto[] = []
  const changes: string[] = []
  const ended: string[] = []
  const confirmations: (HubResult | Error)[] = []
  /** Reports wait for these, in order. */
  const reporting: Deferred<void>[] = []
  const person: Person = {
    username: 'anna',
    isSignedIn,
    desktop: 'Console',
    ask: () => Promise.reject(new Error('Not expected here.')),
    async askPower(question) {
      questions.push(question)
      return { answer: await (answers.shift() ?? 'silent'), reason: 'No browser.' }
    },
    endPowerQuestion: async (asked) => void ended.push(asked),
  }
  const start = () => {
    const orders = new PowerOrders({
      clock,
      log: collectingLog(),
      file,
      variants: async () => ['lock'],
      person: async () => (isSignedIn ? person : undefined),
      async report(state) {
        await reporting.shift()?.promise
        reports.push(state)
      },
      async confirm() {
        const confirmed = confirmations.shift() ?? success
        if (confirmed instanceof Error) {
          throw confirmed
        }
        return confirmed
      },
      change: ({ change }) => void changes.push(change),
    })
    return { orders, stop: orders.start() }
  }
  let running = start()
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    questions,
    answers,
    reports,
    changes,
    ended,
    confirmations,
    reporting,
    settle,
    async order(order: Partial<PowerOrder>) {
      const content = { id, change: 'restart', when: 'now', person: 'not-today', visitorName: 'Ada', ...order }
      const payload = Buffer.from(JSON.stringify(content)).toString('base64')
      const answer = await running.orders.receive({ dtoType: powerOrderType, payload })
      await settle()
      return answer
    },
    async cancel() {
      const payload = Buffer.from(JSON.stringify({ id })).toString('base64')
      await running.orders.receive({ dtoType: cancelPowerOrderType, payload })
      await settle()
    },
    /** Sets the clock, from now on that far ahead. */
    setClock: (ms: number) => void (aheadMs = ms),
    async pass(ms: number) {
      clock.advance(ms)
      await settle()
    },
    /** Connects again. */
    async resume() {
      running.orders.resume()
      await settle()
    },
    /** Starts the agent again, which has only its file. */
    restart() {
      running.stop()
      running = start()
    },
    /** Time until the order is due, as reported last. */
    dueIn: () => Date.parse(reports.at(-1)!.order!.at) - Date.parse(reports.at(-1)!.now!),
  }
}

test('an order without a question restarts the device at once, when the server has confirmed it', async () => {
  const device = openDevice()
  await device.order({ person: 'not-asked' })
  expect(device.changes).toEqual(['restart'])
  expect(device.questions).toEqual([])
  expect(device.reports.at(-1)).toMatchObject({ variants: ['lock'], order: null, ended: null })
})

test('a person who does not answer has two minutes', async () => {
  const device = openDevice()
  await device.order({ change: 'shutdown' })
  expect(device.questions).toMatchObject([
    { visitorName: 'Ada', change: 'shutdown', choices: ['hour', 'tonight'], mayDecline: true },
  ])
  expect(device.changes).toEqual([])
  await device.pass(2 * minute)
  expect(device.changes).toEqual(['shutdown'])
})

test('nobody is asked while nobody is signed in', async () => {
  const device = openDevice(false)
  await device.order({})
  await device.pass(2 * minute)
  expect(device.questions).toEqual([])
  expect(device.changes).toEqual(['restart'])
})

test('a person delays as far as the order allows, and is told before the new time', async () => {
  const device = openDevice()
  device.answers.push('hour')
  await device.order({ person: 'hour' })
  expect(device.questions[0]).toMatchObject({ choices: ['hour'], mayDecline: false })
  expect(device.dueIn()).toBe(hour)
  await device.pass(hour - 3 * minute)
  expect(device.questions).toHaveLength(1)
  await device.pass(minute)
  expect(device.questions[1]).toMatchObject({ choices: [] })
  await device.pass(2 * minute)
  expect(device.changes).toEqual(['restart'])
})

test('answers beyond the choices count as silence: the process that gives them is the person’s', async () => {
  const device = openDevice()
  device.answers.push('tonight', 'declined')
  await device.order({ person: 'told' })
  await device.pass(2 * minute)
  expect(device.changes).toEqual(['restart'])
})

test('a declined order is given up, and the server is told why', async () => {
  const device = openDevice()
  device.answers.push('declined')
  await device.order({})
  await device.pass(hour)
  expect(device.changes).toEqual([])
  expect(device.reports.find(({ ended }) => ended)).toMatchObject({
    order: null,
    ended: { id, reason: 'The person at the device said “Not today”.' },
  })
})

test('an order is given up where the person cannot be asked', async () => {
  const device = openDevice()
  device.answers.push('not-asked')
  await device.order({})
  expect(device.reports.at(-1)!.ended).toEqual({ id, reason: 'No browser.' })
  expect(device.changes).toEqual([])
})

test('an order survives a restart of the agent, and the server learns of it again', async () => {
  const device = openDevice(false)
  await device.order({ when: 'tonight' })
  expect(device.dueIn()).toBe(10 * hour)
  device.restart()
  await device.pass(9 * hour)
  expect(device.changes).toEqual([])
  await device.pass(hour)
  expect(device.changes).toEqual(['restart'])
})

test.each([-3 * hour, 3 * hour])(
  'an order happens in time though the clock of the device is set by %i ms',
  async (ms) => {
    const device = openDevice()
    device.answers.push('hour')
    await device.order({ when: 'hour' })
    await device.pass(hour / 2)
    device.setClock(ms)
    await device.pass(hour / 2 - 3 * minute)
    expect(device.questions).toHaveLength(0)
    await device.pass(minute)
    expect(device.questions).toHaveLength(1)
    expect(device.dueIn()).toBe(hour)
    await device.pass(hour - minute)
    expect(device.changes).toEqual([])
    await device.pass(minute)
    expect(device.changes).toEqual(['restart'])
  },
)

test('an order waits for a server that does not answer, for an hour', async () => {
  const device = openDevice(false)
  device.confirmations.push(new Error('Not connected.'), new Error('Not connected.'))
  await device.order({ person: 'not-asked' })
  expect(device.changes).toEqual([])
  await device.pass(minute)
  await device.pass(minute)
  expect(device.changes).toEqual(['restart'])

  const asleep = openDevice(false)
  await asleep.order({ when: 'hour' })
  await asleep.pass(2 * hour + minute)
  expect(asleep.changes).toEqual([])
  expect(asleep.reports.at(-1)!.ended!.reason).toContain('The device was off or asleep at that time')
})

test('an order that the server no longer wants is given up', async () => {
  const device = openDevice(false)
  device.confirmations.push(failure('Ada may not restart this device any more.'))
  await device.order({ person: 'not-asked' })
  expect(device.changes).toEqual([])
  expect(device.reports.at(-1)!.ended!.reason).toBe('Ada may not restart this device any more.')
})

test('a canceled order closes the question at the device', async () => {
  const device = openDevice()
  const answer = deferred<PowerReply['answer']>()
  device.answers.push(answer.promise)
  await device.order({})
  expect(device.reports.at(-1)!.order!.isAsking).toBe(true)
  await device.cancel()
  expect(device.ended).toEqual([id])
  expect(device.reports.at(-1)!.order).toBeNull()
  answer.resolve('now')
  await device.pass(2 * minute)
  expect(device.changes).toEqual([])
})

test('an order that is canceled while its question is reported asks nobody', async () => {
  const device = openDevice()
  await device.order({ when: 'hour' })
  const report = deferred<void>()
  device.reporting.push(report)
  await device.pass(hour - 2 * minute)
  await device.cancel()
  report.resolve()
  await device.settle()
  expect(device.questions).toEqual([])
})

test('the end of an order is reported again after a report that failed, though an earlier report arrives later', async () => {
  const device = openDevice()
  const answer = deferred<PowerReply['answer']>()
  device.answers.push(answer.promise)
  await device.order({})
  const [slow, failing] = [deferred<void>(), deferred<void>()]
  device.reporting.push(slow, failing)
  await device.resume()
  answer.resolve('declined')
  await device.settle()
  failing.reject(new Error('Not connected.'))
  await device.settle()
  slow.resolve()
  await device.settle()
  expect(device.reports.at(-1)!.ended).toBeNull()
  await device.resume()
  expect(device.reports.at(-1)!.ended).toMatchObject({ id })
})

test.each([
  ['noon', 12, 10],
  ['20:00', 20, 2],
  ['21:00', 21, 6],
  ['1:00', 1, 2],
])('tonight, ordered at %s, is at the end of the day or in the night', (_, at, hours) => {
  const now = new Date(2026, 5, 15, at).getTime()
  expect(timeOf('tonight', now) - now).toBe(hours * hour)
})
