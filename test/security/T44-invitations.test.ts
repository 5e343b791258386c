import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { serverForFile, type Member } from '../support/server.ts'

/*
 * T44: one tenant decides nothing for another. Invitations of a tenant reserve no address, reveal none, and cannot flood
 * inboxes by the server's mail.
 */

const password = 'Babbage-Engine-2'
const clock = manualClock()
const server = serverForFile({ clock, settings: { AppOptions__EnablePublicRegistration: 'true' } })
let owner: Member
let stranger: Member
beforeAll(async () => {
  owner = await server.owner()
  stranger = await server.owner({ email: 'grace@example.org' })
})

const address = () => `${randomUUID()}@example.org`
const invite = (by: Member, inviteeEmail = address()) =>
  by.invites.create({ tenantId: by.tenantId, body: { inviteeEmail } })
const codeOf = ({ inviteUrl }: { inviteUrl: string }) => inviteUrl.split(/[/#]/).at(-1)!
const lookUp = (activationCode: string) => server.visitor().applianceEntry.invitation({ body: { activationCode } })
const accept = (email: string, activationCode: string) =>
  server.visitor().inviteAcceptance.accept({ body: { activationCode, email, password } })

describe('an invitation of one tenant', () => {
  test('reserves the address for no other: others invite it, create it, and the first acceptance wins', async () => {
    const email = address()
    const ofStranger = await invite(stranger, email)
    const ofOwner = await invite(owner, email)
    await expect(invite(owner, email)).rejects.toMatchObject({ status: 409 })
    expect(await accept(email, codeOf(ofOwner))).toEqual({ isSuccessful: true, errorMessage: null })
    expect(await lookUp(codeOf(ofStranger))).toMatchObject({ state: 'taken', email })
    expect(await accept(email, codeOf(ofStranger))).toEqual({
      isSuccessful: false,
      errorMessage: expect.stringContaining('You have an account on this server already.'),
    })
    const created = address()
    await invite(stranger, created)
    const body = { userName: created, password, presetNames: [] }
    expect(await owner.users.create({ tenantId: owner.tenantId, body })).toMatchObject({ email: created })
    const member = await server.visitor().applianceSession.signIn({ body: { email: created, password } })
    expect(member.user).toMatchObject({ tenantId: owner.tenantId })
  })

  test('answers the same for an address with an account elsewhere as for an unknown one', async () => {
    const taken = address()
    await owner.users.create({ tenantId: owner.tenantId, body: { userName: taken, password, presetNames: [] } })
    const [known, unknown] = [await invite(stranger, taken), await invite(stranger)]
    const shapeOf = (answer: object) => Object.entries(answer).map(([name, value]) => [name, typeof value])
    expect(shapeOf(known)).toEqual(shapeOf(unknown))
    const pending = (await stranger.users.list({ tenantId: stranger.tenantId })).items
    expect(pending.map(({ email }) => email)).toEqual(expect.arrayContaining([taken, unknown.inviteeEmail]))
    await stranger.invites.delete({ tenantId: stranger.tenantId, params: { inviteId: known.id } })
    expect((await server.visitor().applianceSession.signIn({ body: { email: taken, password } })).user).not.toBeNull()
  })
})

test('a tenant makes at most 20 invitations in 24 hours, withdrawn ones included, and has at most 50 pending', async () => {
  const email = 'mary@example.org'
  let busy = await server.owner({ email })
  const { tenantId } = busy
  for (let made = 0; made < 20; made++) {
    const { id } = await invite(busy)
    if (made < 10) {
      await busy.invites.delete({ tenantId, params: { inviteId: id } })
    }
  }
  await expect(invite(busy)).rejects.toMatchObject({
    status: 429,
    problem: { detail: '20 people were invited within 24 hours. Invite more tomorrow.' },
  })
  expect((await invite(owner)).id).toBeTruthy()
  const nextDay = async () => {
    clock.advance(24 * 60 * 60 * 1000 + 1)
    busy = await server.signIn({ email })
  }
  for (let made = 0; made < 40; made++) {
    if (made % 20 === 0) {
      await nextDay()
    }
    await invite(busy)
  }
  await nextDay()
  await expect(invite(busy)).rejects.toMatchObject({
    status: 429,
    problem: { detail: expect.stringContaining('50 invitations are pending.') },
  })
})
