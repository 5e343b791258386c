import { counter, gauge, observedCounter, type Labels } from '../../../shared/telemetry/instruments.ts'
import { platformNames } from '../../../shared/dtos/device-report.ts'
import { sessionPermissions } from '../../../shared/dtos/remote-session.ts'
import type { App } from '../../call/call.ts'
import type { RemoteSession } from '../../remote/remote-sessions.ts'
import type { WriteCounts } from './writes.ts'

/** Numbers of open connections. */
export interface HubCounts {
  agents: { connections: { readonly count: number } }
  viewers: { connections: { readonly count: number } }
}

/** Versions with a label of their own: agents choose theirs, so their number has a limit. */
const maxVersions = 50

type Rows = (readonly [number, Labels])[]

/** Counts items by a label. */
function countBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) {
    const key = keyOf(item)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

function deviceRows({ fleet }: App): Rows {
  const counts = countBy(
    fleet.all,
    ({ platform, connectionId }) =>
      `${platformNames[platform] ?? 'Unknown'} ${connectionId === '' ? 'offline' : 'online'}`,
  )
  return [...counts].map(([key, count]) => {
    const [os = '', state = ''] = key.split(' ')
    return [count, { 'farhand.device.os': os, 'farhand.device.state': state }]
  })
}

function versionRows({ fleet }: App): Rows {
  const counts = [...countBy(fleet.all, ({ agentVersion }) => agentVersion)].toSorted(([, a], [, b]) => b - a)
  const others = counts.slice(maxVersions).reduce((sum, [, count]) => sum + count, 0)
  const rows: Rows = counts
    .slice(0, maxVersions)
    .map(([version, count]) => [count, { 'farhand.agent.version': version }])
  return others === 0 ? rows : [...rows, [others, { 'farhand.agent.version': 'other' }]]
}

function sessionRows({ remoteSessions }: App): Rows {
  const counts = countBy(remoteSessions, ({ kind }) => kind)
  return Object.keys(sessionPermissions).map((kind) => [counts.get(kind) ?? 0, { 'farhand.session.kind': kind }])
}

const isRelayed = ({ kind }: RemoteSession) => kind === 'remote-control' || kind === 'vnc'

/** Payload of the relay: of ended sessions, and of those that run. */
function relayBytes(app: App): () => Rows {
  const ended = { to: 0, from: 0 }
  app.remoteSessions.onRemoved = (session) => {
    if (isRelayed(session)) {
      ended.to += session.bytesToDevice()
      ended.from += session.bytesFromDevice()
    }
  }
  return () => {
    const running = [...app.remoteSessions].filter(isRelayed)
    const to = running.reduce((sum, session) => sum + session.bytesToDevice(), ended.to)
    const from = running.reduce((sum, session) => sum + session.bytesFromDevice(), ended.from)
    return [
      [to, { 'network.io.direction': 'to-device' }],
      [from, { 'network.io.direction': 'from-device' }],
    ]
  }
}

/** The metrics of the product. Each is read from memory at an export, so nothing is counted twice. */
export function watchApp(app: App, { agents, viewers }: HubCounts, writes: WriteCounts): void {
  gauge('farhand.devices', () => deviceRows(app))
  gauge('farhand.agents', () => versionRows(app))
  gauge('farhand.hub.connections', () => [
    [agents.connections.count, { 'farhand.hub': 'agent' }],
    [viewers.connections.count, { 'farhand.hub': 'viewer' }],
  ])
  gauge('farhand.sessions', () => sessionRows(app))
  observedCounter('farhand.relay.io', relayBytes(app))
  gauge('farhand.queue.length', () => [
    [writes.queued, { 'farhand.queue': 'database' }],
    [app.mail.running, { 'farhand.queue': 'mail' }],
    [app.audit.waiting, { 'farhand.queue': 'audit' }],
  ])
  const refused = counter('farhand.sign_in.refused')
  app.audit.onRecorded = ({ kind, outcome }) => {
    if (outcome === 'failure' && kind.startsWith('sign-in.')) {
      refused.add(1, { 'farhand.sign_in.kind': kind.slice('sign-in.'.length) })
    }
  }
}
