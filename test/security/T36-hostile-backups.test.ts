import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newRecoveryKey } from '../../server/backup/recovery-key.ts'
import { restore } from '../../server/backup/stage-restore.ts'
import { openBare } from '../../server/engines/database/connection.ts'
import { migrations } from '../../server/engines/database/migrations/index.ts'
import { createLog } from '../../server/ground/log.ts'
import { runBackupCommand } from '../support/backup-command.ts'
import { isOnPostgres } from '../support/postgres.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/server-process.ts'
import { writeBackupOf } from '../support/written-backup.ts'

const recoveryKey = newRecoveryKey()
/** Data folder of a stopped server with an account. */
let source: string

beforeAll(async () => {
  source = join(await temporaryFolder(afterAll), 'source')
  const server = await startTestServer({ listenOn: 'https://127.0.0.1:0' })
  await server.owner()
  await server.whileStopped(async (database) => {
    await cp(server.directory, source, { recursive: true })
    if (isOnPostgres) {
      await database.copyTo(join(source, 'farhand.db'))
    }
  })
  await server.stop()
})

/** Writes a copy whose maker has its recovery key, as somebody does who wants it to be restored elsewhere. */
async function backupWith({ sql, added = [] }: { sql?: string; added?: readonly string[] }): Promise<string> {
  const folder = await temporaryFolder()
  const changed = join(folder, 'changed')
  await cp(source, changed, { recursive: true })
  if (sql !== undefined) {
    const database = await openBare(join(changed, 'farhand.db'), 0)
    await database.exec(sql)
    await database.close()
  }
  const path = join(folder, 'hostile.farhand-backup')
  const entries = added.map((name) => ({ name, content: Buffer.from('{}') }))
  await writeBackupOf(changed, path, recoveryKey, {}, entries)
  return path
}

const restoreInto = (directory: string, path: string) =>
  restore({
    path,
    recoveryKey,
    directory,
    migrations: migrations.map(({ name }) => name),
    appVersion: '1.0.0.0',
    secretStore: 'file',
    log: createLog({ default: 'None' }),
    now: Date.now(),
  })

/** Changes the SQL of a table without touching its rows. */
const changedTable = (name: string, from: string, to: string) => `PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${name}'`

async function query(directory: string, sql: string) {
  const database = await openBare(join(directory, 'farhand.db'), 0)
  try {
    return await database.all(sql)
  } finally {
    await database.close()
  }
}

describe('T36: a backup that somebody else made', () => {
  test('restores the rows that its maker changed', async () => {
    const directory = await temporaryFolder()
    const path = await backupWith({ sql: "UPDATE users SET userName = 'eve'" })
    expect(await restoreInto(directory, path)).toMatchObject({ counts: { people: 1 } })
    expect(await query(directory, 'SELECT userName FROM users')).toEqual([{ userName: 'eve' }])
  })

  test.each([
    [
      'a trigger that gives an account back',
      'CREATE TRIGGER back AFTER DELETE ON users BEGIN UPDATE users SET disabledAt = NULL; END',
    ],
    [
      'a changed trigger of ours',
      `DROP TRIGGER users_remembered;
       CREATE TRIGGER users_remembered AFTER INSERT ON users BEGIN DELETE FROM passkeys; END`,
    ],
    [
      'a trigger that names a page, as tables do',
      `CREATE TRIGGER back AFTER DELETE ON users BEGIN UPDATE users SET disabledAt = NULL; END; PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'back'`,
    ],
    ['a table that drops writes silently', changedTable('users', 'NOT NULL', 'NOT NULL ON CONFLICT IGNORE')],
    ['sessions that outlive their account', changedTable('sessions', 'ON DELETE CASCADE', '')],
    ['hashes of tokens that match others', changedTable('sessions', 'tokenHash TEXT', 'tokenHash TEXT COLLATE NOCASE')],
    [
      'a constraint that takes for ever',
      changedTable('users', 'lastLogin INTEGER', 'lastLogin INTEGER CHECK (length(hex(zeroblob(400000000))) > 0)'),
    ],
    [
      'an index of hidden rows, a view and a table of its own',
      'CREATE INDEX none ON users (userName) WHERE FALSE; CREATE VIEW v AS SELECT 1; CREATE TABLE t (a)',
    ],
  ])('restores its rows into our own tables where it brings %s', async (_, sql) => {
    const [own, directory] = [await temporaryFolder(), await temporaryFolder()]
    await restoreInto(own, await backupWith({}))
    expect(await restoreInto(directory, await backupWith({ sql }))).toMatchObject({ counts: { people: 1 } })
    for (const all of ['SELECT type, name, sql FROM sqlite_schema ORDER BY name', 'SELECT * FROM users']) {
      expect(await query(directory, all)).toEqual(await query(own, all))
    }
  })

  test.each([
    [
      'a view that never ends in place of a table',
      `PRAGMA foreign_keys = OFF; DROP TABLE recordings; CREATE VIEW recordings AS
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`,
    ],
    [
      'a column that is computed',
      'ALTER TABLE users DROP COLUMN lastLogin; ALTER TABLE users ADD COLUMN lastLogin INTEGER AS (length(id))',
    ],
    [
      'a session of no account',
      `INSERT INTO sessions (tokenHash, userId, isPersistent, createdAt, expiresAt) VALUES ('a', 'nobody', 0, 0, 0)`,
    ],
    [
      'a text in place of a time',
      `${changedTable('users', 'STRICT', '')}; PRAGMA writable_schema = RESET; UPDATE users SET createdAt = 'x'`,
    ],
  ])('is rejected with %s, and nothing changes', async (_, sql) => {
    const directory = await temporaryFolder()
    const path = await backupWith({ sql })
    await expect(restoreInto(directory, path)).rejects.toThrow('is damaged. Take another copy.')
    expect((await readdir(directory)).filter((each) => !/^farhand\.(lock|pid)$/.test(each))).toEqual([])
  })

  test.each(['farhand.control', 'farhand.db-journal', 'farhand.db-wal', 'secret-store.json', 'replacement.json'])(
    'is rejected with a file %s, and the file of this server stays',
    async (name) => {
      const directory = await temporaryFolder()
      await writeFile(join(directory, name), 'of this server')
      const path = await backupWith({ added: [name] })
      const refused = name === 'replacement.json' ? /replacement\.json is damaged/ : `does not back up: ${name}. Take`
      await expect(restoreInto(directory, path)).rejects.toThrow(refused)
      expect(await readFile(join(directory, name), 'utf8')).toBe('of this server')
    },
  )

  test('writes no escape sequences on the terminal of whoever tries it', async () => {
    const path = join(await temporaryFolder(), 'newer.farhand-backup')
    const clipboard = '\u001b]52;c;cm0gLXJmIH4=\u0007'
    await writeBackupOf(source, path, recoveryKey, { schema: '9999-later', appVersion: `2${clipboard}` })
    const { status, stderr } = await runBackupCommand(await temporaryFolder(), ['restore', path], recoveryKey)
    expect(status).toBe(1)
    expect(stderr).toContain('written by a newer Farhand (2\\x1B]52')
    expect(stderr).not.toMatch(/[\u0007\u001b]/)
  })
})
