import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addPasskey, pageMember } from '../../support/passkeys.ts'
import { addMember, addTenantAccount, addUser } from '../../support/people.ts'
import { integrator, serverForFile, type Member } from '../../support/server.ts'
import { enableTwoFactor } from '../../support/totp.ts'

const minute = 60_000
const clock = manualClock()
const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' }, clock })
let owner: Member
let tenantId: string
beforeAll(async () => {
  owner = await server.owner()
  tenantId = owner.tenantId
})
beforeEach(() => clock.advance(minute))

const rejected = { status: 403, problem: { code: 'second-factor-required' } }
const at = (ms: number) => new Date(ms).toISOString()
const require = (by: Member, requiredFrom: string | null) =>
  by.applianceOrganization.setSecondFactor({ tenantId: by.tenantId, body: { requiredFrom } })
const rule = (by: Member) => by.applianceOrganization.secondFactor({ tenantId: by.tenantId })
const missing = async (by: Member) => (await by.applianceStatus.permissions({})).missingSecondFactor
/** A request of everyday work. */
const work = (by: Pick<Member, 'devices'>) => by.devices.list({ tenantId, query: {} })

test('requiring a second factor is 409 for a person without one, and 403 without the right', async () => {
  const reader = await addMember(server, tenantId, ['tenant.settings.read'])
  owner = await server.signIn()
  await expect(require(owner, at(clock.now()))).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('no second factor yourself'),
  })
  await expect(require(reader, at(clock.now()))).rejects.toMatchObject({ status: 403 })
  expect(await rule(reader)).toEqual({ requiredFrom: null, peopleWithout: 2, names: [], accessTokens: 0 })
  expect(await rule(owner)).toMatchObject({ names: expect.arrayContaining([owner.user.email]) })
  expect(await missing(owner)).toBeNull()
})

describe('a required second factor', () => {
  let requiredFrom: string
  let careless: Member
  let token: ReturnType<typeof integrator>

  beforeAll(async () => {
    owner = await server.signIn()
    await enableTwoFactor(owner, clock)
    careless = await addUser(server, owner, ['Tenant Administrator'])
    const { plainTextToken } = await careless.personalAccessTokens.create({ tenantId, body: { name: 'nightly' } })
    token = integrator(server.url, { 'x-personal-token': plainTextToken })
    requiredFrom = at(clock.now() + 3 * minute)
    await require(owner, requiredFrom)
  })

  test('is announced before the date, with the people and tokens concerned', async () => {
    expect(await missing(careless)).toEqual({ requiredFrom, isRequired: false })
    expect(await missing(owner)).toBeNull()
    expect(await rule(owner)).toMatchObject({ requiredFrom, accessTokens: 1 })
    await work(careless)
    await work(token)
    const { items } = await owner.applianceAuditLog.list({ tenantId, query: {} })
    expect(items).toContainEqual(
      expect.objectContaining({
        kind: 'settings.tenant-changed',
        targetName: 'second-factor-required-from',
        details: { value: requiredFrom },
      }),
    )
  })

  test('stops requests, tokens and hub connections from the date on, until it is set up', async () => {
    const viewer = await connectViewer(careless)
    const closed = new Promise((resolve) => viewer.connection.onclose(resolve))
    const account = await addTenantAccount(owner, [])
    const feed = await careless.fetch('/api/appliance/v1/events', { headers: { accept: 'text/event-stream' } })
    clock.advance(3 * minute)
    await expect(work(careless)).rejects.toMatchObject(rejected)
    await expect(work(token)).rejects.toMatchObject(rejected)
    await expect(careless.personalAccessTokens.list({ tenantId })).rejects.toMatchObject(rejected)
    await closed
    expect(await feed.text()).toContain('retry:')
    await expect(connectViewer(careless)).rejects.toThrow('403')
    expect(await missing(careless)).toEqual({ requiredFrom, isRequired: true })
    expect(await careless.auth.me({})).toMatchObject({ email: careless.user.email })

    await work(owner)
    await work(account)

    await enableTwoFactor(careless, clock)
    expect(await missing(careless)).toBeNull()
    await work(careless)
    await work(token)
    await (await connectViewer(careless)).connection.stop()
    expect(await server.differences()).toEqual([])
  })

  test('is met by a passkey, and missing again after its removal', async () => {
    const { email } = (await addUser(server, owner)).user
    const member = await pageMember(server, email)
    await expect(work(member)).rejects.toMatchObject(rejected)
    const { id } = await addPasskey(member)
    await work(member)
    await member.appliancePasskeys.remove({ params: { passkeyId: id } })
    await expect(work(member)).rejects.toMatchObject(rejected)
    expect(await server.differences()).toEqual([])
  })

  test('is not asked of people without a password, whose provider decides', async () => {
    const member = await addUser(server, owner)
    await expect(work(member)).rejects.toMatchObject(rejected)
    await server.changeRow('users', member.user.id, 'passwordHash = NULL')
    await server.restart()
    await work(member)
  })

  test('does not touch another tenant', async () => {
    const other = await owner.tenants.create({ body: { name: 'Elsewhere' } })
    const stranger = await addMember(server, other.tenantId, ['tenant.settings.read'])
    expect(await rule(stranger)).toMatchObject({ requiredFrom: null, peopleWithout: 1 })
    await stranger.devices.list({ tenantId: other.tenantId, query: {} })
    await expect(stranger.applianceOrganization.secondFactor({ tenantId })).rejects.toMatchObject({ status: 403 })
  })

  test('is taken back', async () => {
    const member = await addUser(server, owner)
    await expect(work(member)).rejects.toMatchObject(rejected)
    await require(owner, null)
    await work(member)
  })
})
