import { isAuditKind } from '../../shared/audit.ts'
import { auditKinds } from '../../shared/audit-kinds.ts'
import type { AbsenceCause } from '../../shared/dtos/device-absence.ts'
import type { TimelineEntryDto } from '../../shared/dtos/timeline.ts'
import { presentAuditEvent } from '../audit/present.ts'
import { openCommand } from '../audit/sealed-command.ts'
import type { AuditEventRow } from '../audit/tables.ts'
import type { App } from '../call/call.ts'
import type { ConnectionChange } from '../devices/connections.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { instant } from '../ground/instant.ts'

/** Sentence of each end of a connection, behind the name of the device. */
const ends: Record<AbsenceCause, string> = {
  'never-connected': 'went offline',
  stopped: 'went offline: its agent was stopped',
  uninstalled: 'went offline: its agent was uninstalled',
  update: 'went offline for an update of its agent',
  shutdown: 'was switched off',
  restart: 'was restarted',
  killed: 'went offline: its agent crashed or was killed, or the machine went down abruptly',
  vanished: 'fell silent: network, power or sleep',
  'refused-key': 'went offline: it connects with another key',
  'refused-clock': 'went offline: its clock is too far off',
  'refused-tenant': 'went offline: it connects as a device of another organization',
  'two-machines': 'was disconnected: two machines have its identity',
  'server-down': 'was disconnected: this server was down',
  'server-asleep': 'was disconnected: the computer of this server slept',
  'server-ended': 'was disconnected by this server',
  unknown: 'went offline',
}

export interface Presenter {
  event(row: AuditEventRow): TimelineEntryDto
  change(change: ConnectionChange): TimelineEntryDto
}

interface Reader {
  isAuditReader: boolean
  /** Device whose connections are shown. */
  device?: DeviceState
}

/** Order of changes of a connection. Of two in one millisecond, the connection follows the end of the one before. */
export const orderOf = ({ at, isOnline }: ConnectionChange): number => 2 * at + (isOnline ? 1 : 0)

export const presenter = (app: App, { isAuditReader, device }: Reader): Presenter => ({
  event(row) {
    const reader = {
      nameOf: (id: string) => app.accounts.nameOf(id),
      commandIn: (sealed: string) => openCommand(app.sealer, sealed),
    }
    const event = presentAuditEvent(row, reader)
    return {
      id: `event-${event.id}`,
      at: event.at,
      group: isAuditKind(event.kind) ? auditKinds[event.kind].category : 'server',
      kind: event.kind,
      outcome: event.outcome,
      sentence: event.sentence,
      count: event.count,
      cause: null,
      actor: { kind: event.actorKind, id: event.actorId, name: event.actorName },
      device: event.deviceId === null ? null : { id: event.deviceId, name: event.deviceName },
      target: event.targetKind === null ? null : { kind: event.targetKind, id: event.targetId, name: event.targetName },
      auditId: isAuditReader ? event.id : null,
    }
  },
  change(change) {
    const { at, isOnline, cause } = change
    const name = device?.alias || device?.name || null
    return {
      id: `connection-${orderOf(change)}`,
      at: instant(at),
      group: 'connection',
      kind: isOnline ? 'connection.online' : 'connection.offline',
      outcome: 'success',
      sentence: `${name} ${isOnline ? 'connected' : ends[cause ?? 'unknown']}`,
      count: 1,
      cause,
      actor: null,
      device: device ? { id: device.id, name } : null,
      target: null,
      auditId: null,
    }
  },
})
