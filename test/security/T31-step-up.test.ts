import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ApiError } from '../../shared/contract/client.ts'
import { manualClock } from '../support/clock.ts'
import { beginRequest } from '../support/late-request.ts'
import { addServerAccount, addUser } from '../support/people.ts'
import { account, integrator, serverForFile, type Member } from '../support/server.ts'
import { appCode, enableTwoFactor } from '../support/totp.ts'
import { declared } from '../surface/routes.ts'

const minute = 60_000
const clock = manualClock()
const next = 'Newer-Horse-8'
let owner: Member

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' }, clock })
beforeAll(async () => {
  owner = await server.owner()
})
beforeEach(() => clock.advance(minute))

/** Creates a user whose proof expires right now. */
async function signedInLongAgo(email: string = account.email) {
  const member = await server.signIn({ email })
  member.provesWith = undefined
  clock.advance(10 * minute)
  return member
}

const asked = { status: 403, problem: { code: 'reauthentication-required', title: 'Forbidden' } }

const works: Record<string, (by: Member) => Promise<unknown>> = {
  'changing the password': (by) =>
    by.auth.changePassword({ body: { currentPassword: account.password, newPassword: next } }),
  'changing the password at the stock endpoint': (by) =>
    by.identity.changeInfo({ body: { oldPassword: account.password, newPassword: next } }),
  'changing the address': (by) => by.identity.changeInfo({ body: { newEmail: 'mallory@example.org' } }),
  'setting up a second factor': (by) => by.identity.manageTwoFactor({ body: {} }),
  'new recovery codes': (by) => by.identity.manageTwoFactor({ body: { resetRecoveryCodes: true } }),
  'settings of backups': (by) =>
    by.applianceBackup.changeSettings({
      body: { folder: null, hour: 2, keepDaily: 7, keepWeekly: 4, keepMonthly: 6 },
    }),
  'a recovery key': (by) => by.applianceBackup.makeRecoveryKey({}),
  'a personal token': (by) => by.personalAccessTokens.create({ tenantId: by.tenantId, body: { name: 'mine' } }),
  'a personal token at the older address': async (by) => {
    const response = await by.fetch('/api/personal-access-tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"mine"}',
    })
    if (!response.ok) {
      throw new ApiError(response.status, (await response.json()) as ApiError['problem'])
    }
  },
  'a personal token for somebody else': (by) =>
    by.userPersonalAccessTokens.create({
      tenantId: by.tenantId,
      params: { userId: by.user.id },
      body: { name: 'theirs' },
    }),
  'a key of a service account': async (by) => {
    const { id: serviceAccountId } = await by.serverServiceAccounts.create({
      body: { name: randomUUID(), accessMode: 'Restricted' },
    })
    await by.serverServiceAccounts.createCredential({ params: { serviceAccountId }, body: { name: 'key' } })
  },
  'a temporary password for somebody else': async (by) => {
    const { user } = await addUser(server, owner)
    await by.users.resetPassword({ tenantId: by.tenantId, params: { userId: user.id } })
  },
}

describe.each(Object.entries(works))('%s', (_, work) => {
  test('is refused to a session whose last proof is older than ten minutes, and works after a proof', async () => {
    const member = await signedInLongAgo()
    clock.advance(1)
    await expect(work(member)).rejects.toMatchObject(asked)
    await member.applianceSession.prove({ body: { password: account.password } })
    await work(member)
    owner = await server.signIn({ password: await passwordNow() })
    await restorePassword()
  })
})

/** Password of the owner, which some of the operations change. */
const passwordNow = async () => {
  const { user } = await server.visitor().applianceSession.signIn({ body: account })
  return user ? account.password : next
}

async function restorePassword() {
  if ((await passwordNow()) === next) {
    await owner.auth.changePassword({ body: { currentPassword: next, newPassword: account.password } })
  }
}

test('exactly these routes ask for a recent proof', () => {
  const asking = declared.filter(({ definition }) => definition.recentProof)
  expect(asking.map(({ definition: { method, path } }) => `${method} ${path}`).toSorted()).toEqual([
    'DELETE /api/appliance/v1/account/external-logins/:loginId',
    'DELETE /api/appliance/v1/account/passkeys/:passkeyId',
    'DELETE /api/appliance/v1/account/two-factor',
    'DELETE /api/appliance/v1/network/certificate',
    'PATCH /api/appliance/v1/server/settings',
    'POST /api/appliance/v1/account/access-tokens',
    'POST /api/appliance/v1/account/email',
    'POST /api/appliance/v1/account/passkeys',
    'POST /api/appliance/v1/account/passkeys/options',
    'POST /api/appliance/v1/account/providers/:place',
    'POST /api/appliance/v1/account/providers/:place/answer',
    'POST /api/appliance/v1/account/two-factor',
    'POST /api/appliance/v1/account/two-factor/recovery-codes',
    'POST /api/appliance/v1/account/two-factor/setup',
    'POST /api/appliance/v1/agent-releases/:build/step-back',
    'POST /api/appliance/v1/agent-releases/key/rotation',
    'POST /api/appliance/v1/backup/recovery-key',
    'POST /api/appliance/v1/backup/recovery-key/proof',
    'POST /api/appliance/v1/backup/restorations',
    'POST /api/appliance/v1/notifications/methods',
    'POST /api/appliance/v1/people/:userId/remove-other-ways-in',
    'POST /api/appliance/v1/server/decommission',
    'POST /api/appliance/v1/updates/back',
    'POST /api/appliance/v1/updates/install',
    'POST /api/appliance/v1/users/:userId/disable-two-factor',
    'POST /api/appliance/v1/webhooks',
    'POST /api/appliance/v1/webhooks/:webhookId/secret',
    'POST /api/auth/change-password',
    'POST /api/auth/manage/2fa',
    'POST /api/auth/manage/info',
    'POST /api/personal-access-tokens',
    'POST /api/users/:userId/personal-access-tokens',
    'POST /api/users/:userId/reset-password',
    'POST /api/v1/personal-access-tokens',
    'POST /api/v1/server-service-accounts/:serviceAccountId/credentials',
    'POST /api/v1/tenant-service-accounts/:tenantId/:serviceAccountId/credentials',
    'POST /api/v1/users/:userId/personal-access-tokens',
    'POST /api/v1/users/:userId/reset-password',
    'PUT /api/appliance/v1/backup/settings',
    'PUT /api/appliance/v1/network',
    'PUT /api/appliance/v1/network/certificate',
    'PUT /api/appliance/v1/second-factor-rule',
    'PUT /api/appliance/v1/webhooks/:webhookId',
  ])
})

test('ten minutes after signing in, a session still counts as proved', async () => {
  const member = await signedInLongAgo()
  await member.personalAccessTokens.create({ tenantId: member.tenantId, body: { name: 'mine' } })
})

test('bearer tokens, personal tokens and service accounts need no recent proof', async () => {
  const { tenantId } = owner
  const { accessToken } = (await owner.identity.login({ query: {}, body: account }))!
  const { plainTextToken } = await owner.personalAccessTokens.create({ tenantId, body: { name: 'mine' } })
  const { key } = await addServerAccount(owner)
  clock.advance(11 * minute)
  const body = { name: 'another', permissionMode: 'Restricted' as const }
  const headersOf: Record<string, string>[] = [
    { authorization: `Bearer ${accessToken}` },
    { 'x-personal-token': plainTextToken },
  ]
  for (const headers of headersOf) {
    await integrator(server.url, headers).personalAccessTokens.create({ tenantId, body })
  }
  const params = { userId: owner.user.id }
  await integrator(server.url, { 'x-api-key': key }).userPersonalAccessTokens.create({ tenantId, params, body })
})

describe('a proof', () => {
  test('lasts ten minutes, for its session alone, also over a restart', async () => {
    const [member, other] = [await signedInLongAgo(), await signedInLongAgo()]
    clock.advance(1)
    await member.applianceSession.prove({ body: { password: account.password } })
    await server.restart()
    clock.advance(10 * minute)
    const create = (by: Member) => by.personalAccessTokens.create({ tenantId: by.tenantId, body: { name: 'mine' } })
    await create(member)
    await expect(create(other)).rejects.toMatchObject(asked)
    clock.advance(1)
    await expect(create(member)).rejects.toMatchObject(asked)
  })

  test('by a code of the app or a recovery code is accepted once', async () => {
    const { user } = await addUser(server, owner)
    const person = await server.signIn({ email: user.email })
    const { sharedKey, recoveryCodes } = await enableTwoFactor(person, clock)
    clock.advance(11 * minute)
    const look = () => person.identity.manageTwoFactor({ body: {} })
    person.provesWith = undefined
    await expect(look()).rejects.toMatchObject(asked)
    const code = { twoFactorCode: appCode(sharedKey, clock) }
    await person.applianceSession.prove({ body: code })
    // After the setup, the secret is not shown again.
    expect(await look()).toMatchObject({ sharedKey: '', isTwoFactorEnabled: true, recoveryCodesLeft: 10 })
    await expect(person.applianceSession.prove({ body: code })).rejects.toMatchObject({ status: 400 })
    clock.advance(11 * minute)
    await person.applianceSession.prove({ body: { twoFactorRecoveryCode: recoveryCodes[0] } })
    expect(await look()).toMatchObject({ recoveryCodesLeft: 9 })
  })

  test('by a code needs a second factor that is in use, and without any answer it is none', async () => {
    const { user } = await addUser(server, owner)
    const person = await server.signIn({ email: user.email })
    const { sharedKey } = await person.identity.manageTwoFactor({ body: {} })
    const prove = (body: object) => person.applianceSession.prove({ body })
    await expect(prove({ twoFactorCode: appCode(sharedKey, clock) })).rejects.toMatchObject({ status: 400 })
    await expect(prove({})).rejects.toMatchObject({ status: 400 })
  })

  test('allows five wrong answers, which end no session and lock no other user', async () => {
    const member = await signedInLongAgo()
    const prove = (password: string) => member.applianceSession.prove({ body: { password } })
    for (let count = 0; count < 4; count++) {
      await expect(prove('Wrong-Horse-7')).rejects.toMatchObject({ status: 400, message: 'password is wrong' })
    }
    for (const password of ['Wrong-Horse-7', account.password]) {
      await expect(prove(password)).rejects.toMatchObject({ message: expect.stringContaining('too often') })
    }
    expect(await member.auth.me({})).toMatchObject({ email: account.email })
    owner = await server.signIn()
    clock.advance(5 * minute)
    await prove(account.password)
  })

  test('is for sessions of people who signed in', async () => {
    const { accessToken } = (await owner.identity.login({ query: {}, body: account }))!
    const client = integrator(server.url, { authorization: `Bearer ${accessToken}` })
    const { password } = account
    await expect(client.applianceSession.prove({ body: { password } })).rejects.toMatchObject({ status: 400 })
    await expect(server.visitor().applianceSession.prove({ body: { password } })).rejects.toMatchObject({ status: 401 })
  })
})

test("a secret that is being set up is shown only after a proof of the user's identity", async () => {
  const { user } = await addUser(server, owner)
  const person = await server.signIn({ email: user.email })
  const { sharedKey } = await person.identity.manageTwoFactor({ body: {} })
  expect(await person.identity.manageTwoFactor({ body: {} })).toMatchObject({ sharedKey })
  clock.advance(11 * minute)
  person.provesWith = undefined
  await expect(person.identity.manageTwoFactor({ body: {} })).rejects.toMatchObject(asked)
})

test('a request whose body ends after the proof became too old is asked for another one', async () => {
  const { user } = await addUser(server, owner)
  const { headers, tenantId } = await server.signIn({ email: user.email })
  const request = await beginRequest(server.url, {
    start: `POST /api/v1/personal-access-tokens?tenantId=${tenantId}`,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: Buffer.from('{"name":"late"}'),
  })
  clock.advance(11 * minute)
  expect(await request.finish()).toBe(403)
})
