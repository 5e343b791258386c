import { expect, test } from 'vitest'
import { account, useTestServer } from '../support/server.ts'

test('T16: no password, token, key or cookie is in the audit log or its export', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const visitor = server.visitor()
  // People type passwords where the address belongs.
  await visitor.applianceSession.signIn({
    body: { email: 'My-Secret-Pass-1@x.org', password: 'Other-Secret-2', staySignedIn: false },
  })
  await visitor.applianceSession.signIn({ body: { ...account, staySignedIn: false } })
  const token = await owner.personalAccessTokens.create({ tenantId, body: { name: 'backup' } })
  const key = await owner.installerKeys.create({ body: { tenantId, keyType: 'Persistent', friendlyName: 'site' } })
  const grace = await owner.users.create({ tenantId, body: { userName: 'grace@example.org' } })
  const reset = await owner.users.resetPassword({ tenantId, params: { userId: grace.id } })
  const lines = await (await owner.fetch('/api/appliance/v1/audit-log/server/export?format=jsonl')).text()
  expect(lines.split('\n').length).toBeGreaterThan(10)
  const secrets = [
    'my-secret-pass-1',
    'other-secret-2',
    account.password,
    ...Object.values({ ...token, ...key }).filter((value) => typeof value === 'string' && value.length > 40),
    reset.temporaryPassword,
    visitor.cookie!.split('=')[1]!,
    visitor.pageKey,
  ].filter((secret) => secret !== undefined)
  expect(secrets.length).toBeGreaterThan(5)
  for (const secret of secrets) {
    expect(lines.toLowerCase()).not.toContain(String(secret).toLowerCase())
  }
})
