import { describe, expect, test } from 'vitest'
import { expectAsLong } from '../support/as-long.ts'
import { useMailServer } from '../support/mail.ts'
import { account, useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const bearerLogin = { AppOptions__EnableInteractiveBearerLogin: 'true' }
const newPassword = 'Newer-Horse-8'
/** Observable parts of a response. */
async function seen(response: Response) {
  const body = (await response.text()).replace(/"traceId":"[^"]*"/, '')
  return [response.status, body, response.headers.get('content-type'), response.headers.get('set-cookie')]
}

const wrong = { password: 'Wrong-Horse-7' }

describe.each([
  ['interactive-login', wrong],
  ['login', wrong],
  ['change-password-with-credentials', { currentPassword: wrong.password, newPassword }],
  ['resetPassword', { resetCode: 'nonsense', newPassword }],
  ['complete-password-reset', { resetCode: 'nonsense', newPassword }],
  ['forgotPassword', {}],
  ['resendConfirmationEmail', {}],
])('%s', (path, body) => {
  test('answers the same for an unknown address, through to the lockout, in about the same time', async () => {
    // An answer without a hash would take a tenth of the time; endpoints without a hash are immediate.
    const fastest = (attempts: { ms: number }[]) => Math.min(...attempts.slice(0, 4).map(({ ms }) => ms)) + 5
    await expectAsLong(async () => {
      const server = await useTestServer({ settings: bearerLogin })
      await server.owner()
      const attempt = async (email: string) => {
        const start = performance.now()
        const response = await server.visitor().fetch(`/api/auth/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email, ...body }),
        })
        return { answer: await seen(response), ms: performance.now() - start }
      }
      await attempt('warm-up@example.org')
      const [unknown, known] = [[], []] as Awaited<ReturnType<typeof attempt>>[][]
      for (let count = 0; count < 6; count++) {
        unknown!.push(await attempt('nobody@example.org'))
        known!.push(await attempt(account.email))
      }
      expect(unknown!.map(({ answer }) => answer)).toEqual(known!.map(({ answer }) => answer))
      return [fastest(unknown!), fastest(known!)]
    })
  })
})

test('an answer does not wait for the mail server, so its time does not reveal whether mail is sent', async () => {
  const waiting: (() => void)[] = []
  let isHeld = true
  const mail = await useMailServer({
    onConnect: (_session, callback) => void (isHeld ? waiting.push(callback) : callback()),
  })
  const server = await useTestServer({ settings: { ...bearerLogin, ...mail.settings } })
  const owner = await server.owner()
  await server.changeRow('users', owner.user.id, 'isEmailConfirmed = TRUE')
  for (const email of [account.email, 'nobody@example.org']) {
    await server.visitor().identity.forgotPassword({ body: { email } })
  }
  expect(mail.received).toEqual([])
  await until(() => waiting.length > 0)
  isHeld = false
  waiting.forEach((goOn) => goOn())
  const subjects = [await mail.next(account.email), await mail.next(account.email)].map(({ subject }) => subject)
  expect(subjects).toContain('Reset your password for Farhand')
})

test('wrong reset codes lock an unknown address like an account', async () => {
  const server = await useTestServer({ settings: bearerLogin })
  await server.owner()
  const answersAt = async (email: string) => {
    const visitor = server.visitor()
    for (let count = 0; count < 5; count++) {
      const body = { email, resetCode: 'nonsense', newPassword }
      await expect(visitor.auth.completePasswordReset({ body })).rejects.toMatchObject({ status: 400 })
    }
    return visitor.applianceSession.signIn({ body: { email, ...wrong } })
  }
  expect(await answersAt('nobody@example.org')).toEqual(await answersAt(account.email))
})
