import type { ChatMessageHubDto, ChatResponseHubDto } from '../../shared/dtos/chat.ts'
import type { DesktopSession } from '../../shared/dtos/desktop-session.ts'
import { consentSeconds } from '../../shared/dtos/consent.ts'
import { failure, type HubResult } from '../../shared/dtos/hub-result.ts'
import { powerQuestionSeconds } from '../../shared/dtos/power-order.ts'
import type { RecordingNotice } from '../../shared/dtos/recording-notice.ts'
import { openPolicy } from '../../shared/remote-control/policy.ts'
import { wait, type Clock } from '../base/clock.ts'
import { UserError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { DesktopDescription, FoundDesktop, Launcher } from '../platform/found-desktop.ts'
import type { DesktopGrant } from '../platform/platform.ts'
import {
  untoldEnd,
  type ConsentQuestion,
  type ConsentReply,
  type PowerQuestion,
  type PowerReply,
  type SessionEnded,
  type StartSessionRequest,
} from '../desktop/messages.ts'
import { DesktopProcess } from './process.ts'
import { strings } from '../desktop/strings.ts'

/** Desktop that can be shown, with its launcher. */
export interface Servable {
  found: FoundDesktop
  launcher: Launcher
}

/** Person who may be asked, by the desktop where the window appears. */
export interface Person {
  username: string
  isSignedIn: boolean
  desktop: string
  /** Rejects with the reason why the person cannot be asked. */
  ask(question: ConsentQuestion): Promise<ConsentReply>
  /** Asks about an ordered restart or shutdown. Rejects with the reason why the person cannot be asked. */
  askPower(question: PowerQuestion): Promise<PowerReply>
  /** Closes that question. */
  endPowerQuestion(id: string): Promise<unknown>
}

/** End of a session, with its visitor and the person at the desktop. */
export interface EndedVisit extends SessionEnded {
  visitorId: string
  /** Whether the visitor heard the device. */
  hasHeard: boolean
  person: string
}

export interface ServedDesktopDependencies {
  clock: Clock
  log: Log
  /** Sends an answer of the person to the server; returns true when the viewer has received the answer. */
  answerChat: (response: ChatResponseHubDto) => Promise<boolean>
  grant: DesktopGrant
  /** Called when a session has ended. */
  sessionEnded?: (end: EndedVisit) => void
  /** Called when the viewer of a session begins to hear the device. */
  sessionHeard?: (sessionId: string) => void
  /** Called when the process has ended; `problem` is the reason if it never started. */
  onEnd: (problem?: string) => void
  idleMs: number
}

const processEnded = 'The process of the desktop has ended.'

/** Time budget for listing, so that a slow desktop does not delay the list. */
const listMs = 500
/** Time limit of an answer, including the start of the process, which takes long on a busy machine with many desktops. */
const checkMs = 30_000
const previewMs = 30_000
const browserStartMs = 25_000
/** Time for a browser to start plus the time of a question. */
const personMs = consentSeconds * 1000 + browserStartMs
const powerMs = powerQuestionSeconds * 1000 + browserStartMs

/** Limit per name: desktops are listed in one message, and any user can create many desktops with a long reason. */
const maxNameLength = 500

/** Entry of a desktop in the list: states before anybody connects that the desktop cannot be shown, and why. */
export function listed(found: DesktopDescription, processId: number, problem = ''): DesktopSession {
  const { name, desktopName, systemSessionId, type, username, isSignedIn } = found
  const notes = [isSignedIn ? '' : 'nobody is signed in', problem === '' ? '' : `cannot be shown: ${problem}`]
  const note = notes.filter((text) => text !== '').join('; ')
  return {
    areRemoteControlPermissionsGranted: problem === '',
    desktopName,
    name: (note === '' ? name : `${name} (${note})`).slice(0, maxNameLength),
    processId,
    systemSessionId,
    type,
    username,
  }
}

const nobody = failure('Nobody is signed in at this desktop.')

/** Desktop of this device and the process that serves it, from the first use until idle. */
export class ServedDesktop {
  readonly #servable: Servable
  readonly #deps: ServedDesktopDependencies
  readonly #process: DesktopProcess
  /** Account of the visitor, by session. */
  readonly #sessions = new Map<string, string>()
  /** Sessions whose viewers may use the secure desktop. The process that asks is the person's, so it is checked here. */
  readonly #secureSessions = new Set<string>()
  /** Sessions whose viewers heard the device. */
  readonly #heard = new Set<string>()
  /** Connection id of the viewer, by chat session. */
  readonly #chats = new Map<string, string>()
  #problem: string | undefined
  #asksPerson = false
  #cancelIdle: () => void = () => {}

  constructor(servable: Servable, deps: ServedDesktopDependencies) {
    const { clock, log, onEnd } = deps
    this.#servable = servable
    this.#deps = deps
    this.#process = new DesktopProcess(servable.launcher.start(), {
      clock,
      log,
      handlers: {
        answerChat: ({ sessionId, message }) => this.#answerChat(sessionId, message),
        chatClosed: ({ sessionId }) => {
          // Not awaited: the person does not wait for delivery to the viewer.
          void this.#answerChat(sessionId, strings.chatClosed, { isClosed: true }).catch(() => {})
          this.#chats.delete(sessionId)
          return null
        },
        openSecureDesktop: ({ sessionId }) => this.#openSecureDesktop(sessionId),
        sessionEnded: (end) => this.#sessionEnded(end),
        sessionHeard: ({ sessionId }) => this.#sessionHeard(sessionId),
        readGrant: () => deps.grant.read(),
        storeGrant: async ({ grant }) => {
          await deps.grant.store(grant)
          return null
        },
      },
      onEnd: (problem) => {
        this.#cancelIdle()
        for (const sessionId of this.#sessions.keys()) {
          this.#sessionEnded({ sessionId, ...untoldEnd, reason: problem ?? processEnded })
        }
        onEnd(problem)
      },
    })
    this.#touch()
  }

  /** Identifies this desktop in all calls; 0 if the process could not be started. */
  get processId(): number {
    return this.#process.pid ?? 0
  }

  async describe(): Promise<DesktopSession> {
    await Promise.race([this.check(), wait(this.#deps.clock, listMs)])
    const asksPerson = this.#asksPerson && this.#problem === undefined
    return { ...listed(this.#servable.found, this.processId, this.#problem), ...(asksPerson && { asksPerson }) }
  }

  check(): Promise<HubResult> {
    return this.#attempt(async () => {
      const { asksPerson, ...answer } = await this.#process.ask('check', {}, checkMs)
      this.#problem = answer.reason ?? undefined
      this.#asksPerson = asksPerson
      return answer
    })
  }

  get person(): Person {
    const { username, isSignedIn, name } = this.#servable.found
    return {
      username,
      isSignedIn,
      desktop: name,
      ask: (question) => {
        this.#touch()
        return this.#process.ask('askConsent', question, personMs)
      },
      askPower: (question) => {
        this.#touch()
        return this.#process.ask('askPower', question, powerMs)
      },
      endPowerQuestion: (id) => this.#process.ask('endPowerQuestion', { id }, checkMs),
    }
  }

  startSession(request: StartSessionRequest): Promise<HubResult> {
    const { sessionId } = request
    return this.#attempt(async () => {
      this.#sessions.set(sessionId, request.viewerPrincipalId ?? '')
      if ((request.policy ?? openPolicy).canUseSecureDesktop) {
        this.#secureSessions.add(sessionId)
      }
      const answer = await this.#process.ask('startSession', request, personMs).catch((error: unknown) => {
        this.#endSession(sessionId)
        throw error
      })
      if (answer.isSuccess) {
        this.#deps.log.info({ sessionId, pid: this.processId }, 'A remote-control session has begun')
      } else {
        this.#endSession(sessionId)
      }
      return answer
    })
  }

  /** False for a session that has ended. */
  hasSession(sessionId: string): boolean {
    return this.#sessions.has(sessionId)
  }

  /** Shows to the person whether a session is recorded. Does nothing for a session of another desktop. */
  setRecorded(notice: RecordingNotice): void {
    if (this.#sessions.has(notice.sessionId)) {
      this.#process.ask('setRecorded', notice, checkMs).catch((error: unknown) => {
        this.#deps.log.warn({ error, sessionId: notice.sessionId }, 'The notice of a recording could not be shown')
      })
    }
  }

  /** Captures a JPEG. Rejects with the reason why no picture is available. */
  async preview(): Promise<Buffer> {
    this.#touch()
    const { isSuccess, reason, jpeg } = await this.#process.ask('preview', {}, previewMs)
    if (!isSuccess) {
      throw new Error(reason ?? 'The desktop could not be shown.')
    }
    return Buffer.from(jpeg, 'base64')
  }

  showChatMessage({ viewerConnectionId, ...shown }: ChatMessageHubDto): Promise<HubResult> {
    if (!this.#servable.found.isSignedIn) {
      return Promise.resolve(nobody)
    }
    return this.#attempt(async () => {
      const { sessionId, senderName, organizationName, message } = shown
      this.#chats.set(sessionId, viewerConnectionId)
      const request = { sessionId, senderName, organizationName, message }
      const answer = await this.#process.ask('showChatMessage', request, personMs)
      if (!answer.isSuccess) {
        this.#chats.delete(sessionId)
      }
      return answer
    })
  }

  closeChat(sessionId: string): Promise<HubResult> {
    return this.#attempt(async () => {
      this.#chats.delete(sessionId)
      return await this.#process.ask('closeChat', { sessionId }, checkMs)
    })
  }

  stop(): void {
    this.#process.stop()
  }

  async #attempt(work: () => Promise<HubResult>): Promise<HubResult> {
    this.#touch()
    try {
      return await work()
    } catch (error) {
      return failure((error as Error).message)
    }
  }

  #touch() {
    const { clock, idleMs, log } = this.#deps
    this.#cancelIdle()
    this.#cancelIdle = clock.after(idleMs, () => {
      if (this.#sessions.size + this.#chats.size > 0) {
        this.#touch()
      } else {
        log.info({ pid: this.processId }, 'Terminating the idle process of a desktop')
        this.stop()
      }
    })
  }

  /** Rejects answers for chats that were not opened here (T15). */
  async #answerChat(sessionId: string, message: string, more: { isClosed?: true } = {}): Promise<boolean> {
    const viewerConnectionId = this.#chats.get(sessionId)
    if (viewerConnectionId === undefined) {
      return false
    }
    const timestamp = new Date(this.#deps.clock.now()).toISOString()
    const { username: senderUsername } = this.#servable.found
    const desktopSessionProcessId = this.processId
    return await this.#deps.answerChat({
      sessionId,
      desktopSessionProcessId,
      message,
      senderUsername,
      viewerConnectionId,
      timestamp,
      ...more,
    })
  }

  #openSecureDesktop(sessionId: string): Promise<string> {
    if (!this.#secureSessions.has(sessionId)) {
      throw new UserError('This session may not use the secure desktop.')
    }
    return this.#process.openSecureDesktop()
  }

  /** Returns false for a session that is not there. */
  #endSession(sessionId: string): boolean {
    if (this.#secureSessions.delete(sessionId) && this.#secureSessions.size === 0) {
      this.#process.closeSecureDesktop()
    }
    return this.#sessions.delete(sessionId)
  }

  #sessionHeard(sessionId: string) {
    if (this.#sessions.has(sessionId)) {
      this.#heard.add(sessionId)
      this.#deps.sessionHeard?.(sessionId)
      this.#deps.log.info({ sessionId, pid: this.processId }, 'The sound of the device goes to a session')
    }
    return null
  }

  #sessionEnded(end: SessionEnded) {
    const { sessionId, reason } = end
    const visitorId = this.#sessions.get(sessionId) ?? ''
    const hasHeard = this.#heard.delete(sessionId)
    if (this.#endSession(sessionId)) {
      this.#deps.sessionEnded?.({ ...end, visitorId, hasHeard, person: this.#servable.found.username })
      this.#deps.log.info({ sessionId, pid: this.processId, reason }, 'A remote-control session has ended')
    }
    return null
  }
}
