import { beforeAll, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { addMember, createUser } from '../support/people.ts'
import { account, integrator, serverForFile, useTestServer, type Member } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'
import { appCode } from '../support/totp.ts'
import { steady } from '../support/until.ts'

const clock = manualClock()
const server = serverForFile({ clock, settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
let owner: Member

beforeAll(async () => {
  owner = await server.owner()
})

const self = () => ({ tenantId: owner.tenantId, params: { userId: owner.user.id } })

const changes: Record<string, (by: Member) => Promise<unknown>> = {
  'changing the address': (by) => by.applianceAccount.changeEmail({ body: { email: 'mallory@example.org' } }),
  'a key for an authenticator app': (by) => by.applianceAccount.setUpTwoFactor({}),
  'turning two-factor authentication on': (by) =>
    by.applianceAccount.enableTwoFactor({ body: { twoFactorCode: '123456' } }),
  'turning two-factor authentication off': (by) => by.applianceAccount.disableTwoFactor({}),
  'new recovery codes': (by) => by.applianceAccount.renewRecoveryCodes({}),
  'an access token': (by) => by.applianceAccount.createToken({ body: { name: 'mine' } }),
}

test.each(Object.entries(changes))('%s is rejected in a session without a recent proof', async (_, change) => {
  const stolen = await server.signIn()
  stolen.provesWith = undefined
  clock.advance(10 * 60_000 + 1)
  await expect(change(stolen)).rejects.toMatchObject({
    status: 403,
    problem: { code: 'reauthentication-required' },
  })
  expect(await stolen.applianceAccount.get({})).toMatchObject({ email: account.email, isTwoFactorEnabled: false })
})

test('an access token manages no account, not even one that may do whatever its owner may', async () => {
  const { plainTextToken } = await owner.applianceAccount.createToken({ body: { name: 'program' } })
  const program = integrator(server.url, { 'x-personal-token': plainTextToken }) as Member
  const reads: typeof changes = {
    reading: (by) => by.applianceAccount.get({}),
    'reading sign-ins': (by) => by.applianceAccount.listSignIns({}),
    'ending sign-ins': (by) => by.applianceAccount.endOtherSignIns({}),
    'reading sign-ins under People': (by) => by.appliancePeople.signIns(self()),
    'ending sign-ins under People': (by) => by.appliancePeople.endSignIns(self()),
    'removing other ways in under People': (by) => by.appliancePeople.removeOtherWaysIn(self()),
    'unlocking under People': (by) => by.appliancePeople.unlock(self()),
  }
  for (const change of Object.values({ ...changes, ...reads })) {
    await expect(change(program)).rejects.toMatchObject({ status: 403 })
  }
})

test('a user who asks for many mails to new addresses is limited', async () => {
  const server = await useTestServer()
  const { email } = await createUser(await server.owner(), { password: account.password })
  const member = await server.signIn({ email })
  const statuses = new Set<number>()
  for (let attempt = 0; attempt < 60; attempt++) {
    const body = { email: `victim-${attempt}@example.org` }
    const status = await member.applianceAccount.changeEmail({ body }).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
    statuses.add(status)
  }
  expect(statuses).toEqual(new Set([200, 429]))
})

test('T31: requests about two-factor authentication that wait while another changes it change nothing', async () => {
  const { tenantId } = owner
  const changed = { isTwoFactorEnabled: true, securityStamp: 'renewed' }
  const stateOf = ({ user }: Member) =>
    server.rows('SELECT isTwoFactorEnabled, twoFactorSecret FROM users WHERE id = ?', user.id)
  for (const [body, meanwhile, status] of [
    [{ resetSharedKey: true }, changed, 401],
    [{ resetRecoveryCodes: true }, changed, 401],
    [{ enable: true }, { twoFactorSecret: 'renewed' }, 409],
  ] as const) {
    const member = await addMember(server, tenantId, [])
    const { sharedKey } = await member.identity.manageTwoFactor({ body: {} })
    const { request } = await server.write(async (models, transaction) => {
      let isAnswered = false
      const twoFactorCode = appCode(sharedKey, clock)
      const request = statusOf(member.identity.manageTwoFactor({ body: { ...body, twoFactorCode } })).finally(
        () => (isAnswered = true),
      )
      await steady(() => isAnswered)
      await models.User.update(meanwhile, { where: { id: member.user.id }, transaction })
      return { request }
    })
    expect(await request).toBe(status)
    const isEnabled = 'isTwoFactorEnabled' in meanwhile ? 1 : 0
    const twoFactorSecret = 'twoFactorSecret' in meanwhile ? 'renewed' : expect.any(String)
    expect(await stateOf(member)).toEqual([{ isTwoFactorEnabled: isEnabled, twoFactorSecret }])
    expect(await server.rows('SELECT id FROM recovery_codes WHERE userId = ?', member.user.id)).toEqual([])
  }
})
