import { inParallel, registerFleet } from '../simulate/fleet.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { startProcess, withServer } from '../simulate/server-process.ts'
import { closedLoop } from './heartbeats.ts'
import { loadHttp, rounded } from './measure.ts'

const connections = 32
const agentCount = 100
const warmUpSeconds = 2
const usualSeconds = 5

/** Requests and heartbeats a second of a server with these settings. */
async function measure(more: Record<string, string>, seconds: number) {
  const { settings, headers } = serviceAccount()
  return withServer({ ...settings, ...more }, async (server) => {
    const { agents } = await registerFleet(server.url, agentCount)
    const request = () => ({ path: `/api/v1/devices/${agents[0]!.id}`, headers })
    await loadHttp({ url: server.url, request, connections, seconds: warmUpSeconds })
    const { requestsPerSecond, p99Ms } = await loadHttp({ url: server.url, request, connections, seconds })
    await inParallel(agents, 20, (agent) => agent.connect(server.url))
    await closedLoop(agents, warmUpSeconds)
    const heartbeatsPerSecond = await closedLoop(agents, seconds)
    agents.forEach((agent) => agent.close())
    return {
      requestsPerSecond: Math.round(requestsPerSecond),
      p99Ms: rounded(p99Ms),
      heartbeatsPerSecond: Math.round(heartbeatsPerSecond),
      memoryMb: Math.round(await server.memoryMb()),
    }
  })
}

/** Server without telemetry, and with all of it exported to a collector in a process of its own. */
export async function telemetry(options: { seconds?: string }) {
  const seconds = Number(options.seconds ?? usualSeconds)
  const off = await measure({}, seconds)
  const collector = await startProcess('scripts/bench/collector.ts')
  try {
    const on = await measure({ Service_OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, seconds)
    return {
      off,
      on,
      ratioOfRequests: rounded(on.requestsPerSecond / off.requestsPerSecond),
      ratioOfHeartbeats: rounded(on.heartbeatsPerSecond / off.heartbeatsPerSecond),
    }
  } finally {
    await collector.stop()
  }
}
