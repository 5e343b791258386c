import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import type { DevicePermission } from '../../shared/access.ts'
import { failure, success } from '../../shared/dtos/hub-result.ts'
import { connectViewer } from '../support/hub-client.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { account, ownerForFile, serverForFile, Visitor } from '../support/server.ts'

/* A guest of a link does at a device what the link says, and sees no work of others there. */

const server = serverForFile()
const owner = ownerForFile(server)
let agent: RecordingAgent
beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
})

interface Link {
  permissions?: DevicePermission[]
  allowedDesktopSessionIds?: number[]
}

async function guestOf({ permissions = ['device.read'], allowedDesktopSessionIds }: Link = {}) {
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
    body: {
      tenantId: owner.tenantId,
      deviceId: agent.id,
      userCorrelationId: randomUUID(),
      userDisplayName: 'Farhand Security',
      permissions,
      ...(allowedDesktopSessionIds && { allowedDesktopSessionIds }),
    },
  })
  const guest = new Visitor(server.url)
  await guest.openLink(deviceAccessUrl)
  return guest
}

test('a link to some desktops opens no VNC session, which may show any desktop; a link to all of them does', async () => {
  const permissions: DevicePermission[] = ['device.read', 'device.vnc-relay.connect']
  const vnc = async (link: Link) => {
    const viewer = await connectViewer(await guestOf({ permissions, ...link }))
    const { sessionId, responder: websocketUri } = makeTicket(server.url)
    return viewer.RequestVncSession2({ sessionId, websocketUri, deviceId: agent.id })
  }
  agent.reset()
  expect(await vnc({ allowedDesktopSessionIds: [2] })).toEqual(
    failure('The requested desktop session is not authorized.'),
  )
  expect(agent.told).toEqual([])
  expect(await vnc({})).toEqual(success)
})

test('a guest sees the tags of its device alone, and the others where the link permits to add them', async () => {
  const inTenant = { tenantId: owner.tenantId }
  const named = () => ({ ...inTenant, body: { name: randomUUID() } })
  const [own, other] = [await owner.tags.create(named()), await owner.tags.create(named())]
  await owner.deviceTags.add({ ...inTenant, body: { deviceId: agent.id, tagId: own.id } })
  const seenBy = async (guest: Visitor) => {
    const lists = [await guest.tags.list({ ...inTenant, query: {} }), await guest.applianceOrganization.tags({})]
    return lists.map(({ items }) => items.map(({ id }) => id).toSorted())
  }
  const guest = await guestOf()
  expect(await seenBy(guest)).toEqual([[own.id], [own.id]])
  expect((await guest.tags.get({ ...inTenant, params: { tagId: own.id } })).name).toBe(own.name)
  await expect(guest.tags.get({ ...inTenant, params: { tagId: other.id } })).rejects.toMatchObject({ status: 404 })
  const both = [own.id, other.id].toSorted()
  expect(await seenBy(await guestOf({ permissions: ['device.read', 'device.tags.write'] }))).toEqual([both, both])
})

test('a guest finds its device by the names that it may read, and cannot tell others from none', async () => {
  const inTenant = { tenantId: owner.tenantId }
  const add = async (deviceIds: string[]) => {
    const [tag, customer] = [randomUUID(), randomUUID()]
    const { id: tagId } = await owner.tags.create({ ...inTenant, body: { name: tag } })
    const { id: customerId } = await owner.customers.create({ ...inTenant, body: { name: customer } })
    for (const deviceId of deviceIds) {
      await owner.deviceTags.add({ ...inTenant, body: { deviceId, tagId } })
      await owner.customers.assignDevices({ ...inTenant, params: { customerId }, body: { deviceIds } })
    }
    return [`tag:${tag}`, `customer:${customer}`]
  }
  const [own, other, none] = [await add([agent.id]), await add([]), [`tag:${randomUUID()}`, `customer:${randomUUID()}`]]
  const guest = await guestOf()
  const reasons = async (by: Visitor, queries: string[]) => {
    const body = { sortDefinitions: [], page: 0, pageSize: 1 }
    const found = await Promise.all(queries.map((query) => by.applianceDeviceSearch.find({ body: { ...body, query } })))
    return found.map(({ items, problems }) => [items.length, ...problems.map(({ reason }) => reason)])
  }
  expect(await reasons(guest, [...own, ...other, ...none])).toEqual([[1], [1], ...Array(4).fill([0, 'unknown'])])
  expect(await reasons(owner, [...own, ...other])).toEqual([[1], [1], [0], [0]])
})

test('a guest sees its own sessions alone, and writes to no other viewer', async () => {
  const technician = await connectViewer(owner)
  await technician.CreateTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
  const [session] = (await owner.applianceRemoteSessions.list({})).items
  const guest = await guestOf({ permissions: ['device.read', 'device.terminal.use'] })
  expect((await guest.applianceRemoteSessions.list({})).items).toEqual([])
  await expect(
    guest.applianceRemoteSessions.message({ params: { sessionId: session!.id }, body: { text: 'Sign in again' } }),
  ).rejects.toMatchObject({ status: 404 })
  expect(technician.toasts).toEqual([])
  const own = await connectViewer(guest)
  await own.CreateTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
  const { items } = await guest.applianceRemoteSessions.list({})
  expect(items).toMatchObject([{ principalName: expect.stringMatching(/^Farhand Security/) }])
})

test('a guest reads no answers that the person at the device gave to others', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const answer = { subject: 'control', visitorId: owner.user.id, visitorName: account.email, person: 'desk', until }
  await agent.SendConsentAnswers({ standing: [answer as never], alwaysAsk: ['desk'] })
  const answersFor = async (by: Pick<Visitor, 'applianceConsent'>) =>
    (await by.applianceConsent.device({ params: { deviceId: agent.id } })).answers
  expect(await answersFor(owner)).toMatchObject({ standing: [{ person: 'desk' }], alwaysAsk: ['desk'] })
  expect(await answersFor(await guestOf())).toEqual({ standing: [], alwaysAsk: [] })
})
