import { hashOf } from '../../../server/audit/chain.ts'
import type { AuditEventRow } from '../../../server/audit/tables.ts'
import { expect, test } from 'vitest'
import { account, useTestServer } from '../../support/server.ts'

test('the log has a sign-in, its failure, a token and an export, with who, from where and the outcome', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const wrong = { email: account.email, password: 'not the password', staySignedIn: false }
  const visitor = server.visitor()
  await visitor.applianceSession.signIn({ body: wrong })
  await visitor.applianceSession.signIn({ body: { ...wrong, password: account.password } })
  await visitor.auth.logout({})
  await owner.personalAccessTokens.create({ tenantId, body: { name: 'backup' } })
  const { items } = await owner.applianceAuditLog.listAll({ query: { limit: 100 } })
  const seen = items.map(({ sentence, outcome, address }) => [sentence, outcome, address])
  expect(seen).toEqual(
    expect.arrayContaining([
      ['A visitor could not sign in with a password', 'failure', '127.0.0.1'],
      [`${account.email} signed in with a password`, 'success', '127.0.0.1'],
      [`${account.email} signed out`, 'success', '127.0.0.1'],
      [`${account.email} created the access token backup`, 'success', '127.0.0.1'],
      ['The server started', 'success', null],
    ]),
  )
  expect(items.map(({ id }) => id)).toEqual(items.map((_, index) => items.length - index))
  const failures = await owner.applianceAuditLog.list({ tenantId, query: { outcome: 'failure', category: 'sign-in' } })
  expect(failures.items).toEqual([
    expect.objectContaining({ targetName: account.email, details: { reason: 'Failed' } }),
  ])
  expect(await owner.applianceAuditLog.verify({})).toMatchObject({ holds: true, rows: items.length })
  const csv = await (await owner.fetch(`/api/appliance/v1/audit-log/server/export?format=csv`)).text()
  expect(csv.split('\r\n')).toHaveLength(items.length + 3)
  expect((await owner.applianceAuditLog.listAll({ query: { kind: 'export.audit-log' } })).items).toHaveLength(1)
})

test('a reader of a tenant sees the events of that tenant alone, and without the permission nothing', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const password = 'Correct-Horse-7'
  const body = { userName: 'grace@example.org', password, presetNames: ['Tenant Administrator' as const] }
  await owner.users.create({ tenantId, body })
  await owner.users.create({ tenantId, body: { userName: 'linus@example.org', password } })
  const grace = await server.signIn({ email: 'grace@example.org' })
  const linus = await server.signIn({ email: 'linus@example.org' })
  const { items } = await grace.applianceAuditLog.list({ tenantId, query: {} })
  expect(new Set(items.map((event) => event.tenantId))).toEqual(new Set([tenantId]))
  expect(await grace.applianceAuditLog.chain({ tenantId })).toMatchObject({ rows: null, hash: null })
  await expect(grace.applianceAuditLog.listAll({ query: {} })).rejects.toMatchObject({ status: 403 })
  await expect(linus.applianceAuditLog.list({ tenantId, query: {} })).rejects.toMatchObject({ status: 403 })
  const foreign = '11111111-1111-4111-8111-111111111111'
  await expect(grace.applianceAuditLog.list({ tenantId: foreign, query: {} })).rejects.toMatchObject({ status: 403 })
})

test('an export as lines has ISO times, what the hash is made of, and goes on after an entry', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  for (const name of ['one', 'two', 'three']) {
    await owner.personalAccessTokens.create({ tenantId: owner.tenantId, body: { name } })
  }
  const linesOf = async (more = '') => {
    const answer = await owner.fetch(`/api/appliance/v1/audit-log/server/export?format=jsonl${more}`)
    const text = await answer.text()
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEventRow & { at: string; sentence: string })
  }
  const all = await linesOf()
  expect(all[0]!.id).toBeGreaterThan(all.at(-1)!.id)
  for (const { at, sentence: _, ...row } of all) {
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    expect(hashOf({ ...row, at: Date.parse(at) })).toBe(row.hash)
  }
  const after = all[3]!.id
  const newer = await linesOf(`&after=${after}`)
  // In the order of the log, so that the last line says where to go on; the first export is an entry of its own.
  expect(newer.map(({ id }) => id)).toEqual([after + 1, after + 2, after + 3, after + 4])
  expect(newer[2]!.sentence).toContain('exported the audit log')
})
