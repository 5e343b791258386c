import { minuteMs } from '../../../shared/durations.ts'
import { success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import type { Clock } from '../../ground/clock.ts'
import { WindowedCounts } from '../../engines/flow/windowed-counts.ts'
import type { Database, Touched } from '../../engines/database/database.ts'
import type { TerminalRow } from './tables.ts'
import type { Principal } from '../../ground/principal.ts'
import type { Viewer } from '../../devices/followed-devices.ts'
import { keysIn, Mirror } from '../../call/mirrors/mirror.ts'
import type { SessionRecorder } from '../../recordings/recorded-session.ts'
import type { RemoteSession } from '../remote-sessions.ts'

/** Maximum number of stored closed connections; the first are kept, and open ones are in `viewers`. */
const maxUsedFrom = 1_000

interface TerminalSize {
  columns: number
  rows: number
}

/** A guest who sees a shared terminal. */
export interface Guest {
  readonly connectionId: string
  readonly shareId: string
  readonly principal: Principal
  readonly session: RemoteSession
  bytesTyped: number
  bytesSeen: number
  /** Characters on their way to the guest. */
  waiting: number
  /** Whether the guest misses output, and gets the recent output again. */
  isBehind: boolean
}

/** Replay of recent output; output that was sent before goes to no other viewer. */
interface Replay {
  /** Connections that wait for the beginning of a replay. */
  readonly wantedBy: Set<string>
  /** Connection of the agent that was asked; a replay of another one is for every viewer. */
  askedOf: string
  /** When the agent was asked, on the monotonic clock, and its answer. */
  askedAt: number
  answer: Promise<HubResult>
  /** Connections of the replay that runs; undefined: all. */
  to: ReadonlySet<string> | undefined
  /** Whether the last output was of a replay, so that more of it may follow. */
  isRunning: boolean
  /** Connection of the agent whose output was recorded last, and whether the replay that runs is its first output. */
  recordedFrom: string
  isFirst: boolean
}

/** An open terminal. Its owner is stored; its viewers are known in memory only. */
export interface Terminal {
  readonly deviceId: string
  readonly id: string
  readonly owner: string
  readonly startedAt: number
  /** Undefined after a restart of the server, until the agent reports the terminal or its owner uses it. */
  session: RemoteSession | undefined
  /** Beginning of the session: resolves to the reason if it could not begin. */
  opening: Promise<string | undefined>
  /** Undefined where nothing may be recorded. */
  recorder: SessionRecorder | undefined
  usedAt: number
  /** Reported by the agent since this server's start. */
  shell: string | undefined
  /** Reported by the agent when it opened the terminal; undefined after a restart of this server. */
  isPty: boolean | undefined
  /** Last size sent by a viewer. */
  size: TerminalSize | undefined
  /** Viewer connections of its owner, including closed ones: an agent names the first or the latest with all output. */
  readonly usedFrom: Set<string>
  bytesToDevice: number
  bytesFromDevice: number
  /** Outputs that wait for a viewer who reads slowly. */
  waitingOutputs: number
  /** Viewer connections that may get its output, all of its owner. */
  readonly viewers: Map<string, Principal>
  /** Viewer of the owner who typed last: answers of other viewers to queries of programs are dropped. */
  lead: string | undefined
  /** Guests by connection. */
  readonly guests: Map<string, Guest>
  /** Links whose guest was let in by the person at the device, or by the rule. */
  readonly letIn: Set<string>
  /** Calls of guests in a minute, by kind and link. */
  readonly guestCalls: WindowedCounts
  /** Guest who typed last; undefined for the owner. */
  typist: string | undefined
  readonly replay: Replay
}

type Row = TerminalRow & { key: string }
type OfDevice = ReadonlyMap<string, Terminal>

/** Mirror of the open terminals of every device. */
export class Terminals extends Mirror<Row, OfDevice> {
  protected readonly sql = 'SELECT deviceId AS key, * FROM terminals'
  readonly #clock: Clock

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    super(database)
    this.#clock = clock
  }

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'terminals')
  }

  protected override entryOf(_: Row, rows: readonly Row[], known: OfDevice | undefined): OfDevice {
    const terminalOf = ({ deviceId, id, owner, startedAt }: Row): Terminal => {
      const same = known?.get(id)
      return same?.owner === owner
        ? same
        : {
            deviceId,
            id,
            owner,
            startedAt,
            session: undefined,
            opening: Promise.resolve(undefined),
            recorder: undefined,
            usedAt: this.#clock.now(),
            shell: undefined,
            isPty: undefined,
            size: undefined,
            usedFrom: new Set(),
            bytesToDevice: 0,
            bytesFromDevice: 0,
            waitingOutputs: 0,
            viewers: new Map(),
            lead: undefined,
            guests: new Map(),
            letIn: new Set(),
            guestCalls: new WindowedCounts(this.#clock, { windowMs: minuteMs }),
            typist: undefined,
            replay: {
              wantedBy: new Set(),
              askedOf: '',
              askedAt: Number.NEGATIVE_INFINITY,
              answer: Promise.resolve(success),
              to: undefined,
              isRunning: false,
              recordedFrom: '',
              isFirst: false,
            },
          }
    }
    return new Map(rows.map((row) => [row.id, terminalOf(row)]))
  }

  protected override storedOf(terminals: OfDevice): unknown {
    return [...terminals.values()].map(({ id, owner }) => `${id} ${owner}`).toSorted()
  }

  find(deviceId: string, id: string): Terminal | undefined {
    return this.held.get(deviceId)?.get(id)
  }

  of(deviceId: string): Terminal[] {
    return [...(this.held.get(deviceId)?.values() ?? [])]
  }

  *all(): Iterable<Terminal> {
    for (const terminals of this.held.values()) {
      yield* terminals.values()
    }
  }

  /** Registers a viewer of the owner, which may get the terminal's output from now on. */
  use(terminal: Terminal, { connectionId, principal }: Viewer): void {
    if (terminal.session) {
      terminal.session.principal = principal
      terminal.session.viewerConnectionId = connectionId
    }
    terminal.usedAt = this.#clock.now()
    if (terminal.usedFrom.size < maxUsedFrom) {
      terminal.usedFrom.add(connectionId)
    }
    terminal.viewers.set(connectionId, principal)
  }

  /** Removes a disconnected viewer. */
  drop(connectionId: string): void {
    for (const terminal of this.all()) {
      terminal.viewers.delete(connectionId)
      if (terminal.lead === connectionId) {
        terminal.lead = [...terminal.viewers.keys()].at(-1)
      }
    }
  }
}
