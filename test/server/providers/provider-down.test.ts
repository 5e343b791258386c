import { expect, test } from 'vitest'
import { runAccountCommand, temporaryPasswordIn } from '../../support/account-command.ts'
import { ProviderBrowser, providerSettings, startIdentityProvider } from '../../support/identity-provider.ts'
import { linkIn, useMailServer } from '../../support/mail.ts'
import { pageVisitor } from '../../support/passkeys.ts'
import { account, signInTo, useTestServer } from '../../support/server.ts'

const params = { place: 'a' as const }
const next = 'Newer-Horse-8'

test('a user without a password signs in by mail or by the command while the provider is down', async () => {
  const provider = await startIdentityProvider()
  const mail = await useMailServer()
  const server = await useTestServer({
    settings: {
      ...providerSettings('A', provider.issuer, { Label: 'Example' }),
      ...mail.settings,
      AppOptions__EnablePublicRegistration: 'true',
    },
  })
  const owner = await server.owner()
  const visitor = pageVisitor(server)
  const { ticket, url } = await visitor.applianceIdentityProviders.begin({ params })
  const query = await new ProviderBrowser().signIn(url, 'grace')
  const { identity } = await visitor.applianceIdentityProviders.answer({ params, body: { ticket, query } })
  const email = 'grace@example.org'
  const user = await visitor.applianceIdentityProviders.register({ body: { identity: identity!, email } })
  await fetch(linkIn(await mail.next(email)))

  await provider.stop()
  const begun = await visitor.applianceIdentityProviders.begin({ params })
  const returned = visitor.applianceIdentityProviders.answer({ params, body: { ticket: begun.ticket, query } })
  await expect(returned).rejects.toMatchObject({ status: 400 })
  await server.restart()
  const away = { status: 503, message: expect.stringContaining('Example cannot be reached from this server.') }
  await expect(pageVisitor(server).applianceIdentityProviders.begin({ params })).rejects.toMatchObject(away)

  await visitor.applianceSession.requestPasswordReset({ body: { email } })
  const reset = await mail.next(email, 'Reset your password')
  const organization = `Sent by Farhand for ${email}.`
  expect(reset.text).toContain(organization)
  const { searchParams } = linkIn(reset)
  const body = { email, resetCode: searchParams.get('code')!, newPassword: next }
  await visitor.auth.completePasswordReset({ body })
  expect((await signInTo(server.url, { email, password: next })).user.id).toBe(user.id)

  const changed = await mail.next(email, 'was changed')
  expect(changed.text).toContain('Your password was changed.')
  expect(changed.text).toContain(organization)

  await server.changeRow('users', user.id, 'passwordHash = NULL')
  const { stdout } = await runAccountCommand(server.directory, 'reset-password', email)
  const visit = { email, password: temporaryPasswordIn(stdout) }
  const asked = await server.visitor().applianceSession.signIn({ body: visit })
  expect(asked).toMatchObject({ requiresPasswordChange: true })
  const told = await mail.next(email, 'was changed')
  expect(told.text).toContain('Somebody at the computer of this server reset your password.')
  // Administrators get a notice, but no mail about somebody else's account.
  expect((await owner.applianceNotices.list({})).items).toMatchObject([{ kind: 'password-reset-by-command' }])
  expect(mail.received.filter(({ to }) => to.includes(account.email)).map(({ subject }) => subject)).toEqual([
    'Confirm your email address for Farhand',
  ])
})
