import { expect, test } from 'vitest'
import { linkIn, useMailServer } from '../../support/mail.ts'
import { account, useTestServer } from '../../support/server.ts'

const wrong = 'Wrong-Horse-7'
const confirmation = {
  AppOptions__EnableInteractiveBearerLogin: 'true',
  AppOptions__EnablePublicRegistration: 'true',
  AppOptions__RequireUserEmailConfirmation: 'true',
}

test('when addresses must be confirmed, an unconfirmed account cannot sign in, and gets the reason only with the right password', async () => {
  const mailbox = await useMailServer()
  const strict = await useTestServer({ settings: { ...confirmation, ...mailbox.settings } })
  const visitor = strict.visitor()
  expect(await visitor.applianceSession.register({ body: account })).toMatchObject({ emailConfirmed: false })
  expect(visitor.cookie).toBeUndefined()
  const signIn = (password: string) => visitor.applianceSession.signIn({ body: { email: account.email, password } })
  expect(await signIn(wrong)).toMatchObject({ user: null, requiresEmailConfirmation: false })
  expect(await signIn(account.password)).toMatchObject({ user: null, requiresEmailConfirmation: true })
  await expect(visitor.identity.login({ query: {}, body: account })).rejects.toMatchObject({
    status: 401,
    message: 'NotAllowed',
  })
  await expect(visitor.auth.interactiveLogin({ body: account })).rejects.toMatchObject({ status: 401 })
  await visitor.fetch(linkIn(await mailbox.next(account.email)).href)
  await strict.signIn()
})

test('when addresses must be confirmed but no mail is sent, no account can be added', async () => {
  const strict = await useTestServer({ settings: { ...confirmation, AppOptions__DisableEmailSending: 'true' } })
  await expect(strict.visitor().identity.register({ body: account })).rejects.toMatchObject({ status: 400 })
  await expect(strict.owner()).rejects.toMatchObject({ status: 400 })
})
