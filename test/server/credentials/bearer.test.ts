import { beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { connectViewer, webSocketsOnly } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { addMember } from '../../support/people.ts'
import { account, integrator, ownerForFile, serverForFile, useTestServer } from '../../support/server.ts'

const minute = 60_000
const clock = manualClock()
const bearerLogin = { AppOptions__EnableInteractiveBearerLogin: 'true' }

const server = serverForFile({ settings: bearerLogin, clock })
const owner = ownerForFile(server)
beforeEach(() => clock.advance(minute))

async function tokensOf(email = account.email) {
  const tokens = await server.visitor().identity.login({ query: {}, body: { email, password: account.password } })
  return tokens!
}

const statusWith = async (headers: Record<string, string>, path = '/api/auth/me') =>
  (await server.visitor().fetch(path, { headers })).status

/** A viewer connection without a cookie, with the headers of the test. */
const viewerWith = (headers: Record<string, string>) =>
  connectViewer(server.visitor(), { ...webSocketsOnly, headers: { cookie: '', ...headers } })

describe('an access token', () => {
  test('authenticates routes as its user, with the rights of the user', async () => {
    const { accessToken } = await tokensOf()
    expect(accessToken).toMatch(/^[\w.-]+$/)
    const client = integrator(server.url, { authorization: `Bearer ${accessToken}` })
    expect(await client.auth.me({})).toMatchObject({ id: owner.user.id })
    expect((await client.users.list({ tenantId: owner.tenantId })).items).toHaveLength(1)
    const member = await addMember(server, owner.tenantId, [])
    const { accessToken: weak } = await tokensOf(member.user.email)
    const powerless = integrator(server.url, { authorization: `bearer ${weak}` })
    await expect(powerless.users.list({ tenantId: owner.tenantId })).rejects.toMatchObject({ status: 403 })
  })

  test('authenticates the hub as its user when sent in the header', async () => {
    const { accessToken } = await tokensOf()
    const viewer = await viewerWith({ authorization: `Bearer ${accessToken}` })
    expect((await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).isSuccess).toBe(true)
    expect(await owner.auth.me({})).toMatchObject({ isOnline: true })
  })

  test.each(['access_token', 'accessToken', 'token'])('is ignored as %s in an address', async (name) => {
    const { accessToken } = await tokensOf()
    expect(await statusWith({}, `/api/auth/me?${name}=${accessToken}`)).toBe(401)
    expect(await statusWith({}, `/hubs/viewer?${name}=${accessToken}`)).toBe(401)
  })

  test('works for an hour', async () => {
    const { accessToken } = await tokensOf()
    const headers = { authorization: `Bearer ${accessToken}` }
    clock.advance(60 * minute - 1)
    expect(await statusWith(headers)).toBe(200)
    clock.advance(1)
    expect(await statusWith(headers)).toBe(401)
  })

  test('that expires closes its connection within a minute, and calls before that have no effect', async () => {
    const { accessToken } = await tokensOf()
    const viewer = await viewerWith({ authorization: `Bearer ${accessToken}` })
    clock.advance(59 * minute)
    await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [] })
    clock.advance(minute)
    await viewer.closed
  })

  test('stays valid over a restart, but not after its user is deleted', async () => {
    const member = await addMember(server, owner.tenantId, [])
    const { accessToken, refreshToken } = await tokensOf(member.user.email)
    const headers = { authorization: `Bearer ${accessToken}` }
    await server.restart()
    expect(await statusWith(headers)).toBe(200)
    const viewer = await viewerWith(headers)
    const boss = await server.signIn()
    await boss.users.delete({ tenantId: owner.tenantId, params: { userId: member.user.id } })
    await viewer.closed
    expect(await statusWith(headers)).toBe(401)
    const refresh = server.visitor().identity.refresh({ body: { refreshToken } })
    await expect(refresh).rejects.toMatchObject({ status: 401 })
  })

  test('is invalid after a password change, and its connections are closed', async () => {
    const member = await addMember(server, owner.tenantId, [])
    const { accessToken, refreshToken } = await tokensOf(member.user.email)
    const headers = { authorization: `Bearer ${accessToken}` }
    const viewer = await viewerWith(headers)
    await member.auth.changePassword({ body: { currentPassword: account.password, newPassword: 'Newer-Horse-8' } })
    await viewer.closed
    expect(await statusWith(headers)).toBe(401)
    const refresh = server.visitor().identity.refresh({ body: { refreshToken } })
    await expect(refresh).rejects.toMatchObject({ status: 401 })
  })
})

describe('an invalid access token', () => {
  test('is 401 where a route needs a principal, and anonymous where it does not', async () => {
    const { accessToken, refreshToken } = await tokensOf()
    const changed = accessToken.slice(0, -6) + 'AAAAAA'
    for (const token of ['', 'nonsense', 'a b', changed, refreshToken, `${accessToken}.`]) {
      expect([token, await statusWith({ authorization: `Bearer ${token}` })]).toEqual([token, 401])
    }
    expect(await statusWith({ authorization: 'Bearer x' }, '/api/v1/public-server-settings')).toBe(200)
    await expect(viewerWith({ authorization: 'Bearer x' })).rejects.toThrow('WebSocket')
  })

  test('is not replaced by a valid cookie in the same request', async () => {
    const response = await owner.fetch('/api/auth/me', { headers: { authorization: 'Bearer x' } })
    expect(response.status).toBe(401)
    const basic = await (await server.signIn()).fetch('/api/auth/me', { headers: { authorization: 'Basic x' } })
    expect(basic.status).toBe(200)
  })

  test('is tried before a personal access token and a key', async () => {
    const { accessToken } = await tokensOf()
    const keys = { 'x-personal-token': 'x', 'x-api-key': 'x' }
    expect(await statusWith({ ...keys, authorization: `Bearer ${accessToken}` })).toBe(200)
  })
})

describe('a refresh token', () => {
  const refresh = (refreshToken: string) => server.visitor().identity.refresh({ body: { refreshToken } })

  test('works once, and returns the next refresh token', async () => {
    const first = await tokensOf()
    const second = await refresh(first.refreshToken)
    const third = await refresh(second.refreshToken)
    expect(await statusWith({ authorization: `Bearer ${third.accessToken}` })).toBe(200)
    await server.restart()
    expect(await refresh(third.refreshToken)).toMatchObject({ tokenType: 'Bearer' })
  })

  test('that is reused revokes all tokens and connections of its sign-in, and nothing else', async () => {
    const [stolen, other] = [await tokensOf(), await tokensOf()]
    const next = await refresh(stolen.refreshToken)
    const viewer = await viewerWith({ authorization: `Bearer ${next.accessToken}` })
    await expect(refresh(stolen.refreshToken)).rejects.toMatchObject({ status: 401 })
    await viewer.closed
    for (const { accessToken } of [stolen, next]) {
      expect(await statusWith({ authorization: `Bearer ${accessToken}` })).toBe(401)
    }
    await expect(refresh(next.refreshToken)).rejects.toMatchObject({ status: 401 })
    expect(await statusWith({ authorization: `Bearer ${other.accessToken}` })).toBe(200)
  })

  test('used many times at once returns tokens at most once', async () => {
    const { refreshToken } = await tokensOf()
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => refresh(refreshToken)))
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
  })

  test('is revoked with its access tokens by signing out', async () => {
    const [ended, other] = [await tokensOf(), await tokensOf()]
    const client = integrator(server.url, { authorization: `Bearer ${ended.accessToken}` })
    const viewer = await viewerWith({ authorization: `Bearer ${ended.accessToken}` })
    await client.auth.logout({})
    await viewer.closed
    expect(await statusWith({ authorization: `Bearer ${ended.accessToken}` })).toBe(401)
    await expect(refresh(ended.refreshToken)).rejects.toMatchObject({ status: 401 })
    expect(await refresh(other.refreshToken)).toMatchObject({ tokenType: 'Bearer' })
  })
})

test.runIf(isNight)('token lifetimes come from the configuration', async () => {
  const time = manualClock()
  const short = await useTestServer({
    clock: time,
    settings: {
      ...bearerLogin,
      AppOptions__InteractiveBearerTokenExpirationMinutes: '5',
      AppOptions__InteractiveRefreshTokenExpirationDays: '2',
    },
  })
  const visitor = await short.owner()
  const { tokens } = await visitor.auth.interactiveLogin({ body: account })
  expect(tokens!.expiresInSeconds).toBe(300)
  time.advance(5 * minute)
  const client = integrator(short.url, { authorization: `Bearer ${tokens!.accessToken}` })
  await expect(client.auth.me({})).rejects.toMatchObject({ status: 401 })
  time.advance(2 * 24 * 60 * minute - 5 * minute - 1)
  const { refreshToken } = tokens!
  expect(await visitor.identity.refresh({ body: { refreshToken } })).toMatchObject({ expiresIn: 300 })
  time.advance(1)
  await expect(visitor.identity.refresh({ body: { refreshToken } })).rejects.toMatchObject({ status: 401 })
})

test('while bearer login is off, a token is ignored and the cookie beside it counts', async () => {
  const { accessToken } = await tokensOf()
  const off = await useTestServer()
  const visitor = await off.owner()
  const headers = { authorization: `Bearer ${accessToken}` }
  expect((await off.visitor().fetch('/api/auth/me', { headers })).status).toBe(401)
  expect((await visitor.fetch('/api/auth/me', { headers })).status).toBe(200)
})
