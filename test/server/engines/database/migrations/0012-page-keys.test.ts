import { expect, test } from 'vitest'
import { pageKeys } from '../../../../../server/engines/database/migrations/0012-page-keys.ts'
import { migrations } from '../../../../../server/engines/database/migrations/index.ts'
import { open, temporaryFolder } from '../support.ts'

const before = migrations.slice(0, migrations.indexOf(pageKeys))

const oldRows = [
  `INSERT INTO tenants VALUES ('t', 'Tenant', 1)`,
  `INSERT INTO users (id, tenantId, accountType, userName, email, securityStamp, createdAt)
    VALUES ('u', 't', 'Interactive', 'ada@example.org', 'ada@example.org', 's', 1)`,
  `INSERT INTO sessions (tokenHash, userId, isPersistent, createdAt, expiresAt) VALUES ('h', 'u', 0, 7, 9)`,
]

test('sessions from before the update have ended', async () => {
  const directory = await temporaryFolder()
  const old = await open({ directory, migrations: before })
  await old.write(async (transaction) => {
    for (const sql of oldRows) {
      await old.sequelize.query(sql, { transaction })
    }
  })
  await old.close()
  const migrated = await open({ directory, migrations: [...before, pageKeys] })
  expect(await migrated.all('SELECT tokenHash, pageKeyHash FROM sessions')).toEqual([])
})
