import type { ChatResponseHubDto } from '../../shared/dtos/chat.ts'
import type { DesktopSession } from '../../shared/dtos/desktop-session.ts'
import { failure, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { RecordingNotice } from '../../shared/dtos/recording-notice.ts'
import { wait, type Clock } from '../base/clock.ts'
import { UserError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Arriving, FoundDesktop } from '../platform/found-desktop.ts'
import { Grants } from './grants.ts'
import { listed, ServedDesktop, type EndedVisit, type Person, type Servable } from './served-desktop.ts'

export interface DesktopListDependencies {
  clock: Clock
  log: Log
  /** Discovers the current desktops, including desktops that cannot be shown. */
  discover: () => Promise<Arriving<FoundDesktop>>
  /** File of the tokens with which desktops are shown again without asking their persons. */
  grantsFile: string
  /** Sends an answer of a person in a chat to the server. */
  answerChat: (response: ChatResponseHubDto) => Promise<boolean>
  /** Called when a session has ended. */
  sessionEnded?: (end: EndedVisit) => void
  /** Called when the viewer of a session begins to hear the device. */
  sessionHeard?: (sessionId: string) => void
  idleMs?: number
}

const defaultIdleMs = 5 * 60_000
/**
 * Polling interval for desktops that have ended: sessions end by themselves at sign-out, the desktop's process ends
 * with this check.
 */
const lookMs = 30_000
/**
 * Time budget for the list, so that an unresponsive display does not delay the others; `firstMs` applies to the first
 * list.
 */
const knownMs = 400
const firstMs = 5000
/** Time until it must be known who is signed in; longer than one display may take to answer. */
const peopleMs = 12_000
const notRunning = (processId: number) => failure(`Process with ID ${processId} is no longer running.`)

/** Person at a desktop that cannot be shown, who cannot be asked either. */
const unreachable = ({ username, isSignedIn, name, obstacle }: FoundDesktop): Person => ({
  username,
  isSignedIn,
  desktop: name,
  ask: () => Promise.reject(new UserError(obstacle)),
  askPower: () => Promise.reject(new UserError(obstacle)),
  endPowerQuestion: () => Promise.resolve(),
})

/** Number of a desktop without a process, because the desktop cannot be shown; higher than any process id. */
const numberWithoutProcess = ({ systemSessionId }: FoundDesktop) => 2_000_000_000 + systemSessionId

const byName = (a: DesktopSession, b: DesktopSession) => a.name.localeCompare(b.name, 'en', { numeric: true })

/** Desktops of this device, and the process of each one that can be shown, spawned on the first request for desktops. */
export class DesktopList {
  readonly #deps: DesktopListDependencies
  readonly #served = new Map<string, ServedDesktop>()
  /** Desktops that cannot be shown, by their listed number. */
  readonly #closed = new Map<number, FoundDesktop>()
  #looking: Promise<boolean> | undefined
  #cancelLooking: (() => void) | undefined
  /** Whether a caller waits for the list in progress. */
  #isWanted = false
  #isStopped = false

  constructor(deps: DesktopListDependencies) {
    this.#deps = deps
  }

  /** Shows to the person at a desktop whether a session is recorded. */
  setRecorded(notice: RecordingNotice): void {
    this.#served.forEach((desktop) => desktop.setRecorded(notice))
  }

  /**
   * Person for visits without a desktop of their own: of the first desktop where somebody is signed in. One of `wishers`,
   * who want to be asked each time, comes before all others. Rejects while it is unknown who is signed in: a slow desktop
   * lets in no visitor unasked (T05, T37).
   */
  async person(wishers: readonly string[] = []): Promise<Person | undefined> {
    await this.#lookSoon()
    const known = this.#firstPerson(wishers)
    if (known && (wishers.length === 0 || wishers.includes(known.username))) {
      return known
    }
    // The search above may have been cut short, or may have begun before the call and without starting processes.
    if (!(await this.#lookSoon(peopleMs))) {
      throw new UserError('The device could not find out who is signed in.')
    }
    return this.#firstPerson(wishers)
  }

  #firstPerson(wishers: readonly string[]): Person | undefined {
    const served = [...this.#served.values()].map(({ person }) => person)
    const closed = [...this.#closed.values()].map(unreachable)
    const people = [...served, ...closed]
      .filter(({ isSignedIn }) => isSignedIn)
      .toSorted((a, b) => a.desktop.localeCompare(b.desktop, 'en', { numeric: true }))
    return people.find(({ username }) => wishers.includes(username)) ?? people[0]
  }

  /** Ends all sessions, chats and processes. */
  stop(): void {
    this.#isStopped = true
    this.#cancelLooking?.()
    this.#served.forEach((desktop) => desktop.stop())
  }

  /** Returns false if the search has failed or goes on. */
  #lookSoon(limitMs = this.#served.size + this.#closed.size > 0 ? knownMs : firstMs): Promise<boolean> {
    return Promise.race([this.#look(true), wait(this.#deps.clock, limitMs).then(() => false)])
  }

  /** The desktops as listed for viewers, by name; those that cannot be shown come last. */
  async list(): Promise<DesktopSession[]> {
    await this.#lookSoon()
    const shown = await Promise.all([...this.#served.values()].map((desktop) => desktop.describe()))
    return [
      // Exclude desktops whose process has just ended: the listed number would be invalid.
      ...shown.filter(({ processId }) => this.#find(processId) !== undefined).toSorted(byName),
      ...[...this.#closed].map(([number, found]) => listed(found, number, found.obstacle)),
    ]
  }

  /**
   * Discovers the desktops; concurrent calls share one search. `isWanted` spawns the missing processes. Returns false if
   * the search has failed.
   */
  #look(isWanted: boolean): Promise<boolean> {
    this.#isWanted ||= isWanted
    this.#looking ??= this.#lookNow()
      .then(() => true)
      .catch((error: unknown) => {
        this.#deps.log.error({ error }, 'The desktops could not be listed')
        return false
      })
      .finally(() => {
        this.#looking = undefined
        this.#isWanted = false
      })
    return this.#looking
  }

  async #lookNow() {
    const present = new Set<string>()
    const closedBefore = [...this.#closed.keys()]
    const add = (found: FoundDesktop) => {
      const { launcher } = found
      const number = numberWithoutProcess(found)
      present.add(launcher?.key ?? String(number))
      if (!launcher) {
        this.#closed.set(number, found)
      } else if (this.#isWanted && !this.#isStopped && !this.#served.has(launcher.key)) {
        this.#closed.delete(number)
        this.#serve(launcher.key, { found, launcher })
      }
    }
    // Serve each desktop as soon as it is found: an unresponsive display delays no other (T37).
    const arriving = (await this.#deps.discover()).map(async (found) => {
      const desktop = await found
      if (desktop) {
        add(desktop)
      }
    })
    await Promise.all(arriving)
    this.#served.forEach((desktop, key) => present.has(key) || desktop.stop())
    closedBefore.forEach((number) => present.has(String(number)) || this.#closed.delete(number))
  }

  #serve(key: string, servable: Servable) {
    const { clock, log, answerChat, sessionEnded, sessionHeard, idleMs = defaultIdleMs } = this.#deps
    const desktop = new ServedDesktop(servable, {
      clock,
      log,
      idleMs,
      ...(sessionEnded && { sessionEnded }),
      ...(sessionHeard && { sessionHeard }),
      answerChat,
      grant: new Grants(this.#deps.grantsFile, log).of(servable.found.username),
      onEnd: (problem) => {
        this.#served.delete(key)
        if (problem !== undefined) {
          this.#closed.set(numberWithoutProcess(servable.found), { ...servable.found, obstacle: problem })
        }
        if (this.#served.size === 0) {
          this.#cancelLooking?.()
          this.#cancelLooking = undefined
        }
      },
    })
    this.#served.set(key, desktop)
    log.info({ desktop: servable.found.name, user: servable.found.username }, 'Started the process of a desktop')
    this.#cancelLooking ??= clock.every(lookMs, () => void this.#look(false).catch(() => {}))
  }

  #find(processId: number): ServedDesktop | undefined {
    return [...this.#served.values()].find((desktop) => processId !== 0 && desktop.processId === processId)
  }

  /** Asks the desktop that a process serves; `missing` is the answer without that process. */
  async at(
    processId: number,
    work: (desktop: ServedDesktop) => Promise<HubResult>,
    missing: HubResult = notRunning(processId),
  ): Promise<HubResult> {
    const desktop = this.#find(processId)
    const closed = this.#closed.get(processId)
    return desktop ? await work(desktop) : closed ? failure(closed.obstacle) : missing
  }
}
