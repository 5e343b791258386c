import { randomUUID } from 'node:crypto'
import { buildDevice } from './factories.ts'
import type { Member, TestServer } from './server.ts'

/**
 * Fills a tenant with an entity of each kind, named after `word`. Returns the ids, without those of the member and of
 * its rights.
 */
export async function fillTenant(server: TestServer, member: Member, word: string): Promise<string[]> {
  const { tenantId } = member
  const deviceId = randomUUID()
  await server.write((models, transaction) =>
    models.Device.create(buildDevice({ id: deviceId, tenantId, name: word, dnsHostName: `${word}.example.org` }), {
      transaction,
    }),
  )
  const named = { tenantId, body: { name: word } }
  const customer = await member.customers.create(named)
  const deviceGroup = await member.deviceGroups.create(named)
  const userGroup = await member.userGroups.create(named)
  const tag = await member.tags.create(named)
  const user = await member.users.create({ tenantId, body: { userName: `${word}@example.org` } })
  const invite = await member.invites.create({ tenantId, body: { inviteeEmail: `invited-${word}@example.org` } })
  const key = await member.installerKeys.create({ body: { tenantId, keyType: 'Persistent', friendlyName: word } })
  const token = await member.personalAccessTokens.create(named)
  const account = await member.tenantServiceAccounts.create({ params: { tenantId }, body: { name: word } })
  const { credential } = await member.tenantServiceAccounts.createCredential({
    params: { tenantId, serviceAccountId: account.id },
    body: { name: word },
  })
  await member.deviceTags.add({ tenantId, body: { deviceId, tagId: tag.id } })
  await member.deviceGroups.addMembers({
    tenantId,
    params: { deviceGroupId: deviceGroup.id },
    body: { deviceIds: [deviceId] },
  })
  await member.userGroups.addMembers({ tenantId, params: { userGroupId: userGroup.id }, body: { userIds: [user.id] } })
  await member.customers.assignDevices({
    tenantId,
    params: { customerId: customer.id },
    body: { deviceIds: [deviceId], removeDeviceIds: [] },
  })
  const assignment = await member.permissionAssignments.create({
    tenantId,
    body: {
      principalKind: 'User',
      principalId: user.id,
      permissionName: 'device.read',
      scopeKind: 'Device',
      scopeId: deviceId,
      notes: word,
    },
  })
  await member.tenantSettings.set({ tenantId, body: { name: 'instance-id', value: word } })
  const made = [
    customer,
    deviceGroup,
    userGroup,
    tag,
    user,
    invite,
    key,
    token.personalAccessToken,
    account,
    credential,
  ]
  return [tenantId, deviceId, assignment.id, ...made.map(({ id }) => id)]
}
