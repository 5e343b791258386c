import { beforeAll, expect, test } from 'vitest'
import { addMember } from '../support/people.ts'
import { connectViewer } from '../support/hub-client.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { within } from '../support/until.ts'

const server = serverForFile()
let owner: Member

beforeAll(async () => {
  owner = await server.owner()
})

/** Id of the one sign-in of a member that is not `by`'s. */
const idOfOther = async (by: Member) =>
  (await by.applianceAccount.listSignIns({})).items.find(({ isCurrent }) => !isCurrent)!.id

test('ending a forgotten session from the list closes its live connection within five seconds', async () => {
  const forgotten = await addMember(server, owner.tenantId, ['device.read'])
  const viewer = await connectViewer(forgotten)
  const here = await server.signIn({ email: forgotten.user.email })
  await here.applianceAccount.endSignIn({ params: { signInId: await idOfOther(here) } })
  await within(5_000, viewer.closed)
  await expect(forgotten.auth.me({})).rejects.toMatchObject({ status: 401 })
  await here.auth.me({})
})

test('ending all others keeps the session that asks, and ends nobody else', async () => {
  const stranger = await addMember(server, owner.tenantId, [])
  const first = await addMember(server, owner.tenantId, [])
  const { email } = first.user
  const [second, here] = [await server.signIn({ email }), await server.signIn({ email })]
  expect(await here.applianceAccount.endOtherSignIns({})).toEqual({ ended: 2 })
  for (const ended of [first, second]) {
    await expect(ended.auth.me({})).rejects.toMatchObject({ status: 401 })
  }
  await here.auth.me({})
  await stranger.auth.me({})
})

test('the session of somebody else cannot be ended', async () => {
  const victim = await addMember(server, owner.tenantId, [])
  await server.signIn({ email: victim.user.email })
  const signInId = await idOfOther(victim)
  await expect(owner.applianceAccount.endSignIn({ params: { signInId } })).rejects.toMatchObject({ status: 404 })
})
