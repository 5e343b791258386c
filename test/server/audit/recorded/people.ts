import { expect } from 'vitest'
import { addPasskey, pageVisitor, signInWithPasskey } from '../../../support/passkeys.ts'
import { addServerAccount, createUser, newAddress } from '../../../support/people.ts'
import { account, integrator, type Member, type TestServer, type Visitor } from '../../../support/server.ts'
import { appCode } from '../../../support/totp.ts'
import { aboutSelf, anonymous, by, newName, password, type Acts, type Scene } from './scene.ts'

const wrong = 'Wrong-Horse-7'
const failed = { outcome: 'failure' } as const
const params = { place: 'b' as const }

const signIn = (server: TestServer, email: string, secret = password) =>
  server.visitor().applianceSession.signIn({ body: { email, password: secret } })

/** Query that the provider, which asks nothing, sends the browser back with. */
async function queryAt(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: 'manual' })
  return new URL(headers.get('location')!).search.slice(1)
}

async function signInThere(visitor: Visitor) {
  const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
  const body = { ticket, query: await queryAt(url) }
  return visitor.applianceIdentityProviders.answer({ params, body })
}

async function link(member: Member) {
  const { ticket, url } = await member.applianceIdentityProviders.beginLink({ params })
  return member.applianceIdentityProviders.link({ params, body: { ticket, query: await queryAt(url) } })
}

const unlink = (member: Member, { id: loginId }: { id: string }) =>
  member.applianceIdentityProviders.unlink({ params: { loginId } })

const gitHubLogin = { targetKind: 'key', targetName: 'ada-l', details: { provider: 'GitHub' } }

async function setUp({ newMember, clock }: Scene) {
  const member = await newMember()
  const { sharedKey } = await member.applianceAccount.setUpTwoFactor({})
  return {
    member,
    enable: () => member.applianceAccount.enableTwoFactor({ body: { twoFactorCode: appCode(sharedKey, clock) } }),
  }
}

const invite = async ({ owner }: Scene) => {
  const email = newAddress()
  const { id, inviteUrl } = await owner.invites.create({ tenantId: owner.tenantId, body: { inviteeEmail: email } })
  return { id, email, activationCode: inviteUrl.split('/').at(-1)! }
}

const guestLink = async ({ owner, agent }: Scene) => {
  const body = { tenantId: owner.tenantId, deviceId: agent.id, userCorrelationId: newName(), userDisplayName: 'Guest' }
  return (await owner.logonTokens.createForExternalUser({ body })).deviceAccessUrl
}

/** Acts of people: to come in, for themselves, and for each other. */
export const actsOfPeople: Acts = [
  [
    'sign-in.password',
    'a password',
    async ({ server }) => {
      await signIn(server, account.email)
      return { credentialKind: null, details: { secondFactor: false } }
    },
  ],
  [
    'sign-in.password',
    'a wrong password',
    async ({ server }) => {
      await signIn(server, account.email, wrong)
      return { ...anonymous, ...failed, targetKind: 'user', targetName: account.email, details: { reason: 'Failed' } }
    },
  ],
  [
    'sign-in.passkey',
    'a passkey',
    async ({ newMember, server }) => {
      const member = await newMember()
      const { authenticator } = await addPasskey(member)
      await signInWithPasskey(pageVisitor(server), authenticator)
      return { ...by(member), credentialKind: null }
    },
  ],
  [
    'sign-in.passkey',
    'a removed passkey',
    async ({ newMember, server }) => {
      const member = await newMember()
      const { authenticator, id: passkeyId } = await addPasskey(member)
      await member.appliancePasskeys.remove({ params: { passkeyId } })
      await signInWithPasskey(pageVisitor(server), authenticator).catch(() => {})
      return { ...anonymous, ...failed, details: { reason: 'Failed' } }
    },
  ],
  [
    'sign-in.provider',
    'a linked account',
    async ({ newMember, server }) => {
      const member = await newMember()
      const login = await link(member)
      await signInThere(pageVisitor(server))
      await unlink(member, login)
      return { ...by(member), credentialKind: null, details: { provider: 'GitHub' } }
    },
  ],
  [
    'sign-in.provider',
    'an account that nobody linked',
    async ({ server }) => {
      await signInThere(pageVisitor(server))
      return { ...anonymous, ...failed, details: { provider: 'GitHub', reason: 'NotLinked' } }
    },
  ],
  [
    'sign-in.logon-token',
    'a logon link',
    async (scene) => {
      await scene.server.visitor().openLink(await guestLink(scene))
      return { actorKind: 'guest', actorName: 'Guest', credentialKind: null, deviceId: scene.agent.id }
    },
  ],
  [
    'sign-in.logon-token',
    'a used logon link',
    async ({ server }) => {
      const nothing = `/device-access?deviceId=${newName()}&logonToken=${'A'.repeat(32)}:x`
      await server.visitor().openLink(nothing)
      return { ...anonymous, ...failed, targetKind: 'token' }
    },
  ],
  [
    'sign-in.token',
    'an access token, once a day',
    async ({ owner, server }) => {
      const { tenantId } = owner
      const { plainTextToken } = await owner.personalAccessTokens.create({ tenantId, body: { name: 'nightly' } })
      const program = integrator(server.url, { 'x-personal-token': plainTextToken })
      await program.auth.me({})
      await program.auth.me({})
      return { credentialKind: 'PersonalAccessToken', targetKind: 'token', targetName: 'nightly' }
    },
  ],
  [
    'sign-in.token',
    'an API key',
    async ({ owner }) => {
      const program = await addServerAccount(owner)
      await program.serverAlert.get({})
      await program.tenants.list({})
      return {
        actorKind: 'service-account',
        actorName: expect.any(String) as string,
        credentialKind: 'ServiceAccountCredential',
        targetKind: 'key',
        targetName: 'key',
      }
    },
  ],
  [
    'sign-in.token',
    'a wrong token',
    async ({ owner, server }) => {
      const { tenantId } = owner
      const { plainTextToken } = await owner.personalAccessTokens.create({ tenantId, body: { name: 'nightly' } })
      const program = integrator(server.url, { 'x-personal-token': `${plainTextToken}x` })
      await program.auth.me({}).catch(() => {})
      return { ...anonymous, ...failed, targetKind: 'token' }
    },
  ],
  [
    'sign-in.ended',
    'signing out',
    async ({ newMember }) => {
      const member = await newMember()
      await member.auth.logout({})
      return by(member)
    },
  ],
  [
    'sign-in.ended',
    'ending a forgotten sign-in',
    async ({ newMember, server }) => {
      const member = await newMember()
      await signIn(server, member.user.email)
      const { items } = await member.applianceAccount.listSignIns({})
      await member.applianceAccount.endSignIn({ params: { signInId: items.find(({ isCurrent }) => !isCurrent)!.id } })
      return { ...by(member), details: { reason: 'ended from a list' } }
    },
  ],
  [
    'sign-in.proof',
    'a password',
    async ({ newMember }) => {
      const member = await newMember()
      await member.applianceSession.prove({ body: { password } })
      return by(member)
    },
  ],
  [
    'sign-in.proof',
    'a wrong password',
    async ({ newMember }) => {
      const member = await newMember()
      await member.applianceSession.prove({ body: { password: wrong } }).catch(() => {})
      return { ...by(member), ...failed, details: { reason: 'Failed' } }
    },
  ],
  [
    'account.registered',
    'a registration',
    async ({ server }) => {
      const body = { email: newAddress(), password }
      await server.visitor().applianceSession.register({ body })
      return { actorName: body.email, credentialKind: null, targetKind: 'user', targetName: body.email }
    },
  ],
  [
    'account.email-changed',
    'another address',
    async ({ newMember }) => {
      const member = await newMember()
      const email = newAddress()
      await member.applianceAccount.changeEmail({ body: { email } })
      return { ...aboutSelf(member), details: { before: member.user.email, after: email } }
    },
  ],
  [
    'account.reset-requested',
    'a forgotten password',
    async ({ server }) => {
      await server.visitor().applianceSession.requestPasswordReset({ body: { email: account.email } })
      return { ...anonymous, targetKind: 'user', targetName: account.email }
    },
  ],
  [
    'account.confirmation-requested',
    'an unconfirmed address',
    async ({ server }) => {
      await server.visitor().applianceEntry.resendConfirmation({ body: { email: account.email } })
      return { ...anonymous, targetKind: 'user', targetName: account.email }
    },
  ],
  [
    'account.password-changed',
    'a new password',
    async ({ newMember }) => {
      const member = await newMember()
      await member.auth.changePassword({ body: { currentPassword: password, newPassword: 'Newer-Horse-8' } })
      return { ...aboutSelf(member), details: { way: 'password' } }
    },
  ],
  [
    'account.password-changed',
    'a wrong current password',
    async ({ newMember }) => {
      const member = await newMember()
      await member.auth.changePassword({ body: { currentPassword: wrong, newPassword: password } }).catch(() => {})
      return { ...aboutSelf(member), ...failed, details: { reason: 'Failed' } }
    },
  ],
  ['account.two-factor-key-renewed', 'a key for an app', async (scene) => aboutSelf((await setUp(scene)).member)],
  [
    'account.two-factor-enabled',
    'the first code',
    async (scene) => {
      const { member, enable } = await setUp(scene)
      await enable()
      return aboutSelf(member)
    },
  ],
  [
    'account.two-factor-enabled',
    'a wrong first code',
    async (scene) => {
      const { member } = await setUp(scene)
      await member.applianceAccount.enableTwoFactor({ body: { twoFactorCode: '000000' } }).catch(() => {})
      return { ...by(member), ...failed, details: { reason: 'wrong code' } }
    },
  ],
  [
    'account.two-factor-disabled',
    'turning it off',
    async (scene) => {
      const { member, enable } = await setUp(scene)
      await enable()
      await member.applianceAccount.disableTwoFactor({})
      return aboutSelf(member)
    },
  ],
  [
    'account.recovery-codes-renewed',
    'new codes',
    async (scene) => {
      const { member, enable } = await setUp(scene)
      await enable()
      await member.applianceAccount.renewRecoveryCodes({})
      return aboutSelf(member)
    },
  ],
  [
    'account.passkey-added',
    'a passkey',
    async ({ newMember }) => {
      const member = await newMember()
      await addPasskey(member, 'Blue key')
      return { ...by(member), targetKind: 'key', targetName: 'Blue key' }
    },
  ],
  [
    'account.passkey-renamed',
    'another name',
    async ({ newMember }) => {
      const member = await newMember()
      const { id: passkeyId } = await addPasskey(member)
      await member.appliancePasskeys.rename({ params: { passkeyId }, body: { name: 'Red key' } })
      return { ...by(member), targetKind: 'key', targetName: 'Red key' }
    },
  ],
  [
    'account.passkey-removed',
    'a removal',
    async ({ newMember }) => {
      const member = await newMember()
      const { id: passkeyId } = await addPasskey(member, 'Blue key')
      await member.appliancePasskeys.remove({ params: { passkeyId } })
      return { ...by(member), targetKind: 'key', targetName: 'Blue key' }
    },
  ],
  [
    'account.provider-linked',
    'a link',
    async ({ newMember }) => {
      const member = await newMember()
      await unlink(member, await link(member))
      return { ...by(member), ...gitHubLogin }
    },
  ],
  [
    'account.provider-unlinked',
    'an end of a link',
    async ({ newMember }) => {
      const member = await newMember()
      await unlink(member, await link(member))
      return { ...by(member), ...gitHubLogin }
    },
  ],
  [
    'people.user-created',
    'an account',
    async ({ owner }) => ({ targetKind: 'user', targetName: (await createUser(owner)).email }),
  ],
  [
    'people.invited',
    'an invitation',
    async (scene) => ({ targetKind: 'invite', targetName: (await invite(scene)).email }),
  ],
  [
    'people.invite-deleted',
    'a withdrawal',
    async (scene) => {
      const { id: inviteId, email } = await invite(scene)
      await scene.owner.invites.delete({ tenantId: scene.owner.tenantId, params: { inviteId } })
      return { targetKind: 'invite', targetName: email }
    },
  ],
  [
    'people.invite-accepted',
    'an acceptance',
    async (scene) => {
      const { email, activationCode } = await invite(scene)
      await scene.server.visitor().inviteAcceptance.accept({ body: { activationCode, email, password } })
      return { actorName: email, credentialKind: null, targetKind: 'user', targetName: email }
    },
  ],
  [
    'people.invite-accepted',
    'a wrong code',
    async ({ server }) => {
      const body = { activationCode: 'x', email: newAddress(), password }
      await server.visitor().inviteAcceptance.accept({ body })
      return { ...anonymous, ...failed }
    },
  ],
]
