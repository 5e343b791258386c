import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { startGitHub } from '../../support/github-server.ts'
import { providerSettings } from '../../support/identity-provider.ts'
import { startMailServer } from '../../support/mail.ts'
import { addPasskey, pageMember, pageVisitor } from '../../support/passkeys.ts'
import { startTestServer, useTestServer, type Member, type TestServer } from '../../support/server.ts'

const clock = manualClock()
const params = { place: 'b' as const }
const gitHubUser: Parameters<typeof startGitHub>[0] = { id: 4711, login: 'ada-l', email: 'ada@example.com' }
let gitHub: Awaited<ReturnType<typeof startGitHub>>
let mail: Awaited<ReturnType<typeof startMailServer>>
let server: TestServer
let owner: Member

beforeAll(async () => {
  gitHub = await startGitHub(gitHubUser)
  mail = await startMailServer()
  const settings = { ...providerSettings('B', gitHub.issuer, { Kind: 'GitHub' }), ...mail.settings }
  server = await startTestServer({ settings, clock })
  await server.owner()
  owner = await pageMember(server)
})
afterAll(async () => {
  await server.stop()
  await gitHub.stop()
  await mail.close()
})

/** Query that GitHub sends the browser back with; it asks nothing. */
async function queryAt(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  return new URL(response.headers.get('location')!).search.slice(1)
}

async function signIn() {
  clock.advance(60_000)
  const visitor = pageVisitor(server)
  const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
  return visitor.applianceIdentityProviders.answer({ params, body: { ticket, query: await queryAt(url) } })
}

describe('GitHub', () => {
  test('signs in the user who linked the account, by its id', async () => {
    expect(await signIn()).toMatchObject({ isLinked: false, name: 'ada-l', email: 'ada@example.com' })
    const { ticket, url } = await owner.applianceIdentityProviders.beginLink({ params })
    const body = { ticket, query: await queryAt(url) }
    expect(await owner.applianceIdentityProviders.link({ params, body })).toMatchObject({ name: 'ada-l', place: 'b' })
    expect(await signIn()).toMatchObject({ isLinked: true, user: { id: owner.user.id } })
    const stored = await server.rows('SELECT provider, issuer, subject FROM external_logins')
    expect(stored).toEqual([{ provider: 'b', issuer: gitHub.issuer, subject: '4711' }])
  })

  test('accepts an invitation as the only way in, but not with an account that is linked', async () => {
    const { tenantId } = owner
    const accept = async () => {
      const inviteeEmail = `${randomUUID()}@example.org`
      const { inviteUrl } = await owner.invites.create({ tenantId, body: { inviteeEmail } })
      const activationCode = inviteUrl.split(/[/#]/).at(-1)!
      clock.advance(60_000)
      const visitor = pageVisitor(server)
      const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
      const body = { ticket, query: await queryAt(url) }
      const { identity } = await visitor.applianceIdentityProviders.answer({ params, body })
      const answer = await visitor.applianceInvitations.acceptWithProvider({
        body: { activationCode, identity: identity ?? 'none' },
      })
      return { answer, inviteeEmail, visitor }
    }
    Object.assign(gitHubUser, { id: 4712, login: 'grace-h' })
    const { answer, inviteeEmail, visitor } = await accept()
    expect(answer).toEqual({ isSuccessful: true, errorMessage: null })
    expect(await visitor.auth.me({})).toMatchObject({ email: inviteeEmail, tenantId })
    expect(await signIn()).toMatchObject({ isLinked: true, user: { email: inviteeEmail } })
    await expect(accept()).rejects.toMatchObject({ status: 400 })
    Object.assign(gitHubUser, { id: 4711, login: 'ada-l' })
  })

  test('links one account per user', async () => {
    await expect(owner.applianceIdentityProviders.beginLink({ params })).rejects.toMatchObject({ status: 409 })
  })

  test('accepts only accounts in the allowed domain', async () => {
    server.settings['AppOptions__IdentityProviderBAllowedDomain'] = 'example.net'
    await server.restart()
    await expect(signIn()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('example.net') })
    server.settings['AppOptions__IdentityProviderBAllowedDomain'] = 'EXAMPLE.COM'
    await server.restart()
    expect(await signIn()).toMatchObject({ user: { id: owner.user.id } })
    gitHubUser.isVerified = false
    await expect(signIn()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('EXAMPLE.COM') })
    gitHubUser.isVerified = true
  })

  test('answers with another state are rejected', async () => {
    clock.advance(60_000)
    const visitor = pageVisitor(server)
    const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
    const query = new URLSearchParams(await queryAt(url))
    query.set('state', 'other')
    const answering = visitor.applianceIdentityProviders.answer({ params, body: { ticket, query: query.toString() } })
    await expect(answering).rejects.toMatchObject({ status: 400, message: expect.stringContaining('does not accept') })
  })
})

test('changed ways to sign in are mailed to their owner and audited', async () => {
  const about = async () => (await mail.next(owner.user.email)).text
  while (mail.received.length > 0) {
    mail.received.pop()
  }
  await server.changeRow('users', owner.user.id, 'isEmailConfirmed = TRUE')
  const { id: passkeyId } = await addPasskey(owner, 'Blue key')
  expect(await about()).toContain('The passkey "Blue key" was added.')
  await owner.appliancePasskeys.remove({ params: { passkeyId } })
  expect(await about()).toContain('The passkey "Blue key" was removed.')
  const { items } = await owner.applianceIdentityProviders.logins({})
  await owner.applianceIdentityProviders.unlink({ params: { loginId: items[0]!.id } })
  expect(await about()).toContain('The account ada-l (GitHub) was unlinked.')
  const rows = await server.rows<{ kind: string; outcome: string; actorId: string | null; targetName: string | null }>(
    "SELECT kind, outcome, actorId, targetName FROM audit_events WHERE kind LIKE 'account.p%' OR kind = 'sign-in.provider'",
  )
  const { id } = owner.user
  for (const [kind, outcome, actorId, targetName] of [
    ['sign-in.provider', 'failure', null, null],
    ['sign-in.provider', 'success', id, null],
    ['account.provider-linked', 'success', id, 'ada-l'],
    ['account.passkey-added', 'success', id, 'Blue key'],
    ['account.passkey-removed', 'success', id, 'Blue key'],
    ['account.provider-unlinked', 'success', id, 'ada-l'],
  ]) {
    expect(rows).toContainEqual({ kind, outcome, actorId, targetName })
  }
})

test('the presets need only id and secret, and a provider without a secret is off', async () => {
  const at = (place: string, name: string) => `AppOptions__IdentityProvider${place}${name}`
  const settings = { [at('A', 'ClientId')]: 'id', [at('A', 'ClientSecret')]: 'secret', [at('B', 'ClientId')]: 'id' }
  const other = await useTestServer({ settings: { ...settings, [at('B', 'ClientSecret')]: 'secret' } })
  const { providers } = await other.visitor().applianceIdentityProviders.ways({})
  expect(providers).toEqual([
    { place: 'a', label: 'Microsoft', kind: 'OpenIdConnect' },
    { place: 'b', label: 'GitHub', kind: 'GitHub' },
  ])
  const { url } = await pageVisitor(other).applianceIdentityProviders.begin({ params })
  expect(url).toMatch(/^https:\/\/github\.com\/login\/oauth\/authorize\?.*code_challenge_method=S256/)
  const off = await useTestServer({ settings: { [at('B', 'ClientId')]: 'id' } })
  await expect(pageVisitor(off).applianceIdentityProviders.begin({ params })).rejects.toMatchObject({ status: 404 })
})
