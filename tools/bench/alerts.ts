import { minuteMs } from '../../shared/durations.ts'
import { applianceAlerts } from '../../shared/api/appliance-alerts.ts'
import { applianceHome } from '../../shared/api/appliance-home.ts'
import { createClient } from '../../shared/contract/client.ts'
import { SimulatedAgent } from '../simulate/agent.ts'
import { signIn, type Account } from '../simulate/fleet.ts'
import type { ServerProcess } from '../simulate/server-process.ts'
import { connectAll, updates } from './agents.ts'
import { medians, percentile, sleep, type Figures, type Round } from './measure.ts'
import { deviceRow, store, withStored } from './stored.ts'

const pingMs = 15_000
const pingTickMs = 100
const busyAgents = 100
/** Slices of each kind; the first warms up. */
const slices = 5
/** Time after a switch, in which the rules look at all devices once. */
const settleMs = 3_000
/** Part of the devices that lose their switch. */
const lost = 0.3

const clientOf = (server: ServerProcess, { fetch: send }: Account) =>
  createClient(applianceAlerts, { baseUrl: server.url, fetch: send })
type Client = ReturnType<typeof clientOf>

const everything = { kind: 'everything', id: null } as const

/** Keeps agents alive by pings that are distributed evenly: all at once, they would fall into some slices and not into others. */
function keepAlive(agents: readonly SimulatedAgent[]): () => void {
  const share = Math.ceil((agents.length * pingTickMs) / pingMs)
  let at = 0
  const timer = setInterval(() => {
    agents.slice(at, at + share).forEach((agent) => agent.ping())
    at = at + share < agents.length ? at + share : 0
  }, pingTickMs)
  return () => clearInterval(timer)
}

/** Switches all rules of the organization on or off. */
async function switchRules(alerts: Client, tenantId: string, isEnabled: boolean): Promise<void> {
  const { items } = await alerts.listRules({ tenantId })
  for (const { id: ruleId, name, condition, receivers } of items) {
    const body = { name, condition, receivers, scope: everything, isEnabled }
    await alerts.updateRule({ tenantId, params: { ruleId }, body })
  }
}

/** Processor time of an update with the first rules and without rules, alternating. */
async function share(
  server: ServerProcess,
  alerts: Client,
  tenantId: string,
  agents: SimulatedAgent[],
  seconds: number,
) {
  const measure = async (isEnabled: boolean) => {
    await switchRules(alerts, tenantId, isEnabled)
    await sleep(settleMs)
    return (await updates(agents, server, seconds)).cpuMsPerUpdate!
  }
  const figures: Figures[] = []
  for (let slice = 0; slice <= slices; slice++) {
    // Each kind is the first of two as often: what the machine does meanwhile costs both the same.
    const isFirst = slice % 2 === 0
    const one = await measure(isFirst)
    const other = await measure(!isFirst)
    figures.push(isFirst ? { withRules: one, without: other } : { withRules: other, without: one })
  }
  const { withRules, without } = medians(figures.slice(1))
  return { percent: (withRules! / without! - 1) * 100, withRules: withRules!, without: without! }
}

/** Cuts agents off, and measures other requests until the alert about them is open. */
async function cutOff(server: ServerProcess, alerts: Client, account: Account, agents: readonly SimulatedAgent[]) {
  const headers = { cookie: account.cookie, origin: server.url }
  if (!agents.every(({ isOpen }) => isOpen)) {
    throw new Error('Agents lost their connections before the cut: the machine is too busy.')
  }
  const begun = performance.now()
  agents.forEach((agent) => agent.close())
  const times: number[] = []
  const alertsOf = async () => (await alerts.list({ query: {} })).items.filter(({ kind }) => kind === 'device-offline')
  let toldAfterMs: number | undefined
  while (toldAfterMs === undefined || performance.now() - begun < toldAfterMs + 10_000) {
    const started = performance.now()
    const response = await fetch(`${server.url}/api/v1/devices/${agents[0]!.id}`, { headers })
    await response.arrayBuffer()
    times.push(performance.now() - started)
    if (toldAfterMs === undefined && performance.now() - begun > minuteMs && (await alertsOf()).length > 0) {
      toldAfterMs = performance.now() - begun
    }
    await sleep(5)
  }
  const opened = await alertsOf()
  return {
    lateMs: toldAfterMs - minuteMs,
    alerts: opened.length,
    devices: opened.reduce((sum, { deviceCount }) => sum + deviceCount, 0),
    receivers: opened[0]?.told.length ?? 0,
    p95Ms: percentile(times, 0.95),
    p99Ms: percentile(times, 0.99),
    mostMs: Math.max(...times),
  }
}

/** Times of the request that the start page waits for. */
async function startPage(server: ServerProcess, { fetch: send }: Account): Promise<Figures> {
  const home = createClient(applianceHome, { baseUrl: server.url, fetch: send })
  const times: number[] = []
  for (let request = 0; request < 50; request++) {
    const started = performance.now()
    await home.fleet({})
    times.push(performance.now() - started)
  }
  return { p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) }
}

/** Rules on every heartbeat, and devices that lose their switch at once. */
export async function alerts(round: Round): Promise<void> {
  const count = round.number('devices', 10_000)
  const fill = async (directory: string, { tenantId }: Account) => {
    const agents = Array.from({ length: count }, (_, index) => new SimulatedAgent(index, tenantId))
    await store(directory, (models, options) => {
      const rows = agents.map(({ id, publicKey }, index) => ({ ...deviceRow(id, index, tenantId), publicKey }))
      return models.Device.bulkCreate(rows, options)
    })
    return agents
  }
  await withStored({ settings: {} }, fill, async (server, agents) => {
    const account = await signIn(server.url)
    const { tenantId } = account
    const client = clientOf(server, account)
    // Before all are connected: on a busy machine that takes longer than the server waits for a sign of life.
    const stopPings = keepAlive(agents)
    await connectAll(agents, server)
    const seconds = round.number('seconds', 4)
    round.record(`start page of ${count} devices`, await startPage(server, account))
    round.record('rules on a heartbeat', await share(server, client, tenantId, agents.slice(-busyAgents), seconds))
    const body = {
      name: 'Switch',
      condition: { kind: 'device-offline', minutes: 1, includesPlanned: false },
      scope: everything,
      receivers: { kind: 'administrators', userIds: [] },
      isEnabled: true,
    } as const
    await client.createRule({ tenantId, body: { ...body, receivers: { kind: 'administrators', userIds: [] } } })
    round.record(
      `${count * lost} of ${count} devices cut off`,
      await cutOff(server, client, account, agents.slice(0, count * lost)),
    )
    round.record(`start page of ${count} devices, ${count * lost} down`, await startPage(server, account))
    stopPings()
    agents.forEach((agent) => agent.close())
  })
}
