import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { atTenant } from '../../support/grants.ts'
import { addTenantAccount } from '../../support/people.ts'
import { addDevices } from '../../support/stored.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

test('a guest who chose another name has the name of the link in every list and search (T45)', async () => {
  const { tenantId } = owner
  const [device] = await addDevices(server, tenantId, 1)
  await owner.logonTokens.createForExternalUser({
    body: { tenantId, deviceId: device!.id, userCorrelationId: 'guest', userDisplayName: 'Grace' },
  })
  const [guest] = await server.rows<{ id: string }>("SELECT id FROM users WHERE accountType = 'External'")
  const userId = guest!.id
  const { id: groupId } = await owner.userGroups.create({ tenantId, body: { name: 'Night shift' } })
  await server.write(async (models, transaction) => {
    const where = { userId, name: 'user-display-name' }
    await models.UserPreference.destroy({ where, transaction })
    await models.UserPreference.create({ id: randomUUID(), ...where, value: 'Ada Boss' }, { transaction })
    await models.UserGroupMember.create({ groupId, userId }, { transaction })
  })
  const people = (text: string) => owner.appliancePeople.list({ tenantId, query: { show: 'guests', text } })
  const found = (text: string) => owner.applianceRights.find({ tenantId, query: { kind: 'Principal', text } })
  const { members } = await owner.userGroups.get({ tenantId, params: { userGroupId: groupId } })
  const { items: users } = await owner.users.list({ tenantId })
  const { items: shares } = await owner.applianceShares.list({ query: {} })
  expect({
    people: (await people('Grace')).items.map(({ displayName }) => displayName),
    found: (await found('Grace')).items.map(({ name }) => name),
    members: members.map(({ displayName }) => displayName),
    users: users.filter(({ id }) => id === userId).map(({ displayName }) => displayName),
    shares: shares.map(({ forName }) => forName),
  }).toEqual({ people: ['Grace'], found: ['Grace'], members: ['Grace'], users: ['Grace'], shares: ['Grace'] })
  expect([(await people('Ada')).items, (await found('Ada Boss')).items]).toEqual([[], []])
})

test('a guest keeps the name of the account that made it, whatever another account calls it, until that account is deleted (T45)', async () => {
  const { tenantId } = owner
  const [device] = await addDevices(server, tenantId, 1)
  const maker = await addTenantAccount(owner, (['device.read', 'device.logon-token.create'] as const).map(atTenant))
  const userCorrelationId = randomUUID()
  const share = ({ logonTokens }: Pick<typeof owner, 'logonTokens'>, userDisplayName: string) =>
    logonTokens.createForExternalUser({ body: { tenantId, deviceId: device!.id, userCorrelationId, userDisplayName } })
  const names = async () => {
    const [guest] = await server.rows<{ guestName: string; value: string }>(
      'SELECT guestName, value FROM users JOIN user_preferences ON userId = users.id WHERE userName = ?',
      `ext-${userCorrelationId}`,
    )
    return Object.values(guest!)
  }
  await share(maker, 'Kim')
  await share(owner, 'Ada Boss')
  expect(await names()).toEqual(['Kim', 'Kim'])
  await share(maker, 'Kim Berg')
  expect(await names()).toEqual(['Kim Berg', 'Kim Berg'])
  await owner.tenantServiceAccounts.delete({ params: { tenantId, serviceAccountId: maker.id } })
  await share(owner, 'Kim Lind')
  expect(await names()).toEqual(['Kim Lind', 'Kim Lind'])
})
