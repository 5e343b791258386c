import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { ConcurrencyLimit } from '../../agent/base/concurrency-limit.ts'
import { listDirectory } from '../../agent/capabilities/files/listing.ts'
import { FileSending } from '../../agent/capabilities/files/sending.ts'
import { systemClock } from '../../agent/base/clock.ts'
import { PacedSocket } from '../../agent/link/paced-socket.ts'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { manualClock } from '../support/clock.ts'
import { createTestLog } from '../support/log.ts'
import { steady, until } from '../support/until.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-budgets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const never = () => new Promise<never>(() => {})

const limits = { running: 2, waiting: 2, waitMs: 60_000, runMs: 60_000, busy: 'Busy.', late: 'Late.' }

test('work beyond the limit waits and runs in order', async () => {
  const atMost = new ConcurrencyLimit({ ...limits, clock: systemClock })
  const begun: number[] = []
  const ends: (() => void)[] = []
  const works = [0, 1, 2, 3].map((number) =>
    atMost.run(async () => {
      begun.push(number)
      await new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  await until(() => begun.length === 2)
  ends[0]!()
  await until(() => begun.length === 3)
  ends[1]!()
  ends[2]!()
  await until(() => begun.length === 4)
  ends[3]!()
  await Promise.all(works)
  expect(begun).toEqual([0, 1, 2, 3])
})

test('work that finds a full queue, waits too long or does not end is rejected with the reason', async () => {
  const clock = manualClock()
  const atMost = new ConcurrencyLimit({ ...limits, clock, waitMs: 20_000 })
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((resolve) => ends.push(resolve))
  const outcomes: string[] = []
  const run = (name: string) =>
    void atMost.run(work).then(
      () => outcomes.push(`${name} done`),
      (error: Error) => outcomes.push(`${name} ${error.message}`),
    )
  ;['a', 'b', 'c', 'd', 'e'].forEach(run)
  await until(() => outcomes.length === 1)
  expect(outcomes).toEqual(['e Busy.'])
  clock.advance(20_000)
  await until(() => outcomes.length === 3)
  expect(outcomes.slice(1)).toEqual(['c Busy.', 'd Busy.'])
  clock.advance(40_000)
  await until(() => outcomes.length === 5)
  expect(outcomes.slice(3)).toEqual(['a Late.', 'b Late.'])
  // Work that hangs occupies its place until it ends.
  run('f')
  expect(ends).toHaveLength(2)
  ends[0]!()
  await until(() => ends.length === 3)
  ends[2]!()
  await until(() => outcomes.at(-1) === 'f done')
})

test('a directory that never responds is abandoned with the reason, and several of them reject further listings', async () => {
  const clock = manualClock()
  const sending = new FileSending({ clock, log: createTestLog(), server: () => ({ SendFileContentStream: never }) })
  const list = () => sending.list('/mnt', never, never)
  const hung = [list(), list(), list()]
  const queued = Array.from({ length: 30 }, list)
  const busy = failure('The device is still listing other directories. Try again in a minute.')
  expect(await list()).toEqual(busy)
  clock.advance(60_000)
  const late = failure('The directory did not answer in time. Its disk may be disconnected.')
  expect(await Promise.all(hung)).toEqual([late, late, late])
  expect(await Promise.all(queued)).toEqual(queued.map(() => busy))
})

test('an agent reads three directories at a time; other listings wait', async () => {
  const server = () => ({ SendFileContentStream: () => Promise.resolve() })
  const sending = new FileSending({ clock: systemClock, log: createTestLog(), server })
  const folder = temporaryFolder()
  const taken: (() => void)[] = []
  const slow = () => new Promise<void>((resolve) => taken.push(resolve))
  const listings = Array.from({ length: 5 }, () => sending.list(folder, listDirectory, slow))
  await until(() => taken.length === 3)
  expect(await steady(() => taken.length)).toBe(3)
  taken[0]!()
  await until(() => taken.length === 4)
  taken[1]!()
  await until(() => taken.length === 5)
  taken.forEach((take) => take())
  expect(await Promise.all(listings)).toEqual(Array.from({ length: 5 }, () => success))
})

test('an agent makes four archives at a time and rejects more with the reason', async () => {
  const server = () => ({ SendFileContentStream: () => new Promise<never>(() => {}) })
  const sending = new FileSending({ clock: systemClock, log: createTestLog(), server })
  const source = () => Promise.resolve({ name: 'a.zip', size: 0, bytes: (async function* none() {})() })
  const offer = () => sending.offerArchive({ streamId: 's' }, '/a', source)
  const answers = [await offer(), await offer(), await offer(), await offer(), await offer()]
  expect(answers.map(({ isSuccess }) => isSuccess)).toEqual([true, true, true, true, false])
  expect(answers[4]!.reason).toContain('Try again when one is done.')
})

test('an agent whose answers are not sent reads no more requests, and resumes when they are', async () => {
  // Answers to pings would queue behind the questions, and the agent would close the connection.
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const agent = new PacedSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, [], {})
  const [peer] = (await once(server, 'connection')) as [WebSocket]
  onTestFinished(() => agent.terminate())
  let [asked, answered] = [0, 0]
  const answer = 'x'.repeat(256 * 1024)
  agent.on('message', () => {
    asked++
    agent.send(answer)
  })
  peer.on('message', () => answered++)
  peer.pause()
  const questions = 200
  const question = 'y'.repeat(64 * 1024)
  for (let count = 0; count < questions; count++) {
    peer.send(question)
  }
  await until(() => agent.isPaused)
  expect(asked).toBeLessThan(questions)
  peer.resume()
  await until(() => answered === questions)
}, 60_000)
