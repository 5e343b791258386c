import { expect, test } from 'vitest'
import { migrations } from '../../../../../server/engines/database/migrations/index.ts'
import { signIn } from '../../../../../server/engines/database/migrations/0004-sign-in.ts'
import { open, temporaryFolder } from '../support.ts'

const before = migrations.slice(0, migrations.indexOf(signIn))

const oldRows = [
  `INSERT INTO tenants VALUES ('t', 'Tenant', 1)`,
  `INSERT INTO users (id, tenantId, accountType, userName, email, securityStamp, createdAt)
    VALUES ('u', 't', 'Invited', 'ada@example.org', 'ada@example.org', 's', 1)`,
  `INSERT INTO sessions (tokenHash, userId, isPersistent, createdAt, expiresAt) VALUES ('h', 'u', 0, 7, 9)`,
  `INSERT INTO invites (id, tenantId, userId, inviteeEmail, activationCode, createdAt)
    VALUES ('i', 't', 'u', 'ada@example.org', 'a code that is still in a mail', 5)`,
]

test('sessions count as proved at their start, and no code of an old invite is stored or valid', async () => {
  const directory = await temporaryFolder()
  const old = await open({ directory, migrations: before })
  await old.write(async (transaction) => {
    for (const sql of oldRows) {
      await old.sequelize.query(sql, { transaction })
    }
  })
  await old.close()
  const migrated = await open({ directory, migrations: [...before, signIn] })
  expect(await migrated.all('SELECT tokenHash, provedAt FROM sessions')).toEqual([{ tokenHash: 'h', provedAt: 7 }])
  expect(await migrated.all('SELECT id, activationCodeHash, createdAt FROM invites')).toEqual([
    { id: 'i', activationCodeHash: 'i', createdAt: 0 },
  ])
})
