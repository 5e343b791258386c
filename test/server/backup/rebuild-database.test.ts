import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Header } from '../../../server/backup/header.ts'
import { rebuildDatabase } from '../../../server/backup/rebuild-database.ts'
import { openBare } from '../../../server/engines/database/connection.ts'
import { createPrivateFile } from '../../../server/engines/database/folder.ts'
import { migrate } from '../../../server/engines/database/migrate.ts'
import { migrations } from '../../../server/engines/database/migrations/index.ts'
import { createLog } from '../../../server/ground/log.ts'
import { temporaryFolder } from '../../support/server-process.ts'

/** The first version that wrote backups. */
const first = migrations.findIndex(({ name }) => name === '0025-backups') + 1
const log = createLog({ default: 'None' })

test('a copy of the first version that wrote backups keeps its rows, and its schema until the update', async () => {
  const copiesFolder = await temporaryFolder()
  const file = join(copiesFolder, 'farhand.db')
  await createPrivateFile(file)
  const old = migrations.slice(0, first)
  const options = { appVersion: '0.1.0', copiesFolder, log }
  const made = await openBare(file, 0)
  await migrate(made, { ...options, migrations: old })
  await made.exec(`INSERT INTO tenants (id, name, createdAt) VALUES ('t', 'Acme', 1);
    INSERT INTO users (id, tenantId, userName, email, securityStamp, createdAt) VALUES ('u', 't', 'ada', 'a@b.c', 's', 2)`)
  const schema = 'SELECT type, name, sql FROM sqlite_schema ORDER BY name'
  const before = await made.all(schema)
  await made.close()

  const header = { schema: old.at(-1)!.name, appVersion: '0.1.0' } as Header
  expect(await rebuildDatabase(file, 'a.farhand-backup', header)).toEqual({
    people: 1,
    devices: 0,
    organizations: 1,
    events: 0,
  })
  const rebuilt = await openBare(file, 0)
  expect(await rebuilt.all(schema)).toEqual(before)
  await migrate(rebuilt, { ...options, migrations })
  expect(await rebuilt.all('SELECT userName, createdAt FROM users')).toEqual([{ userName: 'ada', createdAt: 2 }])
  expect(await rebuilt.all('SELECT count(*) AS count FROM migrations')).toEqual([{ count: migrations.length }])
  await rebuilt.close()
})
