import { openDatabase } from '../../server/database/database.ts'
import { createLog } from '../../server/ground/log.ts'
import { migrations } from '../../server/database/migrations/index.ts'
import { bindModels } from '../../server/call/models.ts'
import { SimulatedAgent } from '../simulate/agent.ts'
import { simulatedReport } from '../simulate/facts.ts'
import { openAccount } from '../simulate/fleet.ts'
import { startServer } from '../simulate/server-process.ts'
import { serviceAccount } from '../simulate/service-account.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { closedLoop, connectAll } from './heartbeats.ts'
import { measureHttp, median, rounded, sleep, type HttpRequest } from './measure.ts'

const sizes = [100, 1_000, 5_000, 20_000]
const starts = 3
const settleMs = 1_000
/** Agents that are connected at the same time: a process may open 20,000 files here. */
const maxConnected = 5_000
const busyAgents = 100
const busySeconds = 3
const rounds = { connections: 4, seconds: 1, rounds: 3 }

/** Stores devices in the data folder of a stopped server, in seconds instead of minutes. */
async function storeDevices(directory: string, tenantId: string, agents: readonly SimulatedAgent[]) {
  const database = await openDatabase({ directory, migrations, log: createLog({ default: 'None' }), appVersion: '0' })
  try {
    const { Device } = bindModels(database.sequelize)
    const rows = agents.map(({ id, publicKey }, index) => ({
      ...simulatedReport(index),
      id,
      tenantId,
      publicKey,
      createdAt: index,
      lastSeen: Date.now(),
      alias: null,
      publicIpV4: '198.51.100.7',
      publicIpV6: '',
      customerId: null,
      newestUpdate: null,
    }))
    await database.write((transaction) => Device.bulkCreate(rows, { transaction, validate: false, hooks: false }))
  } finally {
    await database.close()
  }
}

const searchBy = (propertyName: string, searchText: string, headers: Record<string, string>): HttpRequest => ({
  method: 'POST',
  path: '/api/v1/devices/search',
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify({
    page: 0,
    pageSize: 50,
    searchText,
    sortDefinitions: [{ propertyName, descending: false, sortOrder: 0 }],
  }),
})

/** Figures of a server with `count` devices. */
async function measured(count: number) {
  await using folder = await temporaryFolder()
  const { settings, headers } = serviceAccount()
  const first = await startServer(folder.path, settings)
  const { tenantId } = await openAccount(first.url)
  await first.stop()
  const agents = Array.from({ length: count }, (_, index) => new SimulatedAgent(index, tenantId))
  await storeDevices(folder.path, tenantId, agents)
  const startMs: number[] = []
  for (let n = 1; n < starts; n++) {
    const again = await startServer(folder.path, settings)
    startMs.push(again.readyAfterMs)
    await again.stop()
  }
  const server = await startServer(folder.path, settings)
  try {
    startMs.push(server.readyAfterMs)
    await sleep(settleMs)
    const memoryMb = Math.round(await server.memoryMb())
    const cpuOf = async (request: HttpRequest) => (await measureHttp(server, () => request, rounds)).cpuMsPerRequest
    const searchByLoadMs = await cpuOf(searchBy('CpuUtilization', '', headers))
    const searchByTextMs = await cpuOf(searchBy('Name', 'srv', headers))
    const listMs = await cpuOf({ path: '/api/v1/devices', headers })
    const connected = agents.slice(0, maxConnected)
    const { figures } = await connectAll(connected, server)
    const busy = agents.slice(0, busyAgents)
    await closedLoop(busy, 1)
    const before = await server.cpuSeconds()
    const updates = (await closedLoop(busy, busySeconds)) * busySeconds
    const heartbeatMs = rounded((((await server.cpuSeconds()) - before) * 1000) / updates)
    const connectedMemoryMb = Math.round(await server.memoryMb())
    connected.forEach((agent) => agent.close())
    return {
      devices: count,
      connected: connected.length,
      startMs: Math.round(median(startMs)),
      memoryMb,
      connectedMemoryMb,
      connectMs: figures.cpuMsPerConnect,
      heartbeatMs,
      listMs,
      searchByLoadMs,
      searchByTextMs,
    }
  } finally {
    await server.stop()
  }
}

type Figures = Awaited<ReturnType<typeof measured>>

/** The power of the number of devices with which a figure grows, between the two largest fleets. */
function exponent(results: readonly Figures[], name: keyof Figures): number {
  const [before, last] = results.slice(-2) as [Figures, Figures]
  return rounded(Math.log(last[name] / before[name]) / Math.log(last.devices / before.devices))
}

/**
 * `--devices 100,1000,5000,20000`: measures how start, memory and the processor time of connections, heartbeats, lists
 * and searches grow with the number of devices.
 */
export async function scale(options: { devices?: string }) {
  const results: Figures[] = []
  for (const count of options.devices?.split(',').map(Number) ?? sizes) {
    process.stderr.write(`${count} devices\n`)
    results.push(await measured(count))
  }
  const names = Object.keys(results[0]!).filter((name) => name !== 'devices' && name !== 'connected')
  return {
    results,
    ...(results.length > 1 && {
      exponents: Object.fromEntries(names.map((name) => [name, exponent(results, name as keyof Figures)])),
    }),
  }
}
