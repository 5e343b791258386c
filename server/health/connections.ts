import { hourMs } from '../../shared/durations.ts'
import { nearestOf } from '../engines/flow/address-counts.ts'
import type { Bound } from '../engines/http/web/connection-limits.ts'
import { ok, problem, time, warning, type HealthCheck } from './check.ts'

/** Share of a limit from which the report warns: time to act before connections are refused. */
const nearShare = 0.8

const raise: Readonly<Record<Bound, string>> = {
  setting: 'Raise Service_AppOptions__MaxConnections and restart the server.',
  memory: 'Add memory, or set Service_AppOptions__MaxConnections, and restart the server.',
  files:
    'The system lets this server open too few files. Raise the limit, for a service of systemd with LimitNOFILE, and restart the server.',
  processor:
    'Set Service_AppOptions__MaxConnections and restart the server, or distribute the devices to more servers.',
}
const raiseAddress =
  'Raise Service_AppOptions__MaxConnectionsPerAddress and restart the server. If the address is a proxy, name it in Service_AppOptions__KnownProxies.'

const count = (value: number) => value.toLocaleString('en')

/** Open sockets of the process, and those of the address closest to its limit. */
export const connections: HealthCheck = {
  id: 'connections',
  title: 'Connections',
  run({ sockets, connectionLimits: { total, bound }, hubs, clock }) {
    const { open, lastRefusal } = sockets
    // A proxy's own sockets have no limit of their own: the hubs count the peers behind it.
    const address = nearestOf([sockets.nearest, hubs.agent.nearest(), hubs.viewer.nearest()])
    const isTotalNear = open >= nearShare * total
    const isAddressNear = address !== undefined && address.count >= nearShare * address.limit
    const from = isAddressNear ? `; ${count(address.count)} of ${count(address.limit)} from ${address.address}` : ''
    const summary = `${count(open)} open, ${count(total)} are possible${from}`
    if (lastRefusal && clock.now() - lastRefusal.at < hourMs) {
      const { at, address: refused } = lastRefusal
      return refused === undefined
        ? problem(`${summary}; the last one was refused on ${time(at)}`, raise[bound], at)
        : warning(`${summary}; ${refused} reached its limit, the last time on ${time(at)}`, raiseAddress, at)
    }
    if (isTotalNear || isAddressNear) {
      return warning(summary, isTotalNear ? raise[bound] : raiseAddress)
    }
    return ok(summary)
  },
}
