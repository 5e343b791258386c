import { deferred } from '../../shared/deferred.ts'
import { plainText } from '../base/plain-text.ts'
import { consentSeconds } from '../../shared/dtos/consent.ts'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { Clock } from '../base/clock.ts'
import type { WindowSize } from './browser.ts'
import type { ConsentQuestion, ConsentReply, PowerQuestion, PowerReply, ShowChatMessage } from './messages.ts'
import { PersonWindow } from './person-window.ts'
import { PowerQuestions } from './power-question.ts'
import { strings } from './strings.ts'
import { WindowServer, type WindowAnswer, type WindowState } from './window-server.ts'

/** Time for which the window still shows the result after the answer. */
const lastMessageMs = 2500
const chatSize: WindowSize = { width: 460, height: 560 }
const questionSize: WindowSize = { width: 560, height: 300 }
const maxQuestions = 3
/** After a decline, or a question without an answer, the person is not asked again for the same principal during this time. */
const pauseMs = 60_000
const maxChats = 20
const maxLines = 500
const maxNameLength = 100

interface ConversationDependencies {
  clock: Clock
  /** Returns true when the message was delivered to the viewer. */
  answerChat: (sessionId: string, message: string) => Promise<boolean>
  chatClosed: (sessionId: string) => void
  /** Holds back the input of viewers while the person answers a question. Resolves with a function that ends this. */
  pauseInput: () => Promise<() => void>
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

const fullNameOf = (given: string | null, organizationName = '') =>
  strings.ofOrganization(nameOf(given), plainText(organizationName, maxNameLength))

/** Conversations between viewers and the person at the device: chats and consent questions. */
export class Conversations {
  readonly #deps: ConversationDependencies
  readonly #server = new WindowServer()
  readonly #chats = new Map<string, Chat>()
  readonly #power: PowerQuestions
  #questions = 0
  /** Time of the last question that the person declined or left without an answer, by account. */
  readonly #refused = new Map<string, number>()

  constructor(deps: ConversationDependencies) {
    this.#deps = deps
    const { clock, pauseInput } = deps
    this.#power = new PowerQuestions({
      clock,
      pauseInput,
      open: (state, onAnswer, onClosed) => this.#open(state, questionSize, onAnswer, onClosed),
      lastMessageMs,
    })
  }

  /** Asks the person about an ordered restart or shutdown. */
  askPower(question: PowerQuestion): Promise<PowerReply> {
    return this.#power.ask(question, fullNameOf(question.visitorName, question.organizationName))
  }

  endPowerQuestion(id: string): void {
    this.#power.end(id)
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
   * Asks the person before a visit. The pause after a refusal applies to the account of the visitor, because viewers
   * choose their names and have several tokens. For servers that send no account the pause applies to the visitor's id,
   * or to the name.
   */
  async askConsent(question: ConsentQuestion): Promise<ConsentReply> {
    const { asksAlways } = question
    const notAsked = (reason: string): ConsentReply => ({ answer: 'not-asked', asksAlways, reason })
    if (this.#questions >= maxQuestions) {
      return notAsked('The person at the device is answering other requests. Try again later.')
    }
    const name = fullNameOf(question.visitorName, question.organizationName)
    const visitor = { name, key: question.visitorAccountId || question.visitorId || name }
    const pauseLeftMs = this.#pauseLeftMs(visitor.key)
    if (pauseLeftMs > 0) {
      const seconds = Math.ceil(pauseLeftMs / 1000)
      return notAsked(
        `The person at the device has just declined, or did not answer. You can ask again in ${seconds} s.`,
      )
    }
    this.#questions++
    let resumeInput = () => {}
    try {
      resumeInput = await this.#deps.pauseInput()
      return await this.#ask(visitor, question)
    } catch (error) {
      return notAsked(`The person at the device could not be asked: ${(error as Error).message}`)
    } finally {
      resumeInput()
      this.#questions--
    }
  }

  #pauseLeftMs(key: string): number {
    const now = this.#deps.clock.monotonic()
    for (const [other, since] of this.#refused) {
      if (since + pauseMs <= now) {
        this.#refused.delete(other)
      }
    }
    const since = this.#refused.get(key)
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

  async #ask({ name, key }: { name: string; key: string }, asked: ConsentQuestion): Promise<ConsentReply> {
    const { clock } = this.#deps
    const { subject, allowsSilence } = asked
    const { promise: decided, resolve: decide } = deferred<Pick<ConsentReply, 'answer' | 'asksAlways'>>()
    const { asksAlways } = asked
    const onAnswer = (answer: WindowAnswer) =>
      decide(
        'isAllowed' in answer
          ? { answer: answer.isAllowed ? answer.lasts : 'declined', asksAlways: answer.asksAlways ?? asksAlways }
          : { answer: 'declined', asksAlways },
      )
    const question: WindowState = {
      title: strings.consentTitle[subject],
      introduction: strings.consentQuestion[subject](name),
      lines: [],
      note: allowsSilence ? strings.consentCountdownAllows : strings.consentCountdown,
      secondsLeft: consentSeconds,
      allow: strings.consentAllow,
      allowHour: strings.consentAllowHour,
      allowToday: strings.consentAllowToday,
      decline: strings.consentDecline,
      always: { label: strings.consentAlways, isChecked: asksAlways },
    }
    const window = await this.#open(question, questionSize, onAnswer, () => decide({ answer: 'declined', asksAlways }))
    const cancel = clock.after(consentSeconds * 1000, () => decide({ answer: 'silent', asksAlways }))
    const reply = await decided
    cancel()
    if (reply.answer === 'declined' || (reply.answer === 'silent' && !allowsSilence)) {
      this.#refused.set(key, clock.monotonic())
    }
    const { title, introduction } = question
    const note = reply.answer === 'silent' && allowsSilence ? strings.consentLateAllowed : outcomeNotes[reply.answer]
    window.update({ title, introduction, lines: [], note })
    clock.after(lastMessageMs, () => window.close())
    return { ...reply, reason: '' }
  }
}

/** Last words of the window, by the answer. */
const outcomeNotes: Readonly<Record<ConsentReply['answer'], string>> = {
  once: strings.consentAllowed,
  hour: strings.consentAllowedHour,
  today: strings.consentAllowedToday,
  declined: strings.consentDeclined,
  silent: strings.consentLate,
  'not-asked': '',
}

const chatState = ({ name, lines, isOver }: Chat): WindowState => ({
  title: strings.chatTitle(name),
  introduction: strings.chatIntroduction(name),
  lines,
  note: isOver ? strings.chatOver(name) : '',
  ...(isOver ? {} : { send: strings.chatSend, placeholder: strings.chatPlaceholder }),
})
