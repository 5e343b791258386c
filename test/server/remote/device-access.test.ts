import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { readKey } from '../../../server/credentials/key-format.ts'
import type { DevicePermission } from '../../../shared/access.ts'
import { enroll, type TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { ownerForFile, serverForFile, useTestServer, Visitor } from '../../support/server.ts'

const minute = 60_000
const clock = manualClock()
let device: TestAgent
let otherDevice: TestAgent

const server = serverForFile({ clock })
const owner = ownerForFile(server)
beforeAll(async () => {
  device = await enroll(owner)
  otherDevice = await enroll(owner)
})

interface LinkOptions {
  on?: TestAgent
  expirationMinutes?: number
  permissions?: DevicePermission[]
  allowedDesktopSessionIds?: number[]
}

const newLink = ({ on = device, ...options }: LinkOptions = {}) =>
  owner.logonTokens.createForExternalUser({
    body: { tenantId: owner.tenantId, deviceId: on.id, userCorrelationId: 'crm-7', ...options },
  })

/** Opens a link like a browser, whose page redeems it. */
async function open(link: string) {
  const visitor = new Visitor(server.url)
  const response = await visitor.openLink(link)
  return { visitor, response }
}

/** Opens a link like a program, or a browser without our page. */
const follow = (visitor: Visitor, link: string, headers: Record<string, string> = {}) =>
  visitor.fetch(link, { redirect: 'manual', headers })

const locationOf = (response: Response) => response.headers.get('location')

const pathTo = (deviceId: string, logonToken: string) => `/device-access?deviceId=${deviceId}&logonToken=${logonToken}`

describe('a link', () => {
  test('signs a program in and redirects it to the device, without the token in the address', async () => {
    clock.advance(minute)
    const { deviceAccessUrl, token } = await newLink()
    const visitor = new Visitor(server.url)
    const response = await follow(visitor, deviceAccessUrl)
    expect([response.status, locationOf(response)]).toEqual([303, `/devices/${device.id}`])
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const [cookie] = response.headers.getSetCookie()
    expect(cookie).toContain('; Path=/; HttpOnly; SameSite=Lax')
    // The cookie ends with the browser, and the session with the link.
    expect(cookie).not.toContain('Max-Age')
    const me = await visitor.auth.me({})
    expect(me).toMatchObject({ userName: 'ext-crm-7', tenantId: owner.tenantId })
    expect(JSON.stringify(server.log.lines)).not.toContain(token.split(':')[1])
    const used = server.log.lines.findLast(({ message }) => message === 'A logon token was used.')!
    expect(used.fields).toMatchObject({ actor: { type: 'user', id: me.id }, deviceId: device.id })
    await server.whileStopped(async (_, models) => {
      const user = await models.User.findByPk(me.id, { rejectOnEmpty: true })
      expect(user.get('lastLogin')).toBe(clock.now())
    })
  })

  test('works once: of twenty simultaneous uses exactly one signs in', async () => {
    const { deviceAccessUrl } = await newLink()
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(deviceAccessUrl)))
    const counts = Object.groupBy(answers, ({ response }) => response.status)
    expect([counts[204]?.length, counts[401]?.length]).toEqual([1, 19])
    expect((await open(deviceAccessUrl)).response.status).toBe(401)
  })

  test('is not used up by another device, a wrong secret or a HEAD request', async () => {
    const { deviceAccessUrl, token } = await newLink()
    const madeUp = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
    for (const path of [pathTo(otherDevice.id, token), pathTo(device.id, madeUp), pathTo(randomUUID(), token)]) {
      expect((await open(path)).response.status).toBe(401)
    }
    const ahead = await owner.fetch(deviceAccessUrl, { method: 'HEAD' })
    expect([ahead.status, ahead.headers.get('allow')]).toEqual([405, 'GET, POST'])
    expect((await open(deviceAccessUrl)).response.status).toBe(204)
  })

  test('stays unused or used over a restart', async () => {
    const [unused, used] = [await newLink(), await newLink()]
    await open(used.deviceAccessUrl)
    await server.restart()
    expect((await open(used.deviceAccessUrl)).response.status).toBe(401)
    expect((await open(unused.deviceAccessUrl)).response.status).toBe(204)
  })

  test('stops working at its expiration', async () => {
    const { deviceAccessUrl } = await newLink({ expirationMinutes: 1 })
    clock.advance(minute)
    expect((await open(deviceAccessUrl)).response.status).toBe(401)
  })

  test('is accepted in any letter case of its path and parameters', async () => {
    const { token } = await newLink()
    const path = `/Device-Access/?LOGONTOKEN=${encodeURIComponent(token)}&deviceid=${device.id.toUpperCase()}`
    const response = await follow(new Visitor(server.url), path)
    expect([response.status, locationOf(response)]).toEqual([303, `/devices/${device.id}`])
  })

  test('is not used up by a browser or a link checker that reads the page, nor by a page without a key', async () => {
    const { deviceAccessUrl, token } = await newLink()
    const checker = new Visitor(server.url)
    const response = await follow(checker, deviceAccessUrl, { accept: 'text/html,*/*;q=0.8' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect([await response.text(), checker.cookie]).toEqual([expect.not.stringContaining(token), undefined])
    const { status } = await checker.fetch(deviceAccessUrl, { method: 'POST' })
    expect(status).toBe(400)
    expect((await open(deviceAccessUrl)).response.status).toBe(204)
  })

  test('is given the address that invitations have', async () => {
    const everywhere = await useTestServer({ listenOn: 'https://0.0.0.0:0' })
    const admin = await everywhere.owner()
    const { id: deviceId } = await enroll(admin)
    const { inviteUrl } = await admin.invites.create({
      tenantId: admin.tenantId,
      body: { inviteeEmail: 'x@example.org' },
    })
    const { deviceAccessUrl } = await admin.logonTokens.createForExternalUser({
      body: { tenantId: admin.tenantId, deviceId, userCorrelationId: 'crm-7' },
    })
    expect(new URL(deviceAccessUrl).origin).toBe(new URL(inviteUrl).origin)
  })
})

test.each(["Siobhán O'Brien", 'Dr. Weber', 'Kim (Night shift)', '山田 太郎'])(
  'a guest called %s is called that, in the session and in the list of links',
  async (userDisplayName) => {
    const body = { tenantId: owner.tenantId, deviceId: device.id, userCorrelationId: randomUUID(), userDisplayName }
    const { visitor } = await open((await owner.logonTokens.createForExternalUser({ body })).deviceAccessUrl)
    expect((await visitor.applianceEntry.guest({})).guest).toMatchObject({ displayName: userDisplayName })
    const { items } = await owner.applianceShares.list({ query: {} })
    expect(items.map(({ forName }) => forName)).toContain(userDisplayName)
  },
)

describe('a link that does not work', () => {
  test('is answered with a problem as JSON', async () => {
    const { response } = await open(pathTo(device.id, 'x'))
    expect([response.status, response.headers.get('content-type')]).toEqual([401, 'application/problem+json'])
  })

  test.each([
    '/device-access?',
    '/device-access?deviceId=&logonToken=',
    '/device-access?deviceId=//evil.example',
    '/device-access/deeper?deviceId=1&logonToken=1',
  ])('%s', async (path) => {
    const { response } = await open(path)
    expect([response.status, locationOf(response)]).toEqual([401, null])
  })

  test('is refused whatever other credentials the request has', async () => {
    const path = pathTo(device.id, 'x')
    const response = await owner.fetch(path, { redirect: 'manual', headers: { 'x-api-key': 'malformed' } })
    expect(response.status).toBe(401)
  })
})

test('a signed-in user is redirected to the device without a token', async () => {
  const response = await follow(owner, `/device-access?deviceId=${device.id}`)
  expect([response.status, locationOf(response)]).toEqual([303, `/devices/${device.id}`])
})

describe('a link in the browser of a signed-in user', () => {
  test('is not followed before the user confirms, and the session continues', async () => {
    const [person, { deviceAccessUrl }] = [await server.signIn(), await newLink()]
    const { cookie } = person
    const response = await person.openLink(deviceAccessUrl)
    expect([response.status, response.headers.getSetCookie()]).toEqual([409, []])
    expect(person.cookie).toBe(cookie)
    expect(await person.auth.me({})).toMatchObject({ id: owner.user.id })
    expect((await open(deviceAccessUrl)).response.status).toBe(204)
  })

  test('is followed with the confirmation of the page, which ends their session', async () => {
    const [person, { deviceAccessUrl }] = [await server.signIn(), await newLink()]
    const { cookie } = person
    expect((await person.openLink(deviceAccessUrl, { endsSession: true })).status).toBe(204)
    expect(await person.auth.me({})).toMatchObject({ userName: 'ext-crm-7' })
    Object.assign(person, { cookie, pageKey: undefined })
    await expect(person.auth.me({})).rejects.toMatchObject({ status: 401 })
  })

  test('is not followed by another site, whatever it sends', async () => {
    const [person, { deviceAccessUrl }] = [await server.signIn(), await newLink()]
    for (const origin of ['https://evil.example', 'null']) {
      const response = await person.openLink(deviceAccessUrl, { headers: { origin }, endsSession: true })
      expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
    }
    expect(await person.auth.me({})).toMatchObject({ id: owner.user.id })
    expect((await open(deviceAccessUrl)).response.status).toBe(204)
  })

  test('is a conflict for a program, which cannot confirm', async () => {
    const [person, { deviceAccessUrl }] = [await server.signIn(), await newLink()]
    expect((await follow(person, `${deviceAccessUrl}&endsSession=true`)).status).toBe(409)
  })

  test('takes the place of the session of another link without asking', async () => {
    const [first, second] = [await newLink(), await newLink({ on: otherDevice })]
    const { visitor } = await open(first.deviceAccessUrl)
    expect((await visitor.openLink(second.deviceAccessUrl)).status).toBe(204)
    expect((await visitor.devices.list({})).map(({ id }) => id)).toEqual([otherDevice.id])
  })
})

test('the parameters of a link are ignored at any other address', async () => {
  const { token } = await newLink()
  for (const path of ['/api/auth/me', '/hubs/viewer/negotiate', '/devices']) {
    const visitor = new Visitor(server.url)
    await visitor.fetch(`${path}?deviceId=${device.id}&logonToken=${token}`)
    expect(visitor.cookie).toBeUndefined()
  }
  expect((await open(pathTo(device.id, token))).response.status).toBe(204)
})

test('a request with a foreign host name is refused', async () => {
  const { token } = await newLink()
  const { status } = await rawRequest(server.url, pathTo(device.id, token), { headers: { host: 'evil.example' } })
  expect(status).toBe(421)
  expect((await open(pathTo(device.id, token))).response.status).toBe(204)
})

describe('the session behind a link', () => {
  const opened = async (options: LinkOptions = {}) => (await open((await newLink(options)).deviceAccessUrl)).visitor

  const idsSeenBy = async (visitor: Visitor) => (await visitor.devices.list({})).map(({ id }) => id)

  test('may see its device and do there what the link permits', async () => {
    const visitor = await opened({ permissions: ['device.read', 'device.alias.write'] })
    expect(await idsSeenBy(visitor)).toEqual([device.id])
    expect((await visitor.applianceStatus.permissions({})).items).toEqual(['device.alias.write', 'device.read'])
    await visitor.devices.setAlias({ params: { deviceId: device.id }, body: { alias: 'Cellar' } })
    const refusals = [
      [() => visitor.devices.delete({ params: { deviceId: device.id } }), 403],
      [() => visitor.devices.get({ params: { deviceId: otherDevice.id } }), 404],
      [() => visitor.installerKeys.list({ tenantId: owner.tenantId }), 403],
      [() => visitor.serverStats.get({}), 403],
    ] as const
    for (const [ask, status] of refusals) {
      await expect(ask()).rejects.toMatchObject({ status })
    }
  })

  test('has none of the rights of its user', async () => {
    const body = { tenantId: owner.tenantId, deviceId: device.id, userId: owner.user.id }
    const { visitor } = await open((await owner.logonTokens.createForUser({ body })).deviceAccessUrl)
    expect((await visitor.auth.me({})).id).toBe(owner.user.id)
    expect(await idsSeenBy(visitor)).toEqual([device.id])
    await expect(visitor.installerKeys.list({ tenantId: owner.tenantId })).rejects.toMatchObject({ status: 403 })
  })

  test('loses a removed right at once', async () => {
    const { deviceAccessUrl, token } = await newLink({ permissions: ['device.read', 'device.alias.write'] })
    const { visitor } = await open(deviceAccessUrl)
    const { tenantId, permissionAssignments } = owner
    const query = { principalKind: 'LogonToken', principalId: readKey(token)!.id } as const
    const { items } = await permissionAssignments.list({ tenantId, query })
    const { id: assignmentId } = items.find(({ permissionName }) => permissionName === 'device.alias.write')!
    await permissionAssignments.delete({ tenantId, params: { assignmentId } })
    const change = { params: { deviceId: device.id }, body: { alias: 'Attic' } }
    await expect(visitor.devices.setAlias(change)).rejects.toMatchObject({ status: 403 })
    expect(await idsSeenBy(visitor)).toEqual([device.id])
  })

  test('cannot create another link', async () => {
    const visitor = await opened({ permissions: ['device.read', 'device.logon-token.create'] })
    const body = { tenantId: owner.tenantId, deviceId: device.id, userCorrelationId: 'crm-7', expirationMinutes: 1440 }
    await expect(visitor.logonTokens.createForExternalUser({ body })).rejects.toMatchObject({ status: 403 })
  })

  test('keeps its limits over a restart', async () => {
    const visitor = await opened()
    await server.restart()
    expect(await idsSeenBy(visitor)).toEqual([device.id])
    await expect(
      visitor.devices.setAlias({ params: { deviceId: device.id }, body: { alias: 'x' } }),
    ).rejects.toMatchObject({ status: 403 })
  })

  test('ends with the lifetime of the link, however much it is used, together with its connections', async () => {
    const visitor = await opened({ expirationMinutes: 10 })
    const viewer = await connectViewer(visitor)
    for (let passed = 0; passed < 9; passed++) {
      clock.advance(minute)
      await visitor.auth.me({})
    }
    clock.advance(minute)
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
    await viewer.closed
  })

  test('ends when its device is deleted', async () => {
    const doomed = await enroll(owner)
    const visitor = await opened({ on: doomed })
    const viewer = await connectViewer(visitor)
    const unused = await newLink({ on: doomed })
    await owner.devices.delete({ params: { deviceId: doomed.id } })
    await viewer.closed
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
    expect((await open(unused.deviceAccessUrl)).response.status).toBe(401)
  })

  test('can be ended by signing out', async () => {
    const visitor = await opened()
    const { cookie } = visitor
    await visitor.auth.logout({})
    visitor.cookie = cookie
    await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
  })
})
