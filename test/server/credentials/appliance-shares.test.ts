import { afterEach, beforeAll, expect, test } from 'vitest'
import { enroll, type TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { addMember } from '../../support/people.ts'
import { serverForFile, type Member } from '../../support/server.ts'

const clock = manualClock()
const server = serverForFile({ clock })
let owner: Member
let reader: Member
let device: TestAgent
beforeAll(async () => {
  const { tenantId } = await server.owner()
  reader = await addMember(server, tenantId, ['device.read'])
  owner = await server.signIn()
  device = await enroll(owner)
})

const share = (name: string) =>
  owner.logonTokens.createForExternalUser({
    body: {
      tenantId: owner.tenantId,
      deviceId: device.id,
      userCorrelationId: `share-${name}`,
      userDisplayName: name,
      permissions: ['device.read', 'device.chat.send'],
      allowedDesktopSessionIds: [1],
    },
  })
const listed = async (by = owner, query = {}) => (await by.applianceShares.list({ query })).items
const end = (shareId: string, by = owner) => by.applianceShares.end({ params: { shareId } })

/** Opens a link as a program, and returns how it reads the device. */
async function open(url: string) {
  const { pathname, search } = new URL(url)
  const response = await fetch(server.url + pathname + search, { redirect: 'manual' })
  const cookie = response.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  return async () => (await fetch(`${server.url}/api/v1/devices/${device.id}`, { headers: { cookie } })).status
}

afterEach(async () => {
  for (const { id } of await listed()) {
    await end(id)
  }
})

test('a share is listed with its person, rights and end, and leaves the list when it expires', async () => {
  const chosen = { name: 'user-display-name', value: 'Ada Lovelace' }
  await owner.userPreferences.set({ tenantId: owner.tenantId, body: chosen })
  await share('Grace')
  const [found, ...more] = await listed()
  expect(more).toEqual([])
  expect(found).toMatchObject({
    deviceId: device.id,
    forName: 'Grace',
    isGuest: true,
    byName: 'Ada Lovelace',
    permissions: ['device.chat.send', 'device.read'],
    desktopSessionIds: [1],
    openedAt: null,
    expiresAt: new Date(clock.now() + 15 * 60_000).toISOString(),
  })
  expect(await listed(reader)).toEqual([])
  clock.advance(15 * 60_000)
  expect(await listed()).toEqual([])
})

test('ending a share ends its open session at once, with one entry in the audit log', async () => {
  const readDevice = await open((await share('Edith')).deviceAccessUrl)
  expect(await readDevice()).toBe(200)
  const [found] = await listed(owner, { deviceId: device.id })
  expect(found).toMatchObject({ forName: 'Edith', openedAt: expect.any(String) })
  const events = async () => (await owner.applianceAuditLog.list({ tenantId: owner.tenantId, query: {} })).items
  const [last] = await events()
  await expect(end(found!.id, reader)).rejects.toMatchObject({ status: 404 })
  await end(found!.id)
  expect(await readDevice()).toBe(401)
  const added = (await events()).filter(({ id }) => id > last!.id)
  expect(added.map(({ kind }) => kind)).toEqual(['credential.logon-token-ended'])
  expect(await listed()).toEqual([])
  await expect(end(found!.id)).rejects.toMatchObject({ status: 404 })
})

test('an unopened link works no more after its share was ended', async () => {
  const { deviceAccessUrl } = await share('Mary')
  const [found] = await listed()
  await end(found!.id)
  expect(await (await open(deviceAccessUrl))()).toBe(401)
})
