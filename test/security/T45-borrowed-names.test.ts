import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { enroll, type TestAgent } from '../support/agent.ts'
import { addMember } from '../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile, Visitor, type Member } from '../support/server.ts'
import { callerOf, requestSession, requestTold } from '../support/session.ts'

/* Nobody is shown under the name that the server gives to somebody else (T45). */

const server = serverForFile({})
const owner = ownerForFile(server)
let enrolled: TestAgent
let agent: RecordingAgent
let anna: Member
const call = (by: Member, value: string) =>
  by.userPreferences.set({ tenantId: by.tenantId, body: { name: 'user-display-name', value } })
beforeAll(async () => {
  enrolled = await enroll(owner)
  anna = await addMember(server, owner.tenantId, [])
  await call(anna, 'Anna Berg')
})
beforeEach(async () => {
  agent = await recordingAgent(owner, { agent: enrolled })
})

/** Guest of a link to the device. */
async function guestCalled(userDisplayName: string | null, correlationId: string) {
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
    body: {
      tenantId: owner.tenantId,
      deviceId: agent.id,
      userCorrelationId: correlationId,
      userDisplayName,
      permissions: ['device.read', 'device.remote-control.connect'],
    },
  })
  const guest = new Visitor(server.url)
  await guest.openLink(deviceAccessUrl)
  return guest
}

/** Request of a session as the agent gets it. */
async function visit(guest: Visitor) {
  const { isSuccess } = await requestSession(await callerOf(guest), agent.id, makeTicket(agent.url))
  expect(isSuccess).toBe(true)
  return requestTold(agent)
}

test.each(['Vendor Ltd', null])(
  'a guest whom the link names %s is called that at the device and shown there, whatever the guest prefers',
  async (userDisplayName) => {
    const id = randomUUID()
    const guest = await guestCalled(userDisplayName, id)
    const set = (name: 'user-display-name' | 'notify-user-on-session-start', value: string) =>
      guest.userPreferences.set({ tenantId: owner.tenantId, body: { name, value } })
    await set('user-display-name', 'Ada your administrator')
    await set('notify-user-on-session-start', 'false')
    const name = userDisplayName ?? `ext-${id}`
    const viewerName = userDisplayName ?? `${name}, by a link of ${owner.user.email}`
    expect(await visit(guest)).toMatchObject({ viewerName, notifyUserOnSessionStart: true })
    const { items } = await owner.applianceShares.list({ query: {} })
    expect(items.map(({ forName }) => forName)).toContain(name)
  },
)

test.each(['Anna Berg (anna@example.org)', 'Anna Berg, by a link of anna@example.org', 'Anna Berg, BY A LINK OF Bob'])(
  'a guest called %s has the own name to sign in with beside it',
  async (name) => {
    const id = randomUUID()
    expect((await visit(await guestCalled(name, id))).viewerName).toBe(`${name} (ext-${id})`)
  },
)

test.each([
  ['letters of Cyrillic', 'Аnnа Веrg'],
  ['letters of Greek', 'Αnna Βerg'],
])('a name of the same shape in %s has the own name to sign in with beside it', async (_, name) => {
  const mallory = await addMember(server, owner.tenantId, [])
  await call(mallory, name)
  const { items } = await owner.appliancePeople.list({ query: {} })
  expect(items.find(({ id }) => id === mallory.user.id)!.name).toBe(`${name} (${mallory.user.email})`)
})
