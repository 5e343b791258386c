import { inParallel } from '../../shared/in-parallel.ts'
import type { SimulatedAgent } from '../simulate/agent.ts'
import { registerFleet } from '../simulate/fleet.ts'
import { withBare, withServer, type ServerProcess } from '../simulate/server-process.ts'
import { costOf, sleep, type Figures, type Round } from './measure.ts'

/** Agents that connect at the same time. */
const connecting = 20
const busyAgents = 100
/** Time until the server has noticed closed connections. */
const settleMs = 1_500

/** Connects agents and measures the server's cost. */
async function connectAll(agents: readonly SimulatedAgent[], server: ServerProcess): Promise<Figures> {
  const { seconds, cpu } = await costOf({ server }, () =>
    inParallel(agents, connecting, (agent) => agent.connect(server.url)),
  )
  return { connectsPerSecond: agents.length / seconds, cpuMsPerConnect: (cpu.server * 1000) / agents.length }
}

/** Updates, when each agent sends its next update as soon as the previous one is stored. */
async function updates(agents: readonly SimulatedAgent[], server: ServerProcess, forSeconds: number): Promise<Figures> {
  const deadline = performance.now() + forSeconds * 1000
  let answered = 0
  const { seconds, cpu } = await costOf({ server }, () =>
    inParallel(agents, agents.length, async (agent) => {
      while (performance.now() < deadline) {
        await agent.update()
        answered++
      }
    }),
  )
  return { updatesPerSecond: answered / seconds, cpuMsPerUpdate: (cpu.server * 1000) / answered }
}

const closeAll = async (agents: readonly SimulatedAgent[]) => {
  agents.forEach((agent) => agent.close())
  await sleep(settleMs)
}

export async function agents(round: Round): Promise<void> {
  const count = round.number('agents', 1000)
  await withServer({}, async (server) => {
    const { seconds, cpu, result } = await costOf({ server }, () => registerFleet(server.url, count))
    const { agents: all } = result
    round.record('enrollments', {
      enrollmentsPerSecond: count / seconds,
      cpuMsPerEnrollment: (cpu.server * 1000) / count,
    })
    await connectAll(all, server)
    round.record(`memory with ${count} agents`, { memoryMb: await server.memoryMb() })
    await closeAll(all)
    await withBare('hub', [], async (bare) => {
      await round.measure('connects', [server, bare], async (side) => {
        const figures = await connectAll(all, side)
        await closeAll(all)
        return figures
      })
      const busy = all.slice(0, busyAgents)
      await round.measure('signed updates', [server, bare], async (side) => {
        await connectAll(busy, side)
        const figures = await updates(busy, side, round.number('seconds', 4))
        await closeAll(busy)
        return figures
      })
    })
  })
}
