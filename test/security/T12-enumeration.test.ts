import { expect, test } from 'vitest'
import { account, useTestServer } from '../support/server.ts'

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

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

test('an unknown address takes about as long as a wrong password', async () => {
  const server = await useTestServer()
  await server.owner()
  const timeOf = async (email: string, attempts: number) => {
    const times = []
    for (let count = 0; count < attempts; count++) {
      const start = performance.now()
      await server.visitor().applianceSession.signIn({ body: { email, password: 'Wrong-Horse-7' } })
      times.push(performance.now() - start)
    }
    return median(times)
  }
  await timeOf('first@example.org', 1)
  // Hashing takes 20 ms here; an answer without it would take a tenth.
  const [unknown, known] = [await timeOf('nobody@example.org', 4), await timeOf(account.email, 4)]
  expect(unknown / known).toBeGreaterThan(0.4)
  expect(unknown / known).toBeLessThan(2.5)
})
