import { describe, expect, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { connectViewer } from '../support/hub-client.ts'
import { newAddress } from '../support/people.ts'
import { account, openToAll, serverForFile, useTestServer, type Visitor } from '../support/server.ts'

const server = serverForFile({ settings: openToAll })

const day = 24 * 60 * 60 * 1000

const isSignedIn = async (visitor: Visitor) => (await visitor.fetch('/api/auth/me')).status === 200

test('a changed password ends every other session with its live connections; only the new password signs in', async () => {
  const owner = await server.newcomer()
  const { email } = owner.user
  const elsewhere = await server.signIn({ email })
  const [mine, theirs] = [await connectViewer(owner), await connectViewer(elsewhere)]
  const change = { currentPassword: account.password, newPassword: 'Newer-Horse-8' }
  await owner.auth.changePassword({ body: change })
  await theirs.closed
  expect(await isSignedIn(elsewhere)).toBe(false)
  expect(await isSignedIn(owner)).toBe(true)
  expect((await mine.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).isSuccess).toBe(true)
  await expect(server.signIn({ email })).rejects.toThrow('was not signed in')
  await server.signIn({ email, password: change.newPassword })
})

test('signing out closes the live connections of that session, and of no other', async () => {
  const owner = await server.newcomer()
  const other = await server.signIn({ email: owner.user.email })
  const [mine, theirs] = [await connectViewer(owner), await connectViewer(other)]
  await other.auth.logout({})
  await theirs.closed
  expect((await mine.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).isSuccess).toBe(true)
})

test('an expired session loses its live connections', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  const viewer = await connectViewer(await server.owner())
  clock.advance(day + 60_000)
  await viewer.closed
})

describe('the live connections of a logon token’s session are closed', () => {
  const opened = async () => {
    const owner = await server.newcomer()
    const { id: deviceId } = await enroll(owner)
    const user = await owner.users.create({
      tenantId: owner.tenantId,
      body: { userName: newAddress() },
    })
    const body = { tenantId: owner.tenantId, deviceId, userId: user.id }
    const { deviceAccessUrl } = await owner.logonTokens.createForUser({ body })
    const visitor = server.visitor()
    await visitor.fetch(deviceAccessUrl, { redirect: 'manual' })
    const viewer = await connectViewer(visitor)
    return { owner, tenantId: owner.tenantId, visitor, viewer, deviceId, userId: user.id }
  }

  const endings: [string, (stage: Awaited<ReturnType<typeof opened>>) => Promise<unknown>][] = [
    ['its device is deleted', ({ owner, deviceId }) => owner.devices.delete({ params: { deviceId } })],
    [
      'its device is deleted with others',
      ({ owner, deviceId }) => owner.devices.deleteMany({ body: { deviceIds: [deviceId] } }),
    ],
    ['its user is deleted', ({ owner, tenantId, userId }) => owner.users.delete({ tenantId, params: { userId } })],
    [
      'the password of its user is reset',
      ({ owner, tenantId, userId }) => owner.users.resetPassword({ tenantId, params: { userId } }),
    ],
  ]

  test.each(endings)('when %s', async (_, end) => {
    const stage = await opened()
    expect(await isSignedIn(stage.visitor)).toBe(true)
    await end(stage)
    await stage.viewer.closed
    expect(await isSignedIn(stage.visitor)).toBe(false)
  })
})

test('a session that ends before the handshake gets no connection', async () => {
  const owner = await server.newcomer()
  const headers = { cookie: owner.cookie!, origin: owner.url }
  const socket = new WebSocket(`${owner.url.replace('http', 'ws')}/hubs/viewer`, { headers } as never)
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }))
  const closed = new Promise((resolve) => Object.assign(socket, { onclose: resolve }))
  await owner.auth.logout({})
  socket.send('{"protocol":"json","version":1}\x1e')
  await closed
})
