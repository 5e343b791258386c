import { inParallel, registerFleet } from '../simulate/fleet.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { withBare, withServer } from '../simulate/server-process.ts'
import { loadHttp, rounded, sleep } from './measure.ts'

const loadSeconds = 4
const heartbeats = 5
const aMinute = 60_000
/** The server closes a connection without any message after 30 s. */
const pingMs = 15_000

/**
 * Measures the resident memory of a fresh server, with connected agents, after lists, reads, writes and heartbeats, and
 * a minute after that; all of them against a bare `node:http` server without connections.
 */
export async function memory(options: { agents?: string }) {
  const { settings, headers } = serviceAccount()
  const bareMb = await withBare('http', ['2'], (bare) => bare.memoryMb())
  const megabytes = await withServer(settings, async (server) => {
    const measured = async () => Math.round(await server.memoryMb())
    await sleep(aMinute)
    const fresh = await measured()
    const { tenantId, agents } = await registerFleet(server.url, Number(options.agents ?? 1000))
    await inParallel(agents, 20, (agent) => agent.connect(server.url))
    const pings = setInterval(() => agents.forEach((agent) => agent.ping()), pingMs)
    await sleep(aMinute)
    const connected = await measured()
    for (let n = 0; n < heartbeats; n++) {
      await inParallel(agents, 50, (agent) => agent.update())
    }
    const pathOf = (path: string) => `/api/v1${path}?tenantId=${tenantId}`
    const load = (request: Parameters<typeof loadHttp>[0]['request']) =>
      loadHttp({ url: server.url, request, connections: 32, seconds: loadSeconds })
    await load(() => ({ path: pathOf('/devices'), headers }))
    await load(() => ({ path: pathOf(`/devices/${agents[0]!.id}`), headers }))
    await load((connection, n) => ({
      method: 'PATCH',
      path: pathOf(`/devices/${agents[connection % agents.length]!.id}/alias`),
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ alias: `alias ${n}` }),
    }))
    const afterLoad = await measured()
    await sleep(aMinute)
    const aMinuteLater = await measured()
    clearInterval(pings)
    agents.forEach((agent) => agent.close())
    return { fresh, connected, afterLoad, aMinuteLater }
  })
  const ratiosToBare = Object.fromEntries(Object.entries(megabytes).map(([name, mb]) => [name, rounded(mb / bareMb)]))
  return { bareMb: Math.round(bareMb), megabytes, ratiosToBare }
}
