import { expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { account, useTestServer } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'

test('many simultaneous guesses are limited to five checks, even with the right one among them', async () => {
  const server = await useTestServer()
  await server.owner()
  const attempt = (password: string) =>
    server.visitor().applianceSession.signIn({ body: { email: account.email, password } })
  const guesses = Array.from({ length: 12 }, (_, index) => attempt(`Wrong-Horse-${index}`))
  const right = attempt(account.password)
  const answers = await Promise.all(guesses)
  expect(answers.filter(({ isLockedOut }) => !isLockedOut)).toHaveLength(4)
  expect(await right).toMatchObject({ isLockedOut: true, user: null })
})

test('an address with invisible or wide characters finds no account, so that it gives no further guesses', async () => {
  const server = await useTestServer({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
  await server.owner()
  const signIn = (email: string) =>
    statusOf(
      server.visitor().identity.login({ query: { useCookies: 'true' }, body: { email, password: account.password } }),
    )
  const spellings = ['ADA@example.org', 'a\u00adda@example.org', 'ad\u0001a@example.org', '\uff41da@example.org']
  expect(await Promise.all(spellings.map(signIn))).toEqual([200, 401, 401, 401])
})

test('a stolen session gets five guesses at the current password, and then the right one is rejected too', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const change = (currentPassword: string) =>
    owner.auth.changePassword({ body: { currentPassword, newPassword: 'Mine-Now-9' } })
  const guesses = Array.from({ length: 8 }, (_, index) => change(`Wrong-Horse-${index}`))
  await Promise.allSettled(guesses)
  await expect(change(account.password)).rejects.toMatchObject({
    message: 'The current password was wrong too often. Try again in 5 minutes.',
  })
})

test('a wrong password while locked does not make the lock longer', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  await server.owner()
  const attempt = () =>
    server.visitor().applianceSession.signIn({ body: { email: account.email, password: 'Wrong-Horse-7' } })
  for (let count = 0; count < 5; count++) {
    await attempt()
  }
  clock.advance(4 * 60_000)
  await attempt()
  clock.advance(60_000)
  await server.signIn()
})
