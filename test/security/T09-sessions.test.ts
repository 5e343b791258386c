import { beforeAll, expect, test } from 'vitest'
import { holdWrites } from '../support/database-shell.ts'
import { addMember } from '../support/people.ts'
import { connectViewer } from '../support/hub-client.ts'
import { account, integrator, serverForFile, type Member } from '../support/server.ts'
import { steady } from '../support/until.ts'

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
let owner: Member
/** Turns of the event loop in which a password is hashed. */
const hashTurns = 60

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
  await viewer.closed
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

test('the bearer tokens of somebody else cannot be ended', async () => {
  const victim = await addMember(server, owner.tenantId, [])
  const login = await server.visitor().fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: victim.user.email, password: account.password }),
  })
  const { accessToken } = (await login.json()) as { accessToken: string }
  const program = integrator(server.url, { authorization: `Bearer ${accessToken}` })
  const { items } = await victim.applianceAccount.listSignIns({})
  const signInId = items.find(({ kind }) => kind === 'BearerTokens')!.id
  await expect(owner.applianceAccount.endSignIn({ params: { signInId } })).rejects.toMatchObject({ status: 404 })
  await program.auth.me({})
  await victim.applianceAccount.endSignIn({ params: { signInId } })
  await expect(program.auth.me({})).rejects.toMatchObject({ status: 401 })
})

test('a sign-in that a change of the credentials overtakes begins no session', async () => {
  const member = await addMember(server, owner.tenantId, [])
  const { email, id: userId } = member.user
  const change = () => owner.applianceEntry.disableTwoFactor({ tenantId: owner.tenantId, params: { userId } })
  // The proof of the owner is stored before the database is locked.
  await change()
  // While another program writes, the sign-in waits after its check of the password, and the change behind it.
  const release = await holdWrites(server)
  const visitor = server.visitor()
  const signingIn = visitor.applianceSession.signIn({ body: { email, password: account.password } })
  const outcome = signingIn.then(
    () => 200,
    ({ status }: { status: number }) => status,
  )
  await steady(() => server.log.lines.length, hashTurns)
  const changing = change()
  // The change has reached the write queue.
  await owner.devices.list({})
  await release()
  await changing
  expect(await outcome).toBe(401)
  await expect(visitor.auth.me({})).rejects.toMatchObject({ status: 401 })
})
