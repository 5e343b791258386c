import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newRecoveryKey } from '../../server/backup/recovery-key.ts'
import { integrator, ownerForFile, serverForFile, type Integrator } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const onServer = { scopeKind: 'Server' } as const

/** Client of a token of the owner that manages rights and settings on the server: with these alone, or with all rights. */
async function tokenWith(permissionMode: 'Restricted' | 'InheritOwner'): Promise<Integrator> {
  const scopes = [
    { permissionName: 'server.permissions.write' as const, ...onServer },
    { permissionName: 'server.settings.write' as const, ...onServer },
  ]
  const { plainTextToken } = await owner.personalAccessTokens.create({
    tenantId: owner.tenantId,
    body: { name: randomUUID(), permissionMode, ...(permissionMode === 'Restricted' && { scopes }) },
  })
  return integrator(server.url, { 'x-personal-token': plainTextToken })
}

/** Statuses of what gives rights beyond those of the caller. */
const climb = async ({ applianceBackup, applianceNetwork, applianceServer }: Integrator, name: string) => ({
  'a recovery key': await statusOf(applianceBackup.makeRecoveryKey({})),
  'a restore': await statusOf(
    applianceBackup.restoreCopy({ body: { path: join(server.directory, 'none'), recoveryKey: newRecoveryKey() } }),
  ),
  'a mail server': await statusOf(
    applianceServer.changeSettings({ body: { changes: [{ key: 'AppOptions__SmtpHost', value: 'mail.example.org' }] } }),
  ),
  'a name in mailed links': await statusOf(
    applianceNetwork.set({ body: { ...(await owner.applianceNetwork.get({})).settings, names: [name] } }),
  ),
})

test('T04: a restricted token that manages rights on the server makes no recovery key, restores nothing, and chooses no mail server and no name in mailed links', async () => {
  const token = await tokenWith('Restricted')
  expect(await statusOf(token.applianceBackup.get({}))).toBe(403)
  expect(await climb(token, 'restricted.example.org')).toEqual({
    'a recovery key': 403,
    'a restore': 403,
    'a mail server': 403,
    'a name in mailed links': 403,
  })
})

test('T04: a token with all rights of its owner does so', async () => {
  expect(await climb(await tokenWith('InheritOwner'), 'whole.example.org')).toEqual({
    'a recovery key': 200,
    'a restore': 409,
    'a mail server': 200,
    'a name in mailed links': 200,
  })
})
