import { beforeAll, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { createUser } from '../support/people.ts'
import { account, integrator, serverForFile, useTestServer, type Member } from '../support/server.ts'

const clock = manualClock()
const server = serverForFile({ clock })
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
