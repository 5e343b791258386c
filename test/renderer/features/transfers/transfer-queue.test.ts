import { expect, test } from 'vitest'
import { TransferQueue } from '../../../../renderer/features/transfers/transfer-queue.ts'
import {
  BrokenOff,
  FinalFailure,
  type PartProgress,
  type TransferRequest,
} from '../../../../renderer/features/transfers/transfer.ts'

/** Parts that end on request, with a manual clock. */
function scene() {
  let now = 0
  const timers: { at: number; work: () => void }[] = []
  const queue = new TransferQueue({
    now: () => now,
    after: (ms, work) => void timers.push({ at: now + ms, work }),
  })
  const running: { name: string; progress: PartProgress; end: (error?: Error) => void }[] = []
  const part = (name: string, size: number | undefined = 10) => ({
    name,
    size,
    run: (progress: PartProgress) =>
      new Promise<void>((resolve, reject) => {
        running.push({ name, progress, end: (error) => (error ? reject(error) : resolve()) })
      }),
  })
  const request = (name: string, parts = [part(name)], more: Partial<TransferRequest> = {}): TransferRequest => ({
    kind: 'upload',
    deviceId: 'd',
    deviceName: 'D',
    folder: '/',
    name,
    parts,
    ...more,
  })
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    queue,
    running,
    part,
    request,
    pass(ms: number) {
      now += ms
      timers.splice(0).forEach((timer) => (timer.at <= now ? timer.work() : timers.push(timer)))
    },
    async end(name: string, error?: Error) {
      running
        .splice(
          running.findIndex((each) => each.name === name),
          1,
        )[0]
        ?.end(error)
      await settled()
    },
    states: () => queue.list().map(({ state }) => state),
  }
}

test('three files run at once, two of one transfer, so that a small one does not wait for a large one', async () => {
  const { queue, running, part, request, end } = scene()
  queue.add(
    request(
      'folder',
      ['1', '2', '3', '4', '5'].map((name) => part(name)),
    ),
  )
  queue.add(request('small'))
  queue.add(request('other'))
  expect(running.map(({ name }) => name)).toEqual(['1', '2', 'small'])
  await end('1')
  expect(running.map(({ name }) => name)).toEqual(['2', 'small', 'other'])
})

test('progress, speed and sizes are reported exactly', () => {
  const { queue, running, part, request, pass } = scene()
  queue.add(request('one', [part('a', 4_000), part('b', 1_000)]))
  for (let step = 1; step <= 4; step++) {
    pass(500)
    running[0]!.progress.report(step * 500)
  }
  pass(500)
  expect(queue.list()[0]).toMatchObject({ doneBytes: 2_000, totalBytes: 5_000, bytesPerSecond: 1_000 })
})

test('what breaks off waits and is tried again, by the clock or as soon as the device is back', async () => {
  const { queue, running, request, end, pass, states } = scene()
  queue.add(request('one'))
  await end('one', new BrokenOff('device'))
  expect([states(), queue.list()[0]!.reason, running.length]).toEqual([['broken'], 'device', 0])
  pass(1_000)
  expect(states()).toEqual(['running'])
  await end('one', new BrokenOff('device'))
  queue.resume('another')
  expect(states()).toEqual(['broken'])
  queue.resume('d')
  expect(states()).toEqual(['running'])
  await end('one')
  expect([states(), queue.isBusy()]).toEqual([['done'], false])
})

test('a file that fails leaves the others alone, and only it is tried again', async () => {
  const { queue, running, part, request, end, states } = scene()
  const id = queue.add(
    request(
      'folder',
      ['1', '2'].map((name) => part(name)),
    ),
  )
  await end('1', new Error('The disk is full'))
  await end('2')
  expect(states()).toEqual(['failed'])
  expect(queue.list()[0]).toMatchObject({ reason: 'The disk is full', files: { total: 2, done: 1, failed: 1 } })
  queue.retry(id)
  expect(running.map(({ name }) => name)).toEqual(['1'])
  await end('1')
  expect(states()).toEqual(['done'])
  queue.clearFinished()
  expect(queue.list()).toEqual([])
})

test('canceling stops what runs and what waits, once', async () => {
  const { queue, running, part, request, end, states, pass } = scene()
  let discards = 0
  const id = queue.add(
    request(
      'folder',
      ['1', '2', '3', '4'].map((name) => part(name)),
      { onCanceled: () => discards++ },
    ),
  )
  queue.cancel(id)
  queue.cancel(id)
  expect([discards, running[0]!.progress.signal.aborted, states()]).toEqual([1, true, ['canceled']])
  await end('1', new BrokenOff('server'))
  pass(60_000)
  expect(running.map(({ name }) => name)).toEqual(['2'])
})

test('a failure that another try cannot change offers no retry, and is not tried with the others', async () => {
  const { queue, running, part, request, end, states } = scene()
  const id = queue.add(request('folder', [part('large'), part('busy')]))
  await end('large', new FinalFailure('limit'))
  expect(queue.list()[0]!.canRetry).toBe(false)
  await end('busy', new Error('in use'))
  expect(queue.list()[0]!.canRetry).toBe(true)
  queue.retry(id)
  expect(running.map(({ name }) => name)).toEqual(['busy'])
  await end('busy')
  expect(states()).toEqual(['failed'])
  expect(queue.list()[0]!.canRetry).toBe(false)
})

test('how far a part is checked is shown until it has run', async () => {
  const { queue, running, request, end, pass } = scene()
  queue.add(request('file'))
  running[0]!.progress.check(0.4)
  pass(1_000)
  expect(queue.list()[0]!.checked).toBe(0.4)
  await end('file')
  expect(queue.list()[0]!.checked).toBeUndefined()
})

test('small files of one upload share a request, and each keeps its own outcome', async () => {
  const { queue, request, part } = scene()
  const asked: string[][] = []
  const group = {
    mostParts: 3,
    mostBytes: 25,
    run: (parts: readonly { name: string }[]) => {
      asked.push(parts.map(({ name }) => name))
      return Promise.resolve(parts.map(({ name }) => (name === 'b' ? new Error('taken') : undefined)))
    },
  }
  const parts = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...part(name), group }))
  queue.add(request('folder', parts))
  await new Promise<void>((resolve) => setImmediate(resolve))
  // Two files of 10 bytes fit into 25; the last one has nothing to share a request with.
  expect(asked).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  expect(queue.list()[0]).toMatchObject({ state: 'running', doneBytes: 30, files: { total: 5, done: 3, failed: 1 } })
})
