import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { enroll, type TestAgent } from '../support/agent.ts'
import { addMember } from '../support/people.ts'
import { account, integrator, ownerForFile, serverForFile, Visitor } from '../support/server.ts'

let device: TestAgent

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  device = await enroll(owner)
})

/** Creates a visitor and follows a link. */
async function follow(link: string): Promise<Visitor> {
  const visitor = new Visitor(server.url)
  await visitor.openLink(link)
  return visitor
}

const query = () => ({ tenantId: owner.tenantId })
const status = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: { status?: number }) => error.status,
  )

describe('a session of a link to one device', () => {
  test('cannot use what belongs to its user', async () => {
    await owner.userStorage.set({ ...query(), body: { key: 'notes', value: 'private' } })
    const technician = await addMember(server, owner.tenantId, ['device.read', 'device.logon-token.create'])
    const { deviceAccessUrl } = await technician.logonTokens.createForUser({
      body: { tenantId: owner.tenantId, deviceId: device.id, userId: owner.user.id },
    })
    const visitor = await follow(deviceAccessUrl)
    expect((await visitor.devices.get({ params: { deviceId: device.id } })).id).toBe(device.id)
    const calls = [
      visitor.userStorage.get({ ...query(), params: { key: 'notes' } }),
      visitor.userStorage.set({ ...query(), body: { key: 'notes', value: 'mine' } }),
      visitor.userStorage.delete({ ...query(), params: { key: 'notes' } }),
      visitor.userPreferences.getAll({ ...query() }),
      visitor.userPreferences.set({ ...query(), body: { name: 'user-display-name', value: 'Eve' } }),
    ]
    expect(await Promise.all(calls.map(status))).toEqual([403, 403, 403, 403, 403])
    expect(await owner.userStorage.get({ ...query(), params: { key: 'notes' } })).toMatchObject({ value: 'private' })
  })

  test('of a transient user can use what belongs to that user', async () => {
    const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
      body: { tenantId: owner.tenantId, deviceId: device.id, userCorrelationId: 'crm-1' },
    })
    const visitor = await follow(deviceAccessUrl)
    expect(await status(visitor.userStorage.set({ ...query(), body: { key: 'a', value: 'b' } }))).toBe(200)
  })
})

test('an accepted invite ends everything issued to the waiting account', async () => {
  const email = `${randomUUID()}@example.org`
  const { inviteUrl } = await owner.invites.create({ ...query(), body: { inviteeEmail: email } })
  const { items } = await owner.users.list(query())
  const userId = items.find((user) => user.email === email)!.id
  const { plainTextToken } = await owner.userPersonalAccessTokens.create({
    ...query(),
    params: { userId },
    body: { name: 'kept by the one who invited' },
  })
  const link = await owner.logonTokens.createForUser({
    body: { tenantId: owner.tenantId, deviceId: device.id, userId },
  })
  const visitor = await follow(link.deviceAccessUrl)
  const token = integrator(server.url, { 'x-personal-token': plainTextToken })
  expect([await status(visitor.auth.me({})), await status(token.auth.me({}))]).toEqual([200, 200])

  const activationCode = inviteUrl.split('/').at(-1)!
  const invitee = server.visitor()
  await invitee.inviteAcceptance.accept({ body: { activationCode, email, password: account.password } })
  expect(await status(invitee.auth.me({}))).toBe(200)
  expect([await status(visitor.auth.me({})), await status(token.auth.me({}))]).toEqual([401, 401])
})

test('a token cannot reset the password of its owner', async () => {
  const member = await addMember(server, owner.tenantId, ['tenant.users.write', 'personal-access-token.self.write'])
  const { plainTextToken } = await member.personalAccessTokens.create({ ...query(), body: { name: 'bot' } })
  const token = integrator(server.url, { 'x-personal-token': plainTextToken })
  const reset = token.users.resetPassword({ ...query(), params: { userId: member.user.id } })
  expect(await status(reset)).toBe(403)
})

test('addresses lock in any letter case, whether they are known or not (T12)', async () => {
  const lastAnswer = async (name: string) => {
    const visitor = server.visitor()
    const attempt = (email: string) =>
      visitor.fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'Wrong-Horse-7' }),
      })
    for (let n = 0; n < 5; n++) {
      await attempt(name.toUpperCase())
    }
    return ((await (await attempt(name)).json()) as { detail: string }).detail
  }
  const member = await addMember(server, owner.tenantId, [])
  expect([await lastAnswer(member.user.email), await lastAnswer('nobody@example.org')]).toEqual([
    'LockedOut',
    'LockedOut',
  ])
})

test.each(['http://[/device-access', 'http://a:99999/device-access'])(
  'an address like %s is refused, and its token not logged (T16)',
  async (address) => {
    const { hostname, port, host } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.end(`GET ${address}?deviceId=a&logonToken=b HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 4/)
    expect(JSON.stringify(server.log.lines)).not.toContain('logonToken=')
  },
)
