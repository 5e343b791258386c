import { spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newRecoveryKey } from '../../../../server/backup/recovery-key.ts'
import { finishReplacement } from '../../../../server/backup/replacement.ts'
import { restore } from '../../../../server/backup/stage-restore.ts'
import { openBare } from '../../../../server/engines/database/connection.ts'
import { openDatabase } from '../../../../server/engines/database/database.ts'
import { createLog } from '../../../../server/ground/log.ts'
import { agentMakes } from '../../../../server/engines/database/migrations/0013-agent-makes.ts'
import { migrations } from '../../../../server/engines/database/migrations/index.ts'
import { reportColumns } from '../../../../server/fleet/report-columns.ts'
import type { Job } from '../../../support/killed-child.ts'
import { isNight } from '../../../support/night.ts'
import { isOnPostgres } from '../../../support/postgres.ts'
import { startTestServer } from '../../../support/server.ts'
import { killableUpdate } from '../../../support/staged-update.ts'
import { writeBackupOf } from '../../../support/written-backup.ts'

/*
 * SIGKILL at random points of a backup, a restore, a migration and an update. `npm run test:night` kills more than 100 times,
 * and an update before each of its steps; other runs 12 times. FARHAND_SEED repeats the points.
 */

const eachKills = isNight ? 25 : 3
const timeout = 600_000
const recoveryKey = newRecoveryKey()
const log = createLog({ default: 'None' })
const names = migrations.map(({ name }) => name)
/** Number of kills, by job. */
const killed: Record<string, number> = {}
let folder: string
/** Data folder of a stopped server with an account. */
let source: string
let copy: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farhand-test-'))
  source = join(folder, 'source')
  copy = join(folder, 'copy.farhand-backup')
  if (isOnPostgres) {
    return
  }
  const server = await startTestServer({ listenOn: 'https://127.0.0.1:0' })
  await server.owner()
  await server.whileStopped(() => cp(server.directory, source, { recursive: true }))
  await server.stop()
  await writeBackupOf(source, copy, recoveryKey)
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  const jobs = Object.entries(killed).map(([job, count]) => `${count} of a ${job}`)
  console.log(`Killed ${Object.values(killed).reduce((sum, count) => sum + count, 0)} times: ${jobs.join(', ')}.`)
})

beforeEach(({ skip }) =>
  skip(isOnPostgres, 'What is killed works on the file of SQLite; postgres-move cuts the work on PostgreSQL.'),
)

async function copyOf(directory: string): Promise<string> {
  const target = await mkdtemp(join(folder, 'data-'))
  await cp(directory, target, { recursive: true })
  return target
}

async function rowsOf<Row>(file: string, sql: string): Promise<Row[]> {
  const database = await openBare(file, 0)
  try {
    expect(await database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    return await database.all<Row>(sql)
  } finally {
    await database.close()
  }
}

const personIn = async (directory: string) =>
  (await rowsOf<{ email: string }>(join(directory, 'farhand.db'), 'SELECT email FROM users'))[0]?.email

async function runJob(job: Omit<Job, 'recoveryKey'>, killAt = 0) {
  const env = { ...process.env, FARHAND_JOB: JSON.stringify({ ...job, recoveryKey }), FARHAND_KILL_AT: String(killAt) }
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../support/killed-child.ts')], { env })
  const ended = new Promise<string | null>((resolve) => child.on('close', (_status, signal) => resolve(signal)))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(stderr).toBe('')
  return { signal: await ended, steps: Number(stdout) }
}

const randomOf = <Item>(items: readonly Item[], count: number): Item[] =>
  fc.sample(fc.shuffledSubarray([...items], { minLength: count, maxLength: count }), 1)[0] ?? []

/** Kills a job at random steps, before a step or while it runs, and before the first and at the last. */
async function killAtRandom(job: Omit<Job, 'recoveryKey'>, attempt: (killAt: number) => Promise<void>) {
  const { steps } = await runJob(job)
  expect(2 * steps).toBeGreaterThan(eachKills)
  const all = Array.from({ length: 2 * steps - 2 }, (_, index) => 1.5 + index / 2)
  const waiting = [1, ...randomOf(all, eachKills - 2), steps + 0.5]
  const lane = async () => {
    for (let killAt = waiting.shift(); killAt !== undefined; killAt = waiting.shift()) {
      await attempt(killAt)
      killed[job.command] = (killed[job.command] ?? 0) + 1
    }
  }
  await Promise.all([lane(), lane()])
}

test('a backup that is killed leaves the data, and a whole copy or none', { timeout }, async () => {
  const path = (name: number) => join(folder, `killed-${name}.farhand-backup`)
  const first = { command: 'backup', directory: await copyOf(source), path: path(0) } as const
  await killAtRandom(first, async (point) => {
    const directory = await copyOf(source)
    expect((await runJob({ ...first, directory, path: path(point) }, point)).signal).toBe('SIGKILL')
    expect(await personIn(directory), String(point)).toBe('ada@example.org')
    const isThere = (await readdir(folder)).includes(`killed-${point}.farhand-backup`)
    const restored = await restoreInto(join(directory, 'again'), isThere ? path(point) : copy)
    expect(restored.counts.people, String(point)).toBe(1)
  })
})

const restoreInto = (directory: string, path: string) =>
  restore({
    path,
    recoveryKey,
    directory,
    migrations: names,
    appVersion: '1.0.0.0',
    secretStore: 'file',
    log,
    now: Date.now(),
  })

test(
  'a restore that is killed leaves the old data or the new, which the next start finishes',
  { timeout },
  async () => {
    const prepare = async () => {
      const directory = await copyOf(source)
      const database = await openBare(join(directory, 'farhand.db'), 0)
      await database.exec("UPDATE users SET email = 'later@example.org'")
      await database.close()
      return directory
    }
    const outcomes = new Set<string>()
    const job = { command: 'restore', path: copy } as const
    await killAtRandom({ ...job, directory: await prepare() }, async (point) => {
      const directory = await prepare()
      expect((await runJob({ ...job, directory }, point)).signal).toBe('SIGKILL')
      await finishReplacement(directory)
      const email = await personIn(directory)
      outcomes.add(email!)
      const asides = (await readdir(directory)).filter((name) => name.startsWith('before-restore-'))
      if (email === 'ada@example.org') {
        expect(await personIn(join(directory, asides[0]!)), String(point)).toBe('later@example.org')
        expect(await readdir(directory)).toEqual(expect.arrayContaining(['secrets.json', 'restored.json']))
      } else {
        expect(asides, String(point)).toEqual([])
        expect((await restoreInto(directory, copy)).counts.people).toBe(1)
      }
    })
    expect([...outcomes].toSorted()).toEqual(['ada@example.org', 'later@example.org'])
  },
)

/** Source of the values from 1 to a number. */
const upTo = (last: number) =>
  `FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${last}) SELECT value FROM n)`

/** Data folder of an older version, with people and devices. */
async function oldData(): Promise<string> {
  const directory = await mkdtemp(join(folder, 'old-'))
  const before = migrations.slice(0, migrations.indexOf(agentMakes))
  const old = await openDatabase({ directory, migrations: before, appVersion: '0.1.0.0', log })
  const columns = ['id', 'tenantId', 'createdAt', 'lastSeen', 'publicIpV4', 'publicIpV6', ...reportColumns]
  const values = columns.map((name) => (name === 'id' ? `'d' || value` : name === 'tenantId' ? `'t'` : `'1'`))
  const rows = [
    `INSERT INTO tenants VALUES ('t', 'Tenant', 1)`,
    `INSERT INTO users (id, tenantId, accountType, userName, email, securityStamp, createdAt)
      SELECT 'u' || value, 't', 'Interactive', value || '@example.org', value || '@example.org', 's', 1 ${upTo(100)}`,
    `INSERT INTO devices (${columns.join()}) SELECT ${values.join()} ${upTo(300)}`,
  ]
  await old.write(async (transaction) => {
    for (const sql of rows) {
      await old.sequelize.query(sql, { transaction })
    }
  })
  await old.close()
  return directory
}

test('a migration that is killed loses nothing, and the next start finishes it', { timeout }, async () => {
  const old = await oldData()
  const job = { command: 'migration', path: '' } as const
  const counted = 'SELECT (SELECT count(*) FROM users) AS people, (SELECT count(*) FROM devices) AS devices'
  const all = [{ people: 100, devices: 300 }]
  await killAtRandom({ ...job, directory: await copyOf(old) }, async (point) => {
    const directory = await copyOf(old)
    expect((await runJob({ ...job, directory }, point)).signal).toBe('SIGKILL')
    const database = await openDatabase({ directory, migrations, appVersion: '1.0.0.0', log })
    expect(await database.all('SELECT name FROM migrations ORDER BY position')).toEqual(names.map((name) => ({ name })))
    await database.close()
    expect(await rowsOf(join(directory, 'farhand.db'), counted), String(point)).toEqual(all)
    expect(await rowsOf(join(directory, 'farhand.db'), 'PRAGMA foreign_key_check')).toEqual([])
    for (const name of await readdir(join(directory, 'backups'))) {
      expect(await rowsOf(join(directory, 'backups', name), counted), name).toEqual(all)
    }
  })
})

test.runIf(process.platform === 'linux')(
  'an update that is killed runs the new version, or the one before with its data',
  { timeout: 2 * timeout },
  async () => {
    const kill = async (manner: 'well' | 'dies', count: number) => {
      const { points, killAt } = await killableUpdate(manner)
      for (const point of isNight ? points : randomOf(points, count)) {
        await killAt(point)
        killed['update'] = (killed['update'] ?? 0) + 1
      }
    }
    // Both spend most of their time waiting.
    await Promise.all([kill('well', 2), kill('dies', 1)])
  },
)
