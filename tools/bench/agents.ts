import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel } from '../../shared/in-parallel.ts'
import type { SimulatedAgent } from '../simulate/agent.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { startServer } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { costOf, rateOf, within, type Round } from './measure.ts'

/** Agents that connect at the same time. */
const connecting = 20
const busyAgents = 100
/** Time until the server has noticed closed connections. */
const settleMs = 1_500

export async function agents(round: Round): Promise<void> {
  const count = round.number('agents', 1000)
  await using folder = await temporaryFolder()
  await using server = await startServer(folder.path)
  let all: SimulatedAgent[] = []
  const connect = (some: SimulatedAgent[]) => inParallel(some, connecting, (agent) => agent.connect(server.url))
  const reconnect = async (some: SimulatedAgent[]) => {
    all.forEach((agent) => agent.close())
    await sleep(settleMs)
    return costOf({ server }, () => connect(some))
  }
  const enrolling = await costOf({ server }, async () => ({ agents: all } = await registerFleet(server.url, count)))
  round.record('enrollments', rateOf(count, enrolling))
  // The first connects are a warm-up.
  await connect(all)
  round.record(`memory with ${count} agents`, { memoryMb: await server.memoryMb() })
  round.record('connects', rateOf(count, await reconnect(all)))
  const busy = all.slice(0, busyAgents)
  await reconnect(busy)
  let answered = 0
  const goesOn = within(round.number('seconds', 4))
  // Each agent sends its next update as soon as the previous one is stored.
  const updates = await costOf({ server }, () =>
    inParallel(busy, busy.length, async (agent) => {
      for (; goesOn(); answered++) {
        await agent.update()
      }
    }),
  )
  round.record('signed updates', rateOf(answered, updates))
  all.forEach((agent) => agent.close())
}
