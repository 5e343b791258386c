import { failure, success, terminalNotOpen } from '../../shared/dtos/hub-result.ts'
import type { TerminalGuest } from '../../shared/dtos/terminal-guest.ts'
import type { OpenTerminalDto, TerminalInputDto, TerminalSessionResult } from '../../shared/dtos/terminal.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { availableShells } from './pty.ts'
import type { VisitInput, VisitLog } from './visit-log.ts'
import { TerminalSession, type OpenedTerminal, type SendOutput } from './terminal-session.ts'

const maxSessions = 32
const defaultIdleMs = 10 * 60_000
/** Guests of a terminal whose visits are noted. */
const maxGuests = 100

export interface TerminalDependencies {
  clock: Clock
  log: Log
  send: SendOutput
  visits?: VisitLog
  idleMs?: number
}

/** Terminals of this device. Sessions outlive the connections of their viewer and of the agent. */
export class Terminals {
  readonly #deps: TerminalDependencies
  readonly #sessions = new Map<string, TerminalSession>()
  readonly #shells = availableShells()
  /** Functions that note the end of a guest's visit, by terminal and guest. */
  readonly #guests = new Map<string, Map<string, (input: VisitInput) => void>>()

  constructor(deps: TerminalDependencies) {
    this.#deps = deps
  }

  get size() {
    return this.#sessions.size
  }

  /**
   * Opens a terminal. An id belongs to its first viewer: knowledge of the id gives no access to another viewer's shell
   * (T30).
   */
  create(id: string, viewerConnectionId: string, visitorName = ''): TerminalSessionResult {
    const known = this.#sessions.get(id)
    if (known && !known.isWatchedBy(viewerConnectionId)) {
      return failure('A terminal with this id is open already.')
    }
    if (!known && this.#sessions.size >= maxSessions) {
      return failure(`This device has ${maxSessions} open terminals already. Close one first.`)
    }
    return this.#attempt(id, () =>
      this.#attached(
        known ?? this.#open(id, { viewer: viewerConnectionId, shell: this.#shells[0] ?? '', visitorName }),
        viewerConnectionId,
        known,
      ),
    )
  }

  /**
   * Writes input to a terminal. Input for a terminal that does not exist (any more) is rejected, never run elsewhere
   * (T33).
   */
  input(dto: TerminalInputDto): TerminalSessionResult {
    if (!dto.viewerConnectionId) {
      return failure('A viewer connection id is required.')
    }
    const { terminalId: id, viewerConnectionId: viewer, shell } = dto
    const session = this.#sessions.get(id)
    if (!session?.isRunning) {
      return failure(terminalNotOpen)
    }
    if (shell !== undefined && !this.#shells.includes(shell)) {
      return failure(`This device has no shell ${shell}.`)
    }
    return this.#attempt(id, () => {
      const isOther = shell !== undefined && shell !== session.shell
      const used = isOther ? this.#replace(id, viewer, session, shell) : session
      used.input(dto)
      return used
    })
  }

  /** Notes the visit of a guest, to whom the server shows a terminal of somebody else. */
  setGuest({ terminalId, guestId, guestName, organizationName, isHere, hasTyped }: TerminalGuest): void {
    const guests = this.#guests.get(terminalId) ?? new Map<string, (input: VisitInput) => void>()
    guests.get(guestId)?.({ hasTyped })
    guests.delete(guestId)
    if (isHere && this.isOpen(terminalId) && this.#deps.visits && guests.size < maxGuests) {
      guests.set(guestId, this.#deps.visits.begin({ kind: 'terminal', visitor: guestName, organizationName }))
      this.#guests.set(terminalId, guests)
    }
  }

  #endGuests(terminalId: string) {
    this.#guests.get(terminalId)?.forEach((noteEnd) => noteEnd({ hasTyped: false }))
    this.#guests.delete(terminalId)
  }

  /** True while the shell of a terminal runs. */
  isOpen(id: string): boolean {
    return this.#sessions.get(id)?.isRunning === true
  }

  close(id: string): void {
    this.#sessions.get(id)?.close()
    this.#sessions.delete(id)
  }

  closeAll(): void {
    for (const id of this.#sessions.keys()) {
      this.close(id)
    }
  }

  /** Call when the hub connection is restored. Returns the terminals whose shells run. */
  resume(): OpenTerminalDto[] {
    this.#sessions.forEach((session) => session.resume())
    return [...this.#sessions]
      .filter(([, { isRunning }]) => isRunning)
      .map(([terminalId, { shell }]) => ({ terminalId, shell }))
  }

  #attempt(id: string, use: () => TerminalSession): TerminalSessionResult {
    try {
      const { shell } = use()
      return { ...success, isPty: true, shell, shells: this.#shells }
    } catch (error) {
      this.#deps.log.error({ terminalId: id, error }, 'Terminal failed')
      return failure(`The terminal failed: ${(error as Error).message}`)
    }
  }

  #attached(session: TerminalSession, viewer: string, known: TerminalSession | undefined) {
    session.attach(viewer, known !== undefined)
    return session
  }

  /** Replaces the shell of a terminal; the viewer starts with a clear screen. */
  #replace(id: string, viewer: string, session: TerminalSession, shell: string) {
    const next = this.#open(id, { viewer, shell, visitorName: session.visitorName })
    session.close({ isReplaced: true })
    next.attach(viewer, true)
    return next
  }

  #open(id: string, opened: OpenedTerminal) {
    const { clock, send, log, visits, idleMs = defaultIdleMs } = this.#deps
    const noteEnd = visits?.begin({ kind: 'terminal', visitor: opened.visitorName })
    const session = new TerminalSession(id, opened, {
      clock,
      send,
      idleMs,
      onEnd: () => {
        noteEnd?.({ hasTyped: session.hasInput })
        if ((this.#sessions.get(id) ?? session) === session) {
          this.#sessions.delete(id)
          this.#endGuests(id)
        }
        log.info({ terminalId: id }, 'Terminal ended')
      },
    })
    this.#sessions.set(id, session)
    log.info({ terminalId: id, shell: opened.shell }, 'Terminal opened')
    return session
  }
}
