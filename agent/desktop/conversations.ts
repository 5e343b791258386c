import { deferred } from '../../shared/deferred.ts'
import { plainText } from '../base/plain-text.ts'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { Clock } from '../base/clock.ts'
import type { WindowSize } from './browser.ts'
import type { ShowChatMessage } from './messages.ts'
import { PersonWindow } from './person-window.ts'
import { strings } from './strings.ts'
import { WindowServer, type WindowAnswer, type WindowState } from './window-server.ts'

const consentMs = 30_000
/** Time for which the window still shows the result after the answer. */
const lastMessageMs = 2500
const chatSize: WindowSize = { width: 460, height: 560 }
const questionSize: WindowSize = { width: 460, height: 260 }
const maxQuestions = 3
/** After a decline, the person is not asked again for the same principal during this time. */
const pauseMs = 60_000
const maxChats = 20
const maxLines = 500
const maxNameLength = 100

interface ConversationDependencies {
  clock: Clock
  /** Returns true when the message was delivered to the viewer. */
  answerChat: (sessionId: string, message: string) => Promise<boolean>
  chatClosed: (sessionId: string) => void
  /** Opens a window; tests pass a window without a screen. */
  openWindow?: typeof PersonWindow.open
}

interface Chat {
  name: string
  lines: { name: string; text: string; isOwn: boolean; problem?: string }[]
  isOver: boolean
  /** Set while the window is open or opening. */
  window: Promise<PersonWindow> | undefined
  /** Settles when all answers so far are delivered or lost. */
  answered: Promise<unknown>
}

const nameOf = (given: string | null) => plainText(given ?? '', maxNameLength) || strings.somebody

/** Name with the organization, which servers of other makers do not send. */
function fullNameOf(given: string | null, organizationName: string | undefined): string {
  const organization = plainText(organizationName ?? '', maxNameLength)
  return organization === '' ? nameOf(given) : strings.ofOrganization(nameOf(given), organization)
}

interface Asker {
  principalId?: string | undefined
  organizationName?: string | undefined
}

/** Conversations between viewers and the person at the device: chats and consent questions. */
export class Conversations {
  readonly #deps: ConversationDependencies
  readonly #server = new WindowServer()
  readonly #chats = new Map<string, Chat>()
  #questions = 0
  /** Time of the person's last decline, by principal. */
  readonly #declined = new Map<string, number>()

  constructor(deps: ConversationDependencies) {
    this.#deps = deps
  }

  async showChatMessage({ sessionId, senderName, organizationName, message }: ShowChatMessage): Promise<HubResult> {
    const known = this.#chats.get(sessionId)
    if (!known && this.#chats.size >= maxChats) {
      return failure('This desktop has too many open chats. Close one first.')
    }
    const chat: Chat = known ?? {
      name: fullNameOf(senderName, organizationName),
      lines: [],
      isOver: false,
      window: undefined,
      answered: Promise.resolve(),
    }
    this.#chats.set(sessionId, chat)
    const line = { name: nameOf(senderName), text: message.toWellFormed(), isOwn: false }
    chat.lines = [...chat.lines, line].slice(-maxLines)
    chat.window ??= this.#openChat(sessionId, chat)
    try {
      const window = await chat.window
      window.update(chatState(chat))
      return success
    } catch (error) {
      chat.window = undefined
      chat.lines = chat.lines.filter((other) => other !== line)
      return failure(`The message could not be shown: ${(error as Error).message}`)
    }
  }

  async closeChat(sessionId: string): Promise<void> {
    const chat = this.#chats.get(sessionId)
    this.#chats.delete(sessionId)
    if (chat) {
      chat.isOver = true
      const window = await chat.window?.catch(() => undefined)
      window?.update(chatState(chat))
      this.#deps.clock.after(lastMessageMs, () => window?.close())
    }
  }

  /**
   * Asks the person for consent; a failure carries the reason. The pause after a decline applies to the principal,
   * because viewers choose their names. For servers that send no principal the pause applies to the name.
   */
  async askConsent(
    viewerName: string | null,
    canInteract: boolean,
    { principalId, organizationName }: Asker = {},
  ): Promise<HubResult> {
    if (this.#questions >= maxQuestions) {
      return failure('The person at the device is answering other requests. Try again later.')
    }
    const name = fullNameOf(viewerName, organizationName)
    const viewer = { name, key: principalId ?? name }
    const pauseLeftMs = this.#pauseLeftMs(viewer.key)
    if (pauseLeftMs > 0) {
      const seconds = Math.ceil(pauseLeftMs / 1000)
      return failure(`The person at the device has just declined. You can ask again in ${seconds} s.`)
    }
    this.#questions++
    try {
      return await this.#ask(viewer, canInteract)
    } catch (error) {
      return failure(`The person at the device could not be asked: ${(error as Error).message}`)
    } finally {
      this.#questions--
    }
  }

  #pauseLeftMs(key: string): number {
    const now = this.#deps.clock.monotonic()
    for (const [other, since] of this.#declined) {
      if (since + pauseMs <= now) {
        this.#declined.delete(other)
      }
    }
    const since = this.#declined.get(key)
    return since === undefined ? 0 : since + pauseMs - now
  }

  async close(): Promise<void> {
    for (const { window } of this.#chats.values()) {
      void window?.then(
        (open) => open.close(),
        () => {},
      )
    }
    await this.#server.close()
  }

  #open(state: WindowState, size: WindowSize, onAnswer: (answer: WindowAnswer) => void, onClosed: () => void) {
    const { clock, openWindow = PersonWindow.open } = this.#deps
    return openWindow(state, { clock, server: this.#server, size, onAnswer, onClosed })
  }

  #openChat(sessionId: string, chat: Chat): Promise<PersonWindow> {
    const onAnswer = (answer: WindowAnswer) => {
      if ('text' in answer && !chat.isOver) {
        void this.#answer(sessionId, chat, answer.text)
      }
    }
    return this.#open(chatState(chat), chatSize, onAnswer, () => {
      chat.window = undefined
      if (!chat.isOver) {
        this.#deps.chatClosed(sessionId)
      }
    })
  }

  async #answer(sessionId: string, chat: Chat, text: string) {
    const line: Chat['lines'][number] = { name: strings.you, text: text.toWellFormed(), isOwn: true }
    chat.lines = [...chat.lines, line].slice(-maxLines)
    const update = async () => (await chat.window?.catch(() => undefined))?.update(chatState(chat))
    await update()
    // Serialize: an answer may wait until a viewer reconnects, and a later answer must not overtake it.
    const delivered = chat.answered
      .then(() => !chat.isOver && this.#deps.answerChat(sessionId, line.text))
      .catch(() => false)
    chat.answered = delivered
    if (!(await delivered)) {
      line.problem = strings.notDelivered
      await update()
    }
  }

  async #ask({ name, key }: { name: string; key: string }, canInteract: boolean): Promise<HubResult> {
    const { clock } = this.#deps
    const { promise: decided, resolve: decide } = deferred<'allowed' | 'declined' | 'late'>()
    const onAnswer = (answer: WindowAnswer) =>
      decide('isAllowed' in answer && answer.isAllowed ? 'allowed' : 'declined')
    const question: WindowState = {
      title: strings.consentTitle,
      introduction: canInteract ? strings.consentQuestion(name) : strings.consentLookOnly(name),
      lines: [],
      note: strings.consentCountdown,
      secondsLeft: consentMs / 1000,
      allow: strings.consentAllow,
      decline: strings.consentDecline,
    }
    const window = await this.#open(question, questionSize, onAnswer, () => decide('declined'))
    const cancel = clock.after(consentMs, () => decide('late'))
    const decision = await decided
    cancel()
    if (decision === 'declined') {
      this.#declined.set(key, clock.monotonic())
    }
    const { title, introduction } = question
    window.update({ title, introduction, lines: [], note: outcomes[decision].note })
    clock.after(lastMessageMs, () => window.close())
    return outcomes[decision].result
  }
}

const outcomes = {
  allowed: { note: strings.consentAllowed, result: success },
  declined: { note: strings.consentDeclined, result: failure('The person at the device declined.') },
  late: {
    note: strings.consentLate,
    result: failure(`The person at the device did not answer within ${consentMs / 1000} s.`),
  },
}

const chatState = ({ name, lines, isOver }: Chat): WindowState => ({
  title: strings.chatTitle(name),
  introduction: strings.chatIntroduction(name),
  lines,
  note: isOver ? strings.chatOver(name) : '',
  ...(isOver ? {} : { send: strings.chatSend, placeholder: strings.chatPlaceholder }),
})
