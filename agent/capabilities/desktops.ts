import type { z } from 'zod'
import type { HubClientHandlers } from '../../shared/contract/hub.ts'
import type { ChatResponseHubDto } from '../../shared/dtos/chat.ts'
import type { DesktopPreviewRequestDto } from '../../shared/dtos/desktop-session.ts'
import { freeRule, type ConsentRule } from '../../shared/dtos/consent.ts'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { RemoteControlSessionRequestDto } from '../../shared/dtos/remote-control.ts'
import { openPolicy } from '../../shared/remote-control/policy.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import { ConcurrencyLimit } from '../base/concurrency-limit.ts'
import { wait } from '../base/clock.ts'
import type { Admission, Visit } from './consent.ts'
import type { AgentHubMethods } from '../link/connection.ts'
import { untoldEnd } from '../desktop/messages.ts'
import { DesktopList, type DesktopListDependencies } from '../desktop-host/desktop-list.ts'
import type { Person, ServedDesktop } from '../desktop-host/served-desktop.ts'
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

export interface DesktopsDependencies extends Omit<DesktopListDependencies, 'answerChat'> {
  server: () => Pick<AgentHubMethods, 'SendChatResponse' | 'SendDesktopPreviewStream'>
  /** Resolves the address of the relay for a session, and the identity that the relay must prove. */
  relay: ServerAccess['relay']
  /** Lets a visitor in, or has a reason against that; asks the person where needed. */
  admit: (visit: Visit, person: Person) => Promise<Admission>
  sessionBegan?: (sessionId: string, visit: Visit) => void
  /** Reason why a picture of a person's desktop is not sent. */
  refusalOfPreview: (person: Person) => string | undefined
}

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

const noChatTarget = failure('IPC server not found for target process.')
const windowsOnly = failure('Ctrl+Alt+Del invocation is only supported on Windows.')

/** Rule of a request: of the policies, or of a viewer that wants to ask. Other servers know the latter alone. */
const ruleIn = (consent: ConsentRule | undefined, requireConsent: boolean): ConsentRule =>
  consent && consent.mode !== 'never' ? consent : requireConsent ? { mode: 'always', allowsSilence: false } : freeRule

function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.toString('base64', at, at + pieceBytes)
  }
}

/** Calls of the server about the desktops of this device: sessions, previews, chats, Ctrl+Alt+Del. */
export class Desktops {
  readonly #deps: DesktopsDependencies
  readonly list: DesktopList
  #isStopped = false
  readonly #previews: ConcurrencyLimit

  constructor(deps: DesktopsDependencies) {
    this.#deps = deps
    this.list = new DesktopList({ ...deps, answerChat: (response) => this.#deliver(response) })
    this.#previews = new ConcurrencyLimit({ clock: deps.clock, ...previewLimits })
  }

  readonly handlers: Handlers = {
    GetActiveDesktopSessions: () => this.list.list(),
    CreateRemoteControlSession: (request) =>
      this.list.at(request.targetProcessId, (desktop) => this.#startSession(desktop, request)),
    RequestRemoteControlPermission: (processId) => this.list.at(processId, (desktop) => desktop.check()),
    RequestDesktopPreview: (request) =>
      this.#previews.run(() => this.#preview(request)).catch((error: Error) => failure(error.message)),
    SendChatMessage: (message) =>
      this.list.at(message.targetProcessId, (desktop) => desktop.showChatMessage(message), noChatTarget),
    CloseChatSession: (sessionId, processId) =>
      this.list.at(processId, (desktop) => desktop.closeChat(sessionId), noChatTarget),
    InvokeCtrlAltDel: ({ targetDesktopProcessId, invokerUserName }) =>
      this.#pressCtrlAltDel(targetDesktopProcessId, invokerUserName),
  }

  /** Ends all sessions, chats and processes. */
  stop(): void {
    this.#isStopped = true
    this.list.stop()
  }

  /** Begins a session once the person at the desktop has let the visitor in. */
  async #startSession(desktop: ServedDesktop, request: RemoteControlSessionRequestDto): Promise<HubResult> {
    const { consent, requireConsent, policy, viewerPrincipalId: visitorId = '' } = request
    const { viewerAccountId: visitorAccountId, viewerName: visitorName, organizationName } = request
    const subject = (policy ?? openPolicy).canInteract ? 'control' : 'viewing'
    const rule = ruleIn(consent, requireConsent)
    const visit = { subject, rule, visitorId, visitorAccountId, visitorName, organizationName } as const
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
        const end = { sessionId, ...untoldEnd, hasHeard: false, reason: '' }
        this.#deps.sessionEnded?.({ ...end, visitorId, person: desktop.person.username })
      }
    }
    return started
  }

  #preview({ streamId, targetProcessId }: z.output<typeof DesktopPreviewRequestDto>): Promise<HubResult> {
    return this.list.at(targetProcessId, async (desktop) => {
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
