import type { z } from 'zod'
import type { HubClientHandlers } from '../../shared/contract/hub.ts'
import type { ChatResponseHubDto } from '../../shared/dtos/chat.ts'
import type { DesktopPreviewRequestDto, DesktopSession } from '../../shared/dtos/desktop-session.ts'
import { freeRule, type ConsentRule } from '../../shared/dtos/consent.ts'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { RecordingNotice } from '../../shared/dtos/recording-notice.ts'
import type { RemoteControlSessionRequestDto } from '../../shared/dtos/remote-control.ts'
import { openPolicy } from '../../shared/remote-control/policy.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import { AtMost } from '../base/at-most.ts'
import { wait, type Clock } from '../base/clock.ts'
import { UserError } from '../base/errors.ts'
import type { Admission, Visit } from './consent.ts'
import type { AgentHubMethods } from '../link/connection.ts'
import type { Arriving, FoundDesktop } from '../platform/found-desktop.ts'
import { untoldEnd } from '../desktop/messages.ts'
import { Grants } from '../desktop-host/grants.ts'
import { listed, ServedDesktop, type EndedVisit, type Person, type Servable } from '../desktop-host/served-desktop.ts'
import type { Log } from '../base/log.ts'
import { platform } from '../platform/index.ts'
import type { ServerAccess } from '../trust/access.ts'

type Handlers = Pick<
  HubClientHandlers<typeof agentHub>,
  | 'CloseChatSession'
  | 'CreateRemoteControlSession'
  | 'GetActiveDesktopSessions'
  | 'InvokeCtrlAltDel'
  | 'RequestDesktopPreview'
  | 'RequestRemoteControlPermission'
  | 'SendChatMessage'
>

export interface DesktopsDependencies {
  clock: Clock
  log: Log
  server: () => Pick<AgentHubMethods, 'SendChatResponse' | 'SendDesktopPreviewStream'>
  /** Discovers the current desktops, including desktops that cannot be shown. */
  discover: () => Promise<Arriving<FoundDesktop>>
  /** Resolves the address of the relay for a session, and the identity that the relay must prove. */
  relay: ServerAccess['relay']
  /** File of the tokens with which desktops are shown again without asking their persons. */
  grantsFile: string
  /** Lets a visitor in, or has a reason against that; asks the person where needed. */
  admit: (visit: Visit, person: Person) => Promise<Admission>
  /** Called when a session has begun, and when it has ended. */
  sessionBegan?: (sessionId: string, visit: Visit) => void
  sessionEnded?: (end: EndedVisit) => void
  /** Reason why a picture of a person's desktop is not sent. */
  refusalOfPreview: (person: Person) => string | undefined
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
const pieceBytes = 30 * 1024
/** Each preview opens connections to the display, and holds the display's picture in memory. */
const previewLimits = {
  running: 2,
  waiting: 8,
  waitMs: 20_000,
  runMs: 60_000,
  busy: 'The device makes other previews, and some of them take long. Try again in a minute.',
  late: 'The preview was not made in time.',
}
const deliverMs = 2 * 60_000
const retryMs = 2000

const notRunning = (processId: number) => failure(`Process with ID ${processId} is no longer running.`)
const noChatTarget = failure('IPC server not found for target process.')
const windowsOnly = failure('Ctrl+Alt+Del invocation is only supported on Windows.')

/** Rule of a request: of the policies, or of a viewer that wants to ask. Other servers know the latter alone. */
const ruleIn = (consent: ConsentRule | undefined, requireConsent: boolean): ConsentRule =>
  consent && consent.mode !== 'never' ? consent : requireConsent ? { mode: 'always', allowsSilence: false } : freeRule

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

function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.toString('base64', at, at + pieceBytes)
  }
}

/** Desktops of this device: a separate process serves each one, spawned on the first request for desktops. */
export class Desktops {
  readonly #deps: DesktopsDependencies
  readonly #served = new Map<string, ServedDesktop>()
  /** Desktops that cannot be shown, by their listed number. */
  readonly #closed = new Map<number, FoundDesktop>()
  #looking: Promise<boolean> | undefined
  #cancelLooking: (() => void) | undefined
  /** Whether a caller waits for the list in progress. */
  #isWanted = false
  #isStopped = false
  readonly #previews: AtMost

  constructor(deps: DesktopsDependencies) {
    this.#deps = deps
    this.#previews = new AtMost({ clock: deps.clock, ...previewLimits })
  }

  readonly handlers: Handlers = {
    GetActiveDesktopSessions: () => this.#list(),
    CreateRemoteControlSession: (request) =>
      this.#at(request.targetProcessId, (desktop) => this.#startSession(desktop, request)),
    RequestRemoteControlPermission: (processId) => this.#at(processId, (desktop) => desktop.check()),
    RequestDesktopPreview: (request) =>
      this.#previews.run(() => this.#preview(request)).catch((error: Error) => failure(error.message)),
    SendChatMessage: (message) =>
      this.#at(message.targetProcessId, (desktop) => desktop.showChatMessage(message), noChatTarget),
    CloseChatSession: (sessionId, processId) =>
      this.#at(processId, (desktop) => desktop.closeChat(sessionId), noChatTarget),
    InvokeCtrlAltDel: ({ targetDesktopProcessId, invokerUserName }) =>
      this.#pressCtrlAltDel(targetDesktopProcessId, invokerUserName),
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

  /** Begins a session once the person at the desktop has let the visitor in. */
  async #startSession(desktop: ServedDesktop, request: RemoteControlSessionRequestDto): Promise<HubResult> {
    const { consent, requireConsent, policy, viewerPrincipalId: visitorId = '' } = request
    const { viewerName: visitorName, organizationName } = request
    const subject = (policy ?? openPolicy).canInteract ? 'control' : 'viewing'
    const rule = ruleIn(consent, requireConsent)
    const visit = { subject, rule, visitorId, visitorName, organizationName } as const
    const { refusal, by } = await this.#deps.admit(visit, desktop.person)
    if (refusal !== undefined) {
      return failure(refusal)
    }
    // A person who is not asked each time still sees each session.
    const notifyUserOnSessionStart = request.notifyUserOnSessionStart || by === 'standing'
    const started = await desktop.startSession({
      ...request,
      notifyUserOnSessionStart,
      ...this.#deps.relay(request.websocketUri),
    })
    if (started.isSuccess) {
      const { sessionId } = request
      this.#deps.sessionBegan?.(sessionId, visit)
      if (!desktop.hasSession(sessionId)) {
        // The end came before the answer to the start.
        const end = { sessionId, ...untoldEnd, reason: '' }
        this.#deps.sessionEnded?.({ ...end, visitorId, person: desktop.person.username })
      }
    }
    return started
  }

  async #list(): Promise<DesktopSession[]> {
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
    const { clock, log, sessionEnded, idleMs = defaultIdleMs } = this.#deps
    const desktop = new ServedDesktop(servable, {
      clock,
      log,
      idleMs,
      ...(sessionEnded && { sessionEnded }),
      answerChat: (response) => this.#deliver(response),
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

  async #at(
    processId: number,
    work: (desktop: ServedDesktop) => Promise<HubResult>,
    missing: HubResult = notRunning(processId),
  ): Promise<HubResult> {
    const desktop = this.#find(processId)
    const closed = this.#closed.get(processId)
    return desktop ? await work(desktop) : closed ? failure(closed.obstacle) : missing
  }

  #preview({ streamId, targetProcessId }: z.output<typeof DesktopPreviewRequestDto>): Promise<HubResult> {
    return this.#at(targetProcessId, async (desktop) => {
      const refusal = this.#deps.refusalOfPreview(desktop.person)
      if (refusal !== undefined) {
        return failure(refusal)
      }
      try {
        const jpeg = await desktop.preview()
        await this.#deps.server().SendDesktopPreviewStream(streamId, asyncIterable(pieces(jpeg)))
        return success
      } catch (error) {
        return failure((error as Error).message)
      }
    })
  }

  async #pressCtrlAltDel(processId: number, invoker: string): Promise<HubResult> {
    const { log } = this.#deps
    if (!platform.desktops.pressCtrlAltDel) {
      return windowsOnly
    }
    log.info({ invoker, processId }, 'Sending Ctrl+Alt+Del')
    const problem = await platform.desktops.pressCtrlAltDel()
    return problem === undefined ? success : failure(problem)
  }

  /** Retries while the connection is down, so that a restart of the server does not lose the person's message. */
  async #deliver(response: ChatResponseHubDto): Promise<boolean> {
    const { clock, server } = this.#deps
    for (const until = clock.now() + deliverMs; !this.#isStopped && clock.now() < until;) {
      try {
        return await server().SendChatResponse(response)
      } catch {
        await wait(clock, retryMs)
      }
    }
    return false
  }
}

async function* asyncIterable<T>(items: Iterable<T>): AsyncIterable<T> {
  yield* items
}
