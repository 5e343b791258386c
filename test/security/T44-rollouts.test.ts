import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installerKey, TestAgent } from '../support/agent.ts'
import { until } from '../support/until.ts'
import { shiftedClock } from '../support/clock.ts'
import { useTestServer, type Member } from '../support/server.ts'

const refusal = 'Ask your administrator to run evil.example/fix'

/** Connects a device with an old agent; returns how often it was asked to update. */
async function oldDevice(of: Member, key: Awaited<ReturnType<typeof installerKey>>, id: string, refuses: boolean) {
  const agent = new TestAgent(of.tenantId, id)
  agent.make = 'Farhand'
  await agent.register(of, key, { agentVersion: '0.8.0.0' })
  let asked = 0
  const connection = await agent.open(of.url, {
    ReceiveAgentUpdateTrigger: async () => {
      asked++
      if (refuses) {
        await connection.SendUpdateRefusal(refusal)
      }
    },
  })
  await connection.UpdateDeviceSigned(agent.signed(agent.report({ agentVersion: '0.8.0.0' })))
  return { timesAsked: () => asked, stop: () => connection.connection.stop() }
}

test('devices of a stranger stop the rollout of their own tenant alone, and their words are no reason', async () => {
  const downloads = join(tmpdir(), `farhand-test-${randomUUID()}`)
  mkdirSync(downloads)
  writeFileSync(join(downloads, 'Version.txt'), '0.9.0.0')
  const clock = shiftedClock(30_000)
  const server = await useTestServer({
    clock,
    settings: { DownloadsDirectory: downloads, AppOptions__EnablePublicRegistration: 'true' },
  })
  const owner = await server.owner()
  const stranger = await server.owner({ email: 'grace@example.org', organizationName: 'Strangers' })
  const [own, foreign] = [await installerKey(owner), await installerKey(stranger)]
  const honest = await oldDevice(owner, own, 'ffffffff-4f89-41d3-9a0c-0305e82c3301', false)
  // Ids that would come first in any order by id.
  const fakes = await Promise.all(
    [0, 1, 2].map((place) => oldDevice(stranger, foreign, `00000000-4f89-41d3-9a0c-0305e82c330${place}`, true)),
  )
  const rolloutsNow = async () => {
    clock.pass()
    const { rollouts } = await owner.applianceUpdates.state({})
    return new Map(rollouts.map((rollout) => [rollout.tenantId, rollout]))
  }
  const rollouts = await until(async () => {
    const all = await rolloutsNow()
    return all.get(stranger.tenantId)?.state === 'stopped' && honest.timesAsked() === 1 ? all : undefined
  })
  expect(rollouts.get(owner.tenantId)).toMatchObject({ state: 'running', counts: { asked: 1, failed: 0 } })
  expect(rollouts.get(stranger.tenantId)).toMatchObject({
    tenantName: 'Strangers',
    reason: '1 of 1 device of ring 1 failed. It refused the update.',
    failures: [{ reason: `It refused the update: ${refusal}` }],
  })
  await Promise.all([honest, ...fakes].map(({ stop }) => stop()))
})
