import { expect, test } from 'vitest'
import { zeroId } from '../../shared/contract/fields.ts'
import { TestAgent } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { useTestServer } from '../support/server.ts'

test('an address enrolls no more than twenty devices a minute, and known devices still report', async () => {
  const clock = manualClock()
  const settings = {
    AppOptions__AllowAgentsToSelfBootstrap: 'true',
    AppOptions__AgentClockSkewTolerance: '',
    AppOptions__KnownProxies__0: '127.0.0.1',
  }
  const server = await useTestServer({ clock, settings })
  const owner = await server.owner()
  const reported = async (agent: TestAgent, address: string) => {
    const connection = await agent.open(server.url, {}, { headers: { 'x-forwarded-for': address } })
    const { reason } = await connection.UpdateDeviceSigned(agent.signed(agent.report()))
    await connection.connection.stop()
    return reason
  }
  const agents = Array.from({ length: 21 }, () => new TestAgent(zeroId))
  const reasons = []
  for (const [index, agent] of agents.entries()) {
    reasons.push(await reported(agent, `2001:db8::${index + 1}`))
  }
  const tooMany = 'Too many devices enrolled from this address. Try again later.'
  expect(reasons).toEqual([...Array(20).fill(null), tooMany])
  expect(await reported(agents[0]!, '2001:db8::1')).toBeNull()
  expect(await reported(agents[20]!, '2001:db8:0:1::1')).toBeNull()
  clock.advance(60_000)
  expect(await reported(new TestAgent(zeroId), '2001:db8::1')).toBeNull()
  expect(await owner.devices.summary({})).toHaveLength(22)
})
