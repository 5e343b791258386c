import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { gateLimitMs, HealthGate, neededBack } from '../../../server/updates/health-gate.ts'
import {
  currentVersion,
  previousVersion,
  readJournal,
  writeJournal,
  type Journal,
} from '../../../server/engines/process/program-home.ts'
import { Keeper } from '../../../server/updates/keeper.ts'
import { manualClock } from '../../support/clock.ts'
import { dataIn, installationIn, notesIn, place, stagedJournal, stubFiles } from '../../support/installation.ts'
import { createTestLog } from '../../support/log.ts'
import { temporaryFolder } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

/** Installation of 1.0.0.0 with a pending update to a stub of 2.0.0.0, which behaves as `manner`. */
async function scene(manner: string, changes: Partial<Journal> = {}) {
  const folder = await temporaryFolder()
  const data = dataIn(folder)
  const { home: homeFolder } = installationIn(folder, '1.0.0.0', stubFiles('1.0.0.0'))
  const home = { folder: homeFolder }
  place(join(homeFolder, 'versions', '2.0.0.0'), stubFiles('2.0.0.0', manner))
  const journal = stagedJournal({ dataDirectory: data, ...changes })
  writeJournal(home, journal)
  const clock = manualClock()
  const log = createTestLog()
  const said: string[] = []
  const linesOf = (name: string) => {
    const file = join(folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
  const started = () => linesOf('started')
  /** Advances the clock until the new version has been asked for its version. */
  const asked = () =>
    until(() => {
      clock.advance(25)
      return linesOf('asked').includes('/api/v1/version/server')
    })
  const run = () => {
    const keeper = new Keeper({
      home,
      ownFolder: join(homeFolder, 'versions', '1.0.0.0'),
      args: [],
      log,
      clock,
      say: (line) => said.push(line),
    })
    const ended = keeper.run()
    onTestFinished(async () => {
      keeper.stop()
      await ended
    })
    return { keeper, ended }
  }
  /** Advances the clock until the update is settled; slower than real time, so that a busy machine passes the gate in time. */
  const settled = async (ms = 25) => {
    await until(() => {
      clock.advance(ms)
      return readJournal(home)?.step === 'ended'
    })
    return readJournal(home)!
  }
  return { folder, data, home, homeFolder, journal, clock, log, said, run, settled, started, asked }
}

/** The stub takes its data folder from the environment, as the server does. */
const withData = (data: string, more: Record<string, string> = {}) => {
  Object.assign(process.env, { Service_DataDirectory: data, AGENTS_BACK: '0', ...more })
  onTestFinished(() => {
    delete process.env['Service_DataDirectory']
    delete process.env['AGENTS_BACK']
  })
}

describe('an update', () => {
  test('to a healthy version is kept, and the previous version and its data stay for the way back', async () => {
    const made = await scene('well')
    withData(made.data)
    made.run()
    expect(await made.settled()).toMatchObject({ outcome: 'installed', reason: null, attempts: 1 })
    expect(currentVersion(made.home)).toBe('2.0.0.0')
    expect(previousVersion(made.home)).toMatchObject({
      name: '1.0.0.0',
      copy: made.journal.id,
      schema: ['0001-create-notes'],
    })
    expect(notesIn(made.data)).toEqual(['first', '2.0.0.0'])
    expect(made.started()).toEqual(['2.0.0.0'])
    expect(made.said).toEqual(['Updating Farhand from 1.0.0.0 to 2.0.0.0.', 'Farhand 2.0.0.0 is running.'])
  })

  test.each<[string, number, string]>([
    ['dies', 250, 'The new version ended before it was well: status 3. It cannot work.'],
    ['silent', gateLimitMs, 'The new version did not start to listen within 5 minutes.'],
    ['unhealthy', gateLimitMs / 100, 'The new version did not answer as healthy within 5 minutes.'],
  ])('to a version that is %s returns to the previous version and its data', async (manner, ms, reason) => {
    const made = await scene(manner)
    withData(made.data)
    const { keeper, ended } = made.run()
    if (manner === 'silent') {
      await until(() => notesIn(made.data).includes('2.0.0.0'))
    } else if (manner === 'unhealthy') {
      await until(() => made.started().length === 1)
    }
    expect(await made.settled(ms)).toMatchObject({ outcome: 'failed', reason, restoreFrom: made.journal.id })
    expect(made.log.claimErrors(/given up/).length).toBe(1)
    await until(() => made.started().at(-1) === '1.0.0.0')
    expect(currentVersion(made.home)).toBe('1.0.0.0')
    expect(notesIn(made.data)).toEqual(['first', '1.0.0.0'])
    expect(readFileSync(join(made.data, 'secrets.json'), 'utf8')).toBe('{"key":"secret"}')
    // The data of the new version is aside, and not deleted.
    expect(notesIn(join(made.data, `set-aside-${made.journal.id}`))).toEqual(['first', '2.0.0.0'])
    expect(readdirSync(join(made.homeFolder, 'versions'))).toEqual(['1.0.0.0'])
    keeper.stop()
    expect(await ended).toBe(0)
  })

  test('returns to the previous version when fewer than nine of ten devices reconnect, and is kept when nine do', async () => {
    const online = Array.from({ length: 10 }, () => randomUUID())
    const made = await scene('well', { online })
    withData(made.data, { AGENTS_BACK: '8' })
    made.run()
    await made.asked()
    expect(await made.settled(gateLimitMs / 100)).toMatchObject({
      outcome: 'failed',
      reason: 'Only 8 of 10 devices that were online came back within 5 minutes.',
    })
    expect(made.log.claimErrors(/given up/).length).toBe(1)
    const well = await scene('well', { online })
    withData(well.data, { AGENTS_BACK: '9' })
    well.run()
    expect(await well.settled()).toMatchObject({ outcome: 'installed' })
  })

  test('is given up after three starts without a recorded end', async () => {
    const made = await scene('well')
    withData(made.data)
    const first = made.run()
    await made.settled()
    first.keeper.stop()
    await first.ended
    writeJournal(made.home, { ...readJournal(made.home)!, step: 'trial', attempts: 3, outcome: null })
    made.run()
    expect(await made.settled()).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('started 3 times'),
    })
  })

  test('whose data cannot be copied changes nothing', async () => {
    const made = await scene('well', { dataDirectory: '/nowhere/at/all' })
    withData(made.data)
    made.run()
    expect(await made.settled()).toMatchObject({ outcome: 'failed', restoreFrom: null })
    expect(made.log.claimErrors(/could not continue/).length).toBe(1)
    await until(() => made.started().at(-1) === '1.0.0.0')
    expect(notesIn(made.data)).toEqual(['first', '1.0.0.0'])
  })

  test('is carried out after the server ended, also after a kill', async () => {
    const made = await scene('well', { step: 'ended', outcome: 'failed' })
    withData(made.data)
    made.run()
    await until(() => made.started().length === 1)
    writeJournal(made.home, { ...made.journal, step: 'staged', outcome: null })
    process.kill(Number(readFileSync(join(made.folder, 'pid'), 'utf8')), 'SIGKILL')
    expect(await made.settled()).toMatchObject({ outcome: 'installed' })
    expect(made.started()).toEqual(['1.0.0.0', '2.0.0.0'])
    expect(notesIn(made.data)).toEqual(['first', '1.0.0.0', '2.0.0.0'])
  })
})

describe('the way back', () => {
  test('restores the previous data and moves the new data aside', async () => {
    const made = await scene('well')
    withData(made.data)
    const first = made.run()
    await made.settled()
    first.keeper.stop()
    await first.ended
    writeFileSync(join(made.data, 'new-in-2.json'), '{}')
    const back: Journal = {
      ...made.journal,
      id: randomUUID(),
      kind: 'back',
      from: made.journal.to,
      to: made.journal.from,
      restoreFrom: made.journal.id,
    }
    writeJournal(made.home, back)
    made.run()
    expect(await made.settled()).toMatchObject({ outcome: 'returned' })
    await until(() => made.started().at(-1) === '1.0.0.0')
    expect(currentVersion(made.home)).toBe('1.0.0.0')
    expect(previousVersion(made.home)).toBeUndefined()
    expect(notesIn(made.data)).toEqual(['first', '1.0.0.0'])
    expect(readdirSync(join(made.data, `set-aside-${back.id}`)).toSorted()).toEqual(
      expect.arrayContaining(['farhand.db', 'new-in-2.json', 'secrets.json']),
    )
  })
})

test('nine of ten devices must reconnect; of 2 to 10, all but one', () => {
  expect([0, 1, 2, 5, 10, 19, 100].map(neededBack)).toEqual([0, 1, 1, 4, 9, 17, 90])
})

test('an answer of another version at the address fails the update', async () => {
  const clock = manualClock()
  const gate = new HealthGate({
    clock,
    version: '2.0.0.0',
    online: 0,
    ask: async () => ({ isHealthy: true, version: '1.0.0.0' }),
  })
  gate.listening('http://127.0.0.1:1')
  clock.advance(250)
  await Promise.resolve()
  clock.advance(gateLimitMs)
  expect(await gate.outcome).toBe('Version 1.0.0.0 answered instead of 2.0.0.0.')
})
