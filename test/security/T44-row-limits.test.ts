import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../shared/durations.ts'
import type { Models } from '../../server/call/models.ts'
import { rowLimits, type LimitedRows } from '../../shared/row-limits.ts'
import { enroll } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { copyRow } from '../support/copied-rows.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { statusesOf } from '../support/statuses.ts'

const clock = manualClock(Date.UTC(2026, 0, 2))
const server = serverForFile({ clock })

const count = (name: keyof Models) =>
  server.write((models, transaction) => (models[name] as Models['Customer']).count({ transaction }))

let owner: Member
let tenantId: string
let deviceId: string
beforeAll(async () => {
  owner = await server.owner()
  tenantId = owner.tenantId
  deviceId = (await enroll(owner)).id
})

const named = () => ({ tenantId, body: { name: randomUUID() } })
const addKey = (options: object, by = owner) =>
  by.installerKeys.create({ body: { tenantId, keyType: 'Persistent' as const, ...options } })

async function addCredential() {
  const { items } = await owner.tenantServiceAccounts.list({ params: { tenantId } })
  const params = { tenantId, serviceAccountId: items[0]!.id }
  return owner.tenantServiceAccounts.createCredential({ params, body: { name: randomUUID() } })
}

test.each<[LimitedRows, keyof Models, () => Promise<unknown>]>([
  ['customers', 'Customer', () => owner.customers.create(named())],
  ['device groups', 'DeviceGroup', () => owner.deviceGroups.create(named())],
  ['user groups', 'UserGroup', () => owner.userGroups.create(named())],
  ['tags', 'Tag', () => owner.tags.create(named())],
  ['people', 'User', () => owner.users.create({ tenantId, body: { userName: `${randomUUID()}@example.org` } })],
  [
    'links',
    'LogonToken',
    () => owner.logonTokens.createForUser({ body: { tenantId, deviceId, userId: owner.user.id } }),
  ],
  ['valid installer keys', 'InstallerKey', () => addKey({})],
  [
    'service accounts',
    'ServiceAccount',
    () => owner.tenantServiceAccounts.create({ params: { tenantId }, ...named() }),
  ],
  ['keys of a service account', 'ServiceAccountCredential', addCredential],
  ['access tokens of a person', 'PersonalAccessToken', () => owner.personalAccessTokens.create(named())],
])('T44: requests at the same time beyond the limit of %s are rejected', async (rows, model, create) => {
  await create()
  await copyRow(server, model, { copies: rowLimits[rows] - (await count(model)) - 1 })
  const statuses = await statusesOf([create(), create(), create()])
  expect(statuses.toSorted()).toEqual([200, 409, 409])
  expect(await count(model)).toBe(rowLimits[rows])
})

test('T44: installer keys that have ended do not count, and the newest 10,000 of them are kept', async () => {
  await server.write(({ InstallerKey }, transaction) => InstallerKey.destroy({ where: {}, transaction }))
  await addKey({ keyType: 'UsageBased', allowedUses: 1 })
  await copyRow(server, 'InstallerKey', { copies: 10_001 })
  clock.advance(2 * dayMs)
  await addKey({}, await server.signIn())
  expect(await count('InstallerKey')).toBe(10_001)
})
