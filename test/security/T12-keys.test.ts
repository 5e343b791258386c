import { expect, test } from 'vitest'
import { expectAsLong } from '../support/as-long.ts'
import { addServerAccount } from '../support/people.ts'
import { useTestServer } from '../support/server.ts'

test('unknown, wrong, revoked and expired keys are answered alike, and throttled alike', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const [known, revoked] = [await addServerAccount(owner), await addServerAccount(owner)]
  await owner.serverServiceAccounts.revokeCredential({
    params: { serviceAccountId: revoked.id, credentialId: revoked.credentialId },
  })
  const answersFor = async (key: string, index: number) => {
    const answers = []
    for (let count = 0; count < 7; count++) {
      const response = await fetch(`${server.url}/api/v1/server-service-accounts`, { headers: { 'x-api-key': key } })
      const { traceId: _, ...problem } = (await response.json()) as Record<string, unknown>
      answers.push([response.status, problem])
    }
    // All keys come from the same address, so the window of the previous key has to pass.
    if (index < 2) {
      await server.restart()
    }
    return JSON.stringify(answers)
  }
  const wrong = `${known.key.split(':')[0]}:${'x'.repeat(86)}`
  const unknown = `${'1'.repeat(32)}:${'x'.repeat(86)}`
  const answers = []
  for (const [index, key] of [wrong, unknown, revoked.key].entries()) {
    answers.push(await answersFor(key, index))
  }
  expect(new Set(answers).size).toBe(1)
})

test('unknown, wrong, revoked and expired keys take about as long', async () => {
  const server = await useTestServer({ settings: { AppOptions__ServiceAccountAuthFailureLimit: '0' } })
  const { key } = await addServerAccount(await server.owner())
  const timeOf = async (presented: string) => {
    const start = performance.now()
    await (await fetch(`${server.url}/api/v1/server-service-accounts`, { headers: { 'x-api-key': presented } })).text()
    return performance.now() - start
  }
  const wrong = `${key.split(':')[0]}:${'x'.repeat(86)}`
  const unknown = `${'1'.repeat(32)}:${'x'.repeat(86)}`
  // Compares the fastest of many alternating attempts, because load slows both.
  await expectAsLong(async () => {
    const [ofUnknown, ofWrong]: [number[], number[]] = [[], []]
    for (let count = 0; count < 40; count++) {
      ofUnknown.push(await timeOf(unknown))
      ofWrong.push(await timeOf(wrong))
    }
    return [Math.min(...ofUnknown), Math.min(...ofWrong)]
  })
})
