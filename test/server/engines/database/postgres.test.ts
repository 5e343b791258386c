import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { moveDatabaseCommand } from '../../../../server/backup/move-database.command.ts'
import { descriptions } from '../../../../server/call/models.ts'
import { openBare, openConnection } from '../../../../server/engines/database/connection.ts'
import { openDatabase } from '../../../../server/engines/database/database.ts'
import { configOf } from '../../../../server/engines/database/postgres/connections.ts'
import { writeLock } from '../../../../server/engines/database/postgres/locks.ts'
import { statementOf } from '../../../../server/engines/database/postgres/wording.ts'
import type { PostgresOptions } from '../../../../server/engines/database/options.ts'
import { migrations } from '../../../../server/engines/database/migrations/index.ts'
import { failureOf } from '../../../../shared/dtos/hub-result.ts'
import { loadConfig } from '../../../../server/settings/config.ts'
import { enroll } from '../../../support/agent.ts'
import { otherAuthority } from '../../../support/certificates.ts'
import { finishedBatch } from '../../../support/command-fleet.ts'
import { createTestLog } from '../../../support/log.ts'
import { recordingAgent } from '../../../support/recording-agent.ts'
import { isNight } from '../../../support/night.ts'
import { ownerForFile, serverForFile, type TestServer } from '../../../support/server.ts'
import { makeDatabase, postgresPrograms, runIn, startPostgres, usePostgres } from '../../../support/postgres.ts'
import { until } from '../../../support/until.ts'

const programs = postgresPrograms()

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>
  let endUse: () => void
  beforeAll(async () => {
    postgres = await startPostgres(programs!)
    endUse = usePostgres(postgres.port)
  })
  // Hooks at the end run in the opposite order: the server stops before its database.
  afterAll(() => {
    endUse()
    postgres.remove()
  })
  const server: TestServer = serverForFile()
  const owner = ownerForFile(server)

  const open = (directory: string, options = server.database!.options) =>
    openDatabase({
      directory,
      migrations,
      log: createTestLog(),
      appVersion: '0.0.0.0',
      postgres: options,
      folderWaitMs: 0,
    })
  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), 'farhand-test-'))
    onTestFinished(() => rm(path, { recursive: true, force: true }))
    return path
  }
  const customers = async () => (await owner.customers.list({ tenantId: owner.tenantId })).items.map(({ name }) => name)
  const create = (name: string) => owner.customers.create({ tenantId: owner.tenantId, body: { name } })

  /** Takes back what the migrations after 0084 have changed. */
  const makeEarlier = async (options: PostgresOptions) => {
    for (const sql of [
      'ALTER TABLE installer_keys DROP COLUMN "isForNewDevices"',
      'ALTER TABLE users DROP COLUMN "isUnproven"',
      'ALTER TABLE users ADD COLUMN "isUnproven" BIGINT NOT NULL DEFAULT 0',
      'ALTER TABLE device_notes DROP COLUMN account',
      'ALTER TABLE device_note_pictures DROP COLUMN account',
      'DROP INDEX program_events_of_tenant_changes',
      `DELETE FROM migrations WHERE position > (SELECT position FROM migrations WHERE name = '0084-makers')`,
    ]) {
      await runIn(options, sql, [])
    }
  }

  test('a database of an earlier version gets the columns of a new one', async () => {
    const { options, drop } = (await makeDatabase())!
    onTestFinished(drop)
    const columns = () =>
      runIn<{ column: string }>(
        options,
        `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(column_default, '') AS column
          FROM information_schema.columns WHERE table_schema = 'farhand' ORDER BY 1`,
        [],
      )
    const before = await columns()
    await makeEarlier(options)
    const database = await open(await folder(), options)
    await database.close()
    expect(await columns()).toEqual(before)
  })

  test('an update of the schema lets others write while a backup keeps it waiting', async () => {
    const { options, drop } = (await makeDatabase())!
    onTestFinished(drop)
    await makeEarlier(options)
    const clients = [new pg.Client(configOf(options.place)), new pg.Client(configOf(options.place))] as const
    const [backup, other] = clients
    onTestFinished(async () => void (await Promise.all(clients.map((client) => client.end()))))
    await Promise.all(clients.map((client) => client.connect()))
    await backup.query('BEGIN; SELECT 1 FROM users')
    const waiting = async () => {
      const { rows } = await other.query("SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'")
      return rows.length > 0
    }
    const opening = open(await folder(), options)
    await until(waiting)
    await until(async () => {
      const { rows } = await other.query<{ has: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS has', [...writeLock])
      return rows[0]!.has
    })
    await other.query('SELECT pg_advisory_unlock_all()')
    await backup.query('COMMIT')
    await (await opening).close()
  })

  test('a copy that a restart of PostgreSQL interrupts says so', async () => {
    const { options, drop } = (await makeDatabase())!
    const database = await open(await folder(), options)
    const other = new pg.Client(configOf(options.place))
    onTestFinished(async () => {
      await other.end()
      await database.close()
      await drop()
    })
    await other.connect()
    await other.query('BEGIN; LOCK TABLE webhooks')
    const copying = database.copyTo(join(await folder(), 'copy.db'))
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DECLARE%'`
    await Promise.all([
      expect(copying).rejects.toThrow('Try again once PostgreSQL has started again.'),
      until(async () => (await runIn(options, end, [])).length > 0),
    ])
  })

  test('a server copies no database that a newer one has changed', async () => {
    const { options, drop } = (await makeDatabase())!
    const database = await open(await folder(), options)
    onTestFinished(async () => {
      await database.close()
      await drop()
    })
    await runIn(options, 'ALTER TABLE users ADD COLUMN later BIGINT NOT NULL DEFAULT 0', [])
    await runIn(options, `INSERT INTO migrations (name, "appVersion") VALUES ('9999-later', '9.0.0.0')`, [])
    await expect(database.copyTo(join(await folder(), 'copy.db'))).rejects.toThrow('Update this server')
  })

  test('a server keeps its rows there, and none in its folder', async () => {
    await create('Ada & Söhne')
    await server.restart()
    expect(await customers()).toEqual(['Ada & Söhne'])
    expect(await readdir(server.directory)).not.toContain('farhand.db')
  })

  test('names are compared without regard to case', async () => {
    await expect(create('ada & söhne')).rejects.toMatchObject({ status: 409 })
  })

  test('a server reads and writes while a newer one adds columns', async () => {
    const everyTable = (change: string) =>
      Promise.all(descriptions.map(({ name }) => runIn(server.database!.options, `ALTER TABLE ${name} ${change}`, [])))
    const device = await enroll(owner)
    const use = async (name: string) => {
      await owner.tags.create({ tenantId: owner.tenantId, body: { name } })
      await device.connect(server.url)
      expect(await customers()).toEqual(['Ada & Söhne'])
    }
    await use('before-the-update')
    onTestFinished(async () => {
      await everyTable('DROP COLUMN later')
      await server.restart()
    })
    await everyTable('ADD COLUMN later BIGINT NOT NULL DEFAULT 0')
    await use('after-the-update')
  })

  test('a change by another program is followed', async () => {
    const [tenant] = await server.rows<{ id: string }>('SELECT id FROM tenants')
    await server.changeRow('tenants', tenant!.id, "name = 'From a shell'")
    await until(
      async () => (await owner.tenants.get({ params: { tenantId: tenant!.id } })).tenantName === 'From a shell',
    )
    expect(await server.differences()).toEqual([])
  })

  test('a second server on the same database is rejected', async () => {
    await expect(open(await folder())).rejects.toThrow('is in use by another running Farhand')
  })

  test('a folder whose data is there does not begin empty without the settings', async () => {
    const directory = await folder()
    await copyFile(join(server.directory, 'farhand.postgres'), join(directory, 'farhand.postgres'))
    const opening = openDatabase({ directory, migrations, log: createTestLog(), appVersion: '0.0.0.0' })
    await expect(opening).rejects.toThrow('POSTGRES_HOST')
  })

  test('while the database is away writes are answered with 503, and it is found again', async () => {
    postgres.stop('fast')
    await expect(create('while away')).rejects.toMatchObject({ status: 503 })
    postgres.start()
    await until(() =>
      create('back again').then(
        () => true,
        () => false,
      ),
    )
    expect(await customers()).toEqual(['Ada & Söhne', 'back again'])
    expect(await server.differences()).toEqual([])
    server.log.claimErrors(/was lost|could not|failed/)
  })

  test('over TLS, whose certificate is checked with the name of the host', async () => {
    const authority = await otherAuthority()
    const { cert, key } = await authority.issue(['127.0.0.1'])
    postgres.keep('server.crt', cert)
    postgres.keep('server.key', key)
    const { place, tables } = server.database!.options
    const over = (host: string, ca?: string) => ({ place: { ...place, host, tls: { ca } }, tables })
    await runIn(server.database!.options, "ALTER SYSTEM SET ssl = 'on'", [])
    await runIn(server.database!.options, 'SELECT pg_reload_conf()', [])
    const encrypted = () =>
      runIn(over('127.0.0.1', authority.pem), 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()', [])
    expect(await until(() => encrypted().catch(() => undefined))).toEqual([{ ssl: 1 }])
    const opening = async (options: PostgresOptions) => open(await folder(), options)
    await expect(opening(over('127.0.0.1', authority.pem))).rejects.toThrow('is in use by another running Farhand')
    await expect(opening(over('127.0.0.1'))).rejects.toThrow('POSTGRES_SSLROOTCERT')
    await expect(opening(over('localhost', authority.pem))).rejects.toThrow('POSTGRES_SSLROOTCERT')
    await expect(opening({ place: { ...place, password: 'wrong', name: 'nowhere' }, tables })).rejects.toThrow(
      'createdb',
    )
  })

  test('a device that reports texts which PostgreSQL does not keep is stored without them, and fails no other (T44)', async () => {
    const text = `a\0b\ud800'; -- $1 ?`
    const devices = await Promise.all([enroll(owner), enroll(owner)])
    const [hostile] = await Promise.all(devices.map((device) => device.connect(server.url)))
    const [agent] = devices
    const drives = agent!.report().drives.map((drive) => ({ ...drive, name: text, rootDirectory: text }))
    const report = agent!.report({ name: text, currentUsers: [text], drives })
    expect(await hostile!.UpdateDeviceSigned(agent!.signed(report))).toMatchObject({ isSuccess: true })
    await hostile!.SendUpdateRefusal(text)
    await server.restart()
    const device = await (await server.signIn()).devices.get({ params: { deviceId: agent!.id } })
    const kept = `ab\ufffd'; -- $1 ?`
    expect(device).toMatchObject({ name: kept, currentUsers: [kept] })
    expect(device.drives.map(({ name }) => name)).toEqual(drives.map(() => kept))
  })

  test('a result with such a text is stored, and those of the other devices with it (T44)', async () => {
    const by = await server.signIn()
    const agents = await Promise.all([recordingAgent(by), recordingAgent(by)])
    agents.forEach(({ answers }, index) => {
      answers['ReceiveDto'] = () => failureOf(index === 0 ? `No\0 \ud800` : 'No')
    })
    const deviceIds = agents.map(({ id }) => id)
    const { id } = await by.applianceBatches.start({ body: { kind: 'run-command', deviceIds, command: 'id' } })
    const { results } = await finishedBatch(by, id)
    expect(results.map(({ reason }) => reason)).toEqual(['No \ufffd', 'No'])
  })

  test('one statement casts numbers, truth values and bytes each to their type', () => {
    const casts = [1, 1.5, true, Buffer.from('a'), 'a', null].map((value) => statementOf('SELECT ? AS x', [value]).text)
    expect(casts).toEqual([
      'SELECT $1::bigint AS x',
      'SELECT $1::double precision AS x',
      'SELECT $1::boolean AS x',
      'SELECT $1::bytea AS x',
      'SELECT $1::text AS x',
      'SELECT NULL AS x',
    ])
  })

  test('no statement that reads all columns is prepared, however it is written', () => {
    const isPrepared = (sql: string) => statementOf(sql, []).name !== undefined
    const all = ['SELECT *', 'SELECT\n  *', 'SELECT DISTINCT *', 'SELECT count(*), u.*', 'SELECT a,*'].map((start) =>
      isPrepared(`${start} FROM users AS u`),
    )
    expect(all).toEqual(all.map(() => false))
    expect(['SELECT id', 'SELECT count(*)', "SELECT '*'"].map((start) => isPrepared(`${start} FROM users`))).toEqual([
      true,
      true,
      true,
    ])
  })

  test('no statement waits until its plan is compiled, which takes longer than the statement', async () => {
    const sql = "SELECT current_setting('jit') AS jit"
    const written = await server.write(({ Tenant }, transaction) => Tenant.sequelize!.query(sql, { transaction }))
    expect([written[0], await server.rows(sql)]).toEqual([[{ jit: 'off' }], [{ jit: 'off' }]])
  })

  test('the health report names the database', async () => {
    const { checks } = await owner.applianceHealth.report({})
    expect(checks.find(({ id }) => id === 'database')).toMatchObject({
      state: 'ok',
      summary: expect.stringMatching(/in PostgreSQL \d+.*connections/) as string,
    })
  })

  test('members of JSON are merged as SQLite merges them', async () => {
    const [target, patch] = [
      '{"a":{"b":1,"c":null,"d":{"e":[1]}},"f":1}',
      '{"a":{"b":null,"d":{"g":2}},"f":{"h":null},"i":[null]}',
    ]
    const merged = await runIn<{ json: string }>(server.database!.options, 'SELECT json_patch(?, ?) AS json', [
      target,
      patch,
    ])
    const file = await openBare(':memory:', 0)
    const [expected] = await file.all<{ json: string }>('SELECT json_patch(?, ?) AS json', [target, patch])
    await file.close()
    expect(JSON.parse(merged[0]!.json)).toEqual(JSON.parse(expected!.json))
  })

  test.runIf(isNight)('a backup is restored in place of newer data, which is kept as a file', async () => {
    const copies = await folder()
    await owner.applianceBackup.changeSettings({
      body: { folder: copies, hour: 2, keepDaily: 7, keepWeekly: 4, keepMonthly: 6 },
    })
    const { recoveryKey } = await owner.applianceBackup.makeRecoveryKey({})
    const { newest } = await owner.applianceBackup.make({})
    await create('after the backup')
    await owner.applianceBackup.restoreCopy({ body: { path: newest!.path, recoveryKey } })
    await server.restart()
    const again = await server.signIn()
    const names = (await again.customers.list({ tenantId: owner.tenantId })).items.map(({ name }) => name)
    expect(names).toEqual(['Ada & Söhne', 'back again'])
    const aside = (await readdir(server.directory)).find((name) => name.startsWith('before-restore-'))
    expect(existsSync(join(server.directory, aside!, 'farhand.db'))).toBe(true)
    expect(existsSync(join(server.directory, 'farhand.db'))).toBe(false)
  })

  test.runIf(isNight)('the data moves to a file and back, row by row', async () => {
    const lines: string[] = []
    const move = (word: string, settings: Record<string, string>) =>
      moveDatabaseCommand([word], {
        say: (line) => void lines.push(line),
        loadConfig: () =>
          loadConfig({
            env: Object.fromEntries(
              Object.entries({ DataDirectory: server.directory, ...settings }).map(([key, value]) => [
                `Service_${key}`,
                value,
              ]),
            ),
          }),
      })
    const { settings } = server.database!
    const before = await server.rows('SELECT * FROM audit_events ORDER BY id')
    expect(before.length).toBeGreaterThan(0)
    await server.asleep(async () => {
      expect(await move('to-file', settings)).toBe(0)
      expect(existsSync(join(server.directory, 'farhand.db'))).toBe(true)
      const file = await openConnection(join(server.directory, 'farhand.db'), 'writer')
      await file.exec(`UPDATE devices SET osDescription = 'a' || char(0) || 'b', drives = '[{"name":"a\\u0000b"}]'`)
      await file.close()
      await server.database!.empty()
      expect(await move('to-postgres', settings)).toBe(0)
    })
    expect(lines.filter((line) => line.includes('were copied and compared'))).toHaveLength(2)
    expect((await server.rows('SELECT * FROM audit_events ORDER BY id')).slice(0, before.length)).toEqual(before)
    expect(await server.differences()).toEqual([])
    // Texts that a device had left in the file, and that PostgreSQL does not keep.
    const [device] = await server.rows('SELECT osDescription, drives FROM devices')
    expect(device).toEqual({ osDescription: 'ab', drives: '[{"name":"ab"}]' })
  })
})
