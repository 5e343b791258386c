import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { newUser } from '../../server/people/users.ts'
import { enroll } from '../support/agent.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'

/* T26, T44: guests and links of one tenant, in any number, make no work of others slow. */

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
let owner: Member
let eve: Member
let deviceId: string
beforeAll(async () => {
  owner = await server.owner()
  eve = await server.owner({ email: 'eve@example.org' })
  deviceId = (await enroll(eve)).id
})

const maxGuests = 10_000

/** Least of several measurements: other work of the machine only adds to them. */
async function leastOf(measure: () => Promise<number>): Promise<number> {
  const measured: number[] = []
  for (let count = 0; count < 3; count++) {
    measured.push(await measure())
  }
  return Math.min(...measured)
}

/** Stores rows in parts that each fit into a statement. */
async function inParts<T>(rows: readonly T[], store: (part: readonly T[]) => Promise<unknown>) {
  for (let at = 0; at < rows.length; at += 500) {
    await store(rows.slice(at, at + 500))
  }
}

async function millisecondsToName(by: Member, value: string): Promise<number> {
  const startedAt = performance.now()
  await by.userPreferences.set({ tenantId: by.tenantId, body: { name: 'user-display-name', value } })
  const { name } = await by.appliancePeople.get({ params: { userId: by.user.id } })
  expect(name).toBe(value)
  return performance.now() - startedAt
}

test('a tenant has at most 10,000 guests, and they delay no name of another tenant', async () => {
  const link = (userCorrelationId: string) =>
    statusOf(eve.logonTokens.createForExternalUser({ body: { tenantId: eve.tenantId, deviceId, userCorrelationId } }))
  const before = await leastOf(() => millisecondsToName(owner, 'Ada'))
  const guests = Array.from({ length: maxGuests - 1 }, (_, index) => {
    const userName = `ext-${index}`
    const email = `${userName}@local.invalid`
    return newUser({
      tenantId: eve.tenantId,
      accountType: 'External',
      userName,
      email,
      createdAt: 1,
      guestName: `Guest ${index}`,
    })
  })
  await inParts(guests, (part) => server.write((models, transaction) => models.User.bulkCreate(part, { transaction })))
  expect(await leastOf(() => millisecondsToName(owner, 'Ada'))).toBeLessThan(before + 40)
  expect([await link('new'), await link('other'), await link('new'), await link('7')]).toEqual([200, 409, 200, 200])
})

test('a list of 2,000 opened links among 12,000 sessions takes about as long as one of unopened links', async () => {
  const { id } = await enroll(eve)
  const now = Date.now()
  const expiresAt = now + 3_600_000
  const tokens = Array.from({ length: 2_000 }, () => ({
    id: randomUUID(),
    tenantId: eve.tenantId,
    userId: eve.user.id,
    deviceId: id,
    secretHash: '',
    sessionCorrelationId: null,
    allowedDesktopSessionIds: null,
    createdAt: now,
    expiresAt,
    consumedAt: null,
    makerKind: 'User' as const,
    makerId: eve.user.id,
    madeWith: null,
  }))
  const sessionOf = (logonTokenId: string | null) => ({
    tokenHash: randomUUID(),
    userId: eve.user.id,
    isPersistent: false,
    expiresAt,
    logonTokenId,
    pageKeyHash: null,
    createdAt: now,
    provedAt: now,
    lastSeenAt: now,
    remoteAddress: '127.0.0.1',
    userAgent: null,
  })
  const sessions = [
    ...Array.from({ length: 10_000 }, () => sessionOf(null)),
    ...tokens.map((token) => sessionOf(token.id)),
  ]
  const millisecondsToList = async () => {
    const startedAt = performance.now()
    const { items } = await eve.applianceShares.list({ query: { deviceId: id } })
    expect(items).toHaveLength(tokens.length)
    return performance.now() - startedAt
  }
  await inParts(tokens, (part) =>
    server.write((models, transaction) => models.LogonToken.bulkCreate(part, { transaction })),
  )
  const unopened = await leastOf(millisecondsToList)
  await inParts(sessions, (part) =>
    server.write((models, transaction) => models.Session.bulkCreate(part, { transaction })),
  )
  await server.write((models, transaction) =>
    models.LogonToken.update({ consumedAt: now }, { where: { deviceId: id }, transaction }),
  )
  expect(await leastOf(millisecondsToList)).toBeLessThan(2.5 * unopened)
})
