import { expect, test } from 'vitest'
import { expectAsLong } from '../support/as-long.ts'
import { account, useTestServer } from '../support/server.ts'

test('an unknown address answers like a wrong password, through to the lockout', async () => {
  const server = await useTestServer()
  await server.owner()
  const answersFor = async (email: string) => {
    const answers = []
    for (let count = 0; count < 7; count++) {
      const response = await server.visitor().fetch('/api/appliance/v1/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'Wrong-Horse-7' }),
      })
      answers.push([response.status, await response.text(), response.headers.get('set-cookie')])
    }
    return answers
  }
  expect(await answersFor('nobody@example.org')).toEqual(await answersFor(account.email))
})

test('a wrong password at an unknown address takes about as long as at a known one', async () => {
  // Compares the fastest times, so that load does not count: hashing takes 20 ms, an answer without a hash a tenth of
  // that.
  await expectAsLong(async () => {
    const server = await useTestServer()
    await server.owner()
    const msOf = async (email: string) => {
      const start = performance.now()
      await server.visitor().applianceSession.signIn({ body: { email, password: 'Wrong-Horse-7' } })
      return performance.now() - start
    }
    await msOf('first@example.org')
    const [unknown, known]: [number[], number[]] = [[], []]
    for (let count = 0; count < 4; count++) {
      unknown.push(await msOf('nobody@example.org'))
      known.push(await msOf(account.email))
    }
    return [Math.min(...unknown), Math.min(...known)]
  })
})
