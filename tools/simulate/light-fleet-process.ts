/** Process of a light fleet: the work of thousands of agents does not delay what the benchmark measures. */
import { reconnectDelaySeconds } from '../../agent/link/connection.ts'
import { LightAgent } from './light-agent.ts'
import type { FleetCommand, FleetEvent } from './light-fleet.ts'

/** Half of the time between two reports; a ping is sent each time, as our agent does. */
const pingMs = 15_000
const statusMs = 50
/** Addresses of this machine that agents connect from. */
const sourceAddresses = 16

const agents: LightAgent[] = []
/** Agents that have proved their device on their current connection. */
const proved = new Set<LightAgent>()
let [urls, tenantId, lost, stored]: [readonly URL[], string, number, number] = [[], '', 0, 0]

const tell = (event: FleetEvent) => void process.send!(event)

function connect(agent: LightAgent): void {
  const { index } = agent
  const { hostname, port } = urls[(index + agent.attempts) % urls.length]!
  agent.connect(hostname, Number(port), `127.0.1.${(index % sourceAddresses) + 1}`, tenantId)
}

/** Pings, and reports each second time, until the connection ends. */
function beat(agent: LightAgent, isReport: boolean): void {
  setTimeout(() => {
    if (proved.has(agent)) {
      agent.ping()
      if (isReport) {
        agent.update(tenantId)
      }
      beat(agent, !isReport)
    }
  }, pingMs)
}

const events = {
  stored(agent: LightAgent) {
    stored++
    if (!proved.has(agent)) {
      proved.add(agent)
      beat(agent, false)
    }
  },
  closed(agent: LightAgent) {
    lost += proved.delete(agent) ? 1 : 0
    setTimeout(() => connect(agent), reconnectDelaySeconds(agent.attempts++, Math.random) * 1000)
  },
}

process.on('message', (command: FleetCommand) => {
  if (command.kind === 'create') {
    tenantId = command.tenantId
    for (let index = command.first; index < command.first + command.count; index++) {
      agents.push(new LightAgent(index, events))
    }
    tell({ kind: 'created', devices: agents.map(({ id, publicKey }) => ({ id, publicKey })) })
    return
  }
  urls = command.urls.map((url) => new URL(url))
  agents.forEach((agent, index) => setTimeout(() => connect(agent), (index * 1000) / command.perSecond))
  setInterval(() => tell({ kind: 'status', proved: proved.size, lost, stored }), statusMs)
})
process.on('disconnect', () => process.exit())
