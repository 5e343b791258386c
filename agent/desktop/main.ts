import type { Socket } from 'node:net'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import { openPolicy } from '../../shared/remote-control/policy.ts'
import { systemClock as clock } from '../base/clock.ts'
import { textOf, UserError } from '../base/errors.ts'
import { Calls, type CallHandlers } from './calls.ts'
import { Conversations } from './conversations.ts'
import { readLines, sendLine } from './json-lines.ts'
import { agentCalls, desktopCalls, maxMessageBytes, type StartSessionRequest } from './messages.ts'
import { ConcurrencyLimit } from '../base/concurrency-limit.ts'
import { previewOf } from './preview.ts'
import { ControlHolders } from './session/control-holders.ts'
import { InputPause } from './session/input-pause.ts'
import { SessionNotice } from './session/session-notice.ts'
import { runRemoteControl } from './session/session.ts'
import type { DesktopConnector, DesktopGrant } from '../platform/platform.ts'

/** Matches the time for which the agent retries without a connection to its server. */
const answerMs = 150_000
const noticeMs = 10_000
const secureDesktopMs = 20_000
const maxSessions = 32
/** Shorter than the agent's timeout, so that the agent receives the reason why there is no picture. */
const previewMs = 20_000
const notAnswered = `The desktop did not answer within ${previewMs / 1000} s.`

/** Sentence for people; errors that are not a UserError are logged instead. */
function reasonOf(error: unknown): string {
  if (!(error instanceof UserError)) {
    process.stderr.write(`${textOf(error)}\n`)
  }
  return (error as Error).message
}

/** Process of one desktop: runs sessions and previews, and shows windows to the person. */
class DesktopServer {
  readonly #connector: DesktopConnector
  readonly #sessions = new Set<string>()
  /**
   * Limits previews to one at a time, even after the agent's timeout: each preview opens connections to the display.
   */
  readonly #previews = new ConcurrencyLimit({
    clock,
    running: 1,
    waiting: 2,
    waitMs: previewMs,
    runMs: previewMs,
    busy: 'The desktop has not answered the last preview yet. Try again in a minute.',
    late: notAnswered,
  })
  readonly #notice = new SessionNotice()
  readonly #holders = new ControlHolders()
  readonly #pause = new InputPause()
  readonly #conversations: Conversations
  readonly #agent: Calls<typeof agentCalls, typeof desktopCalls>
  readonly #grant: DesktopGrant = {
    read: () => this.#agent.ask('readGrant', {}, noticeMs),
    store: (grant) => this.#agent.ask('storeGrant', { grant }, noticeMs),
  }

  constructor(connector: DesktopConnector, send: (message: object) => void) {
    this.#connector = connector
    this.#agent = new Calls({ clock, asks: agentCalls, answers: desktopCalls, handlers: this.#handlers(), send })
    this.#conversations = new Conversations({
      clock,
      answerChat: (sessionId, message) => this.#agent.ask('answerChat', { sessionId, message }, answerMs),
      pauseInput: () => this.#pause.begin(clock),
      chatClosed: (sessionId) => this.#notify(this.#agent.ask('chatClosed', { sessionId }, noticeMs)),
    })
  }

  receive(message: unknown): void {
    this.#agent.receive(message)
  }

  #handlers(): CallHandlers<typeof desktopCalls> {
    return {
      check: async () => {
        const result = await this.#attempt(() => this.#connector.check())
        return { ...result, asksPerson: (await this.#connector.asksPerson?.(this.#grant)) ?? false }
      },
      askConsent: (question) => this.#conversations.askConsent(question),
      askPower: (question) => this.#conversations.askPower(question),
      endPowerQuestion: async ({ id }) => {
        this.#conversations.endPowerQuestion(id)
        return null
      },
      startSession: (request) => this.#startSession(request),
      setRecorded: async ({ sessionId, isRecorded }) => {
        if (this.#sessions.has(sessionId)) {
          this.#notice.setRecorded(sessionId, isRecorded)
        }
        return null
      },
      preview: () => this.#preview(),
      showChatMessage: (message) => this.#conversations.showChatMessage(message),
      closeChat: async ({ sessionId }) => {
        await this.#conversations.closeChat(sessionId)
        return success
      },
    }
  }

  async #attempt(work: () => unknown): Promise<HubResult> {
    try {
      await work()
      return success
    } catch (error) {
      return failure(reasonOf(error))
    }
  }

  async #startSession(request: StartSessionRequest): Promise<HubResult> {
    const { sessionId, policy } = request
    if (this.#sessions.has(sessionId) || this.#sessions.size >= maxSessions) {
      return failure('This session exists already, or there are too many at this desktop.')
    }
    const openSecureDesktop = () => this.#agent.ask('openSecureDesktop', { sessionId }, secureDesktopMs)
    return await this.#attempt(async () => {
      const mayUse = (policy ?? openPolicy).canUseSecureDesktop
      const desktop = await this.#connector.open({
        grant: this.#grant,
        isSession: true,
        ...(mayUse && { openSecureDesktop }),
      })
      this.#sessions.add(sessionId)
      const shared = { notice: this.#notice, holders: this.#holders, pause: this.#pause }
      const onHeard = () => this.#notify(this.#agent.ask('sessionHeard', { sessionId }, noticeMs))
      void runRemoteControl({ desktop, request, clock, onHeard, ...shared }).then(
        ({ by, reason, hasTyped = false, pasted = [], copied = [] }) => {
          this.#sessions.delete(sessionId)
          this.#notice.forget(sessionId)
          const end = {
            sessionId,
            reason,
            isByPerson: by === 'person',
            hasTyped,
            pasted: [...pasted],
            copied: [...copied],
          }
          this.#notify(this.#agent.ask('sessionEnded', end, noticeMs))
        },
      )
    })
  }

  async #preview() {
    let jpeg = ''
    const result = await this.#attempt(() =>
      this.#previews.run(async () => {
        const desktop = await this.#connector.open({ grant: this.#grant, isSession: false })
        // Closing the desktop rejects pending requests to the display, and with them the preview.
        const cancel = clock.after(previewMs, () => desktop.close())
        try {
          jpeg = (await previewOf(desktop)).toString('base64')
        } finally {
          cancel()
          desktop.close()
        }
      }),
    )
    return { ...result, jpeg }
  }

  /** Ignores errors of a notification: if the agent has closed the channel, this process is about to end. */
  #notify(sent: Promise<unknown>) {
    sent.catch(() => {})
  }
}

/** Serves one desktop to the agent that started this process, until the agent ends. */
export function serveDesktop(connector: DesktopConnector, agent: Socket): Promise<never> {
  const server = new DesktopServer(connector, (message) => sendLine(agent, message))
  readLines(agent, maxMessageBytes, (message) => server.receive(message))
  agent.on('close', () => process.exit(0))
  // Exit handlers close open windows; a default SIGTERM would skip them.
  process.on('SIGTERM', () => process.exit(0))
  // Ignored: the agent terminates this process, and an interrupt at a terminal is meant for the agent.
  process.on('SIGINT', () => {})
  return new Promise(() => {})
}
