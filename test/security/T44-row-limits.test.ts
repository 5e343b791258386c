import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Models } from '../../server/call/models.ts'
import { rowLimits, type LimitedRows } from '../../shared/row-limits.ts'
import { copyRow } from '../support/copied-rows.ts'
import { buildAssignment } from '../support/factories.ts'
import { addMember } from '../support/people.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { statusesOf, statusOf } from '../support/statuses.ts'

const server = serverForFile()

const count = (name: keyof Models) =>
  server.write((models, transaction) => (models[name] as Models['Customer']).count({ transaction }))

let owner: Member
let tenantId: string
let serviceAccountId: string
beforeAll(async () => {
  owner = await server.owner()
  tenantId = owner.tenantId
  serviceAccountId = (await addAccount()).id
})

const named = () => ({ tenantId, body: { name: randomUUID() } })
const addKey = (options: object) =>
  owner.installerKeys.create({ body: { tenantId, keyType: 'Persistent' as const, ...options } })

const addToken = () => owner.personalAccessTokens.create(named())
const addAccount = () => owner.tenantServiceAccounts.create({ params: { tenantId }, ...named() })
const addCredential = () =>
  owner.tenantServiceAccounts.createCredential({
    params: { tenantId, serviceAccountId },
    body: { name: randomUUID() },
  })

test.each<[LimitedRows, keyof Models, () => Promise<unknown>]>([
  ['customers', 'Customer', () => owner.customers.create(named())],
  ['device groups', 'DeviceGroup', () => owner.deviceGroups.create(named())],
  ['user groups', 'UserGroup', () => owner.userGroups.create(named())],
  ['tags', 'Tag', () => owner.tags.create(named())],
  ['people', 'User', () => owner.users.create({ tenantId, body: { userName: `${randomUUID()}@example.org` } })],
  ['valid installer keys', 'InstallerKey', () => addKey({})],
  ['service accounts', 'ServiceAccount', addAccount],
  ['valid keys of a service account', 'ServiceAccountCredential', addCredential],
  ['valid access tokens of a person', 'PersonalAccessToken', addToken],
])('T44: requests at the same time beyond the limit of %s are rejected', async (rows, model, create) => {
  await create()
  await copyRow(server, model, { copies: rowLimits[rows] - (await count(model)) - 1 })
  const statuses = await statusesOf([create(), create(), create()])
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  expect(await count(model)).toBe(rowLimits[rows])
})

test('T44: requests that fail take no place of one at the same time', async () => {
  await server.write(({ Tag }, transaction) => Tag.destroy({ where: {}, transaction }))
  const taken = named()
  await owner.tags.create(taken)
  await copyRow(server, 'Tag', { copies: rowLimits.tags - 2 })
  const names = [taken, taken, taken, named()]
  expect(await statusesOf(names.map((name) => owner.tags.create(name)))).toEqual([409, 409, 409, 200])
  expect(await count('Tag')).toBe(rowLimits.tags)
})

const endAllOf = (name: keyof Models, column: string) =>
  server.write((models, transaction) =>
    (models[name] as Models['Customer']).update({ [column]: 1 }, { where: {}, transaction }),
  )
/** Uses each installer key once. */
const useUp = () =>
  server.write(({ InstallerKey }, transaction) =>
    InstallerKey.sequelize!.query(
      `INSERT INTO installer_key_usages (id, keyId, deviceId, timestamp, remoteIpAddress)
       SELECT id, id, id, 1, '' FROM installer_keys`,
      { transaction },
    ),
  )
const addOneUseKey = () => addKey({ keyType: 'UsageBased', allowedUses: 1 })

test.each<[string, LimitedRows, keyof Models, () => Promise<unknown>, () => Promise<unknown>]>([
  ['expired', 'valid installer keys', 'InstallerKey', addOneUseKey, () => endAllOf('InstallerKey', 'expiration')],
  ['used-up', 'valid installer keys', 'InstallerKey', addOneUseKey, useUp],
  [
    'revoked',
    'valid keys of a service account',
    'ServiceAccountCredential',
    addCredential,
    () => endAllOf('ServiceAccountCredential', 'revokedAt'),
  ],
  [
    'expired',
    'valid keys of a service account',
    'ServiceAccountCredential',
    addCredential,
    () => endAllOf('ServiceAccountCredential', 'expiresAt'),
  ],
  [
    'expired',
    'valid access tokens of a person',
    'PersonalAccessToken',
    addToken,
    () => endAllOf('PersonalAccessToken', 'expiresAt'),
  ],
])('T44: %s rows do not count among %s, and are kept', async (_, rows, model, create, endAll) => {
  await server.write((models, transaction) => (models[model] as Models['Customer']).destroy({ where: {}, transaction }))
  await create()
  await copyRow(server, model, { copies: rowLimits[rows] - 1 })
  expect(await statusOf(create())).toBe(409)
  await endAll()
  await create()
  expect(await count(model)).toBe(rowLimits[rows] + 1)
})

test('T44: a service account with too many keys that work is told to revoke some', async () => {
  const { credential } = await addCredential()
  await copyRow(server, 'ServiceAccountCredential', {
    id: credential.id,
    copies: rowLimits['valid keys of a service account'] - 1,
  })
  await expect(addCredential()).rejects.toMatchObject({
    status: 409,
    message: 'The limit is 1,000 valid keys of a service account. Revoke some that are not needed any more.',
  })
})

test('T44: an access token with the scopes of too many rights is rejected', async () => {
  const member = await addMember(server, tenantId, ['personal-access-token.self.write'])
  const right = buildAssignment({
    owningTenantId: tenantId,
    principalId: member.user.id,
    permissionName: 'device.read',
    scopeKind: 'CustomerTenant',
    scopeId: randomUUID(),
  })
  await server.write(({ PermissionAssignment }, transaction) => PermissionAssignment.create(right, { transaction }))
  const create = () => member.applianceAccount.createToken({ body: { name: 'mine', rights: ['device.read'] } })
  await copyRow(server, 'PermissionAssignment', {
    id: right.id,
    copies: rowLimits['scopes of an access token'],
    ids: ['scopeId'],
  })
  expect(await statusOf(create())).toBe(409)
})
