import { HttpTransportType } from '@microsoft/signalr'
import { beforeAll, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { connectViewer } from '../support/hub-client.ts'
import { addMember, addServerAccount } from '../support/people.ts'
import { account as ada, serverForFile, Visitor, type Member } from '../support/server.ts'

const clock = manualClock()
const server = serverForFile({ clock })
let owner: Member
beforeAll(async () => {
  owner = await server.owner()
})

type Way = 'websockets' | 'long polling'
const transports = { websockets: HttpTransportType.WebSockets, 'long polling': HttpTransportType.LongPolling }

/** Connects a program to the viewer hub with a key as its only credential. */
const connect = async (header: 'x-api-key' | 'x-personal-token', key: string, way: Way = 'websockets') => {
  const viewer = await connectViewer(new Visitor(server.url), {
    headers: { [header]: key },
    transport: transports[way],
  })
  expect((await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).isSuccess).toBe(true)
  return viewer
}

type Account = Awaited<ReturnType<typeof addServerAccount>>
const endings: Record<string, (account: Account) => Promise<unknown>> = {
  revoked: ({ id, credentialId }) =>
    owner.serverServiceAccounts.revokeCredential({ params: { serviceAccountId: id, credentialId } }),
  disabled: ({ id }) =>
    owner.serverServiceAccounts.update({ params: { serviceAccountId: id }, body: { name: id, isEnabled: false } }),
  deleted: ({ id }) => owner.serverServiceAccounts.delete({ params: { serviceAccountId: id } }),
}

test.each(
  Object.keys(endings).flatMap((ending) =>
    (['websockets', 'long polling'] as const).map((way) => [ending, way] as const),
  ),
)('a key that is %s loses its live connection over %s, and no other does', async (ending, way) => {
  const [account, bystander] = [await addServerAccount(owner), await addServerAccount(owner)]
  const viewer = await connect('x-api-key', account.key, way)
  const other = await connect('x-api-key', bystander.key)
  await endings[ending]!(account)
  await viewer.closed
  expect((await other.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).isSuccess).toBe(true)
  await expect(connect('x-api-key', account.key)).rejects.toThrow('401')
})

test('a key that expires loses its live connection within 5 s', async () => {
  const { id } = await addServerAccount(owner)
  const { plainTextSecretKey } = await owner.serverServiceAccounts.createCredential({
    params: { serviceAccountId: id },
    body: { name: 'short', expiresAt: new Date(clock.now() + 60_000).toISOString() },
  })
  const viewer = await connect('x-api-key', plainTextSecretKey)
  clock.advance(59_000)
  expect((await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).isSuccess).toBe(true)
  clock.advance(5_000)
  await viewer.closed
})

test('a personal token loses its live connection when it is deleted, and when its owner is', async () => {
  const member = await addMember(server, owner.tenantId, ['personal-access-token.self.write'])
  owner = await server.signIn(ada)
  const { tenantId } = owner
  const make = () => member.personalAccessTokens.create({ tenantId, body: { name: 'script' } })
  const [first, second] = [await make(), await make()]
  const [one, two] = [
    await connect('x-personal-token', first.plainTextToken),
    await connect('x-personal-token', second.plainTextToken),
  ]
  await member.personalAccessTokens.delete({ tenantId, params: { id: first.personalAccessToken.id } })
  await one.closed
  expect((await two.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).isSuccess).toBe(true)
  await owner.users.delete({ tenantId, params: { userId: member.user.id } })
  await two.closed
})

test('a key of a tenant loses its live connection when the tenant is deleted', async () => {
  const robot = await addServerAccount(owner)
  const { tenantId } = await robot.tenants.create({ body: { name: 'short-lived' } })
  const { id } = await robot.tenantServiceAccounts.create({ params: { tenantId }, body: { name: 'key' } })
  const { plainTextSecretKey } = await robot.tenantServiceAccounts.createCredential({
    params: { tenantId, serviceAccountId: id },
    body: { name: 'key' },
  })
  const viewer = await connect('x-api-key', plainTextSecretKey)
  await robot.tenants.delete({ params: { tenantId } })
  await viewer.closed
})
