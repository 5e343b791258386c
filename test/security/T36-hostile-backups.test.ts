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

describe('T36: a backup that somebody else made', () => {
  test('restores where its maker changed rows alone', async () => {
    const directory = await temporaryFolder()
    const path = await backupWith({ sql: "UPDATE users SET userName = 'eve'" })
    expect(await restoreInto(directory, path)).toMatchObject({ counts: { people: 1 } })
  })

  test.each([
    [
      'a trigger that gives an account back',
      'CREATE TRIGGER back AFTER DELETE ON users BEGIN UPDATE users SET disabledAt = NULL; END',
      'back',
    ],
    [
      'a changed trigger of ours',
      `DROP TRIGGER users_remembered;
       CREATE TRIGGER users_remembered AFTER INSERT ON users BEGIN DELETE FROM passkeys; END`,
      'users_remembered',
    ],
    [
      'a trigger that names a page, as tables do',
      `CREATE TRIGGER back AFTER DELETE ON users BEGIN UPDATE users SET disabledAt = NULL; END; PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'back'`,
      'back',
    ],
    [
      'a table that drops writes silently',
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', 'NOT NULL ON CONFLICT IGNORE') WHERE name = 'users'`,
      'users',
    ],
    [
      'a view that never ends in place of a table',
      `PRAGMA foreign_keys = OFF; DROP TABLE recordings; CREATE VIEW recordings AS
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`,
      'recordings',
    ],
  ])('is rejected with %s, and nothing changes', async (_, sql, name) => {
    const directory = await temporaryFolder()
    const path = await backupWith({ sql })
    await expect(restoreInto(directory, path)).rejects.toThrow(`something that Farhand did not make: ${name}. Take`)
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
