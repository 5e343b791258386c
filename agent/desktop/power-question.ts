import { deferred } from '../../shared/deferred.ts'
import { powerQuestionSeconds } from '../../shared/dtos/power-order.ts'
import type { Clock } from '../base/clock.ts'
import type { PowerQuestion, PowerReply } from './messages.ts'
import type { PersonWindow } from './person-window.ts'
import { strings } from './strings.ts'
import type { WindowAnswer, WindowState } from './window-server.ts'

interface PowerQuestionsDependencies {
  clock: Clock
  pauseInput: () => Promise<() => void>
  open: (
    state: WindowState,
    onAnswer: (answer: WindowAnswer) => void,
    onClosed: () => void,
  ) => Promise<Pick<PersonWindow, 'update' | 'close'>>
  /** Time for which the window still shows the result after the answer. */
  lastMessageMs: number
}

type Answer = PowerReply['answer'] | 'canceled'

const answerOf = (answer: WindowAnswer): Answer =>
  !('isAllowed' in answer)
    ? 'silent'
    : !answer.isAllowed
      ? 'declined'
      : ({ once: 'now', hour: 'hour', today: 'tonight' } as const)[answer.lasts]

/** Questions to the person about a restart or shutdown that was ordered. */
export class PowerQuestions {
  readonly #deps: PowerQuestionsDependencies
  /** Functions that close an open question, by order. */
  readonly #cancels = new Map<string, () => void>()

  constructor(deps: PowerQuestionsDependencies) {
    this.#deps = deps
  }

  /** Asks. Closing the window chooses nothing, and does not shorten the time. */
  async ask(question: PowerQuestion, name: string): Promise<PowerReply> {
    const { clock, pauseInput, open, lastMessageMs } = this.#deps
    const { id, change, choices, mayDecline, tonight } = question
    const texts = strings.power[change]
    const { promise: decided, resolve: decide } = deferred<Answer>()
    const state: WindowState = {
      title: texts.title,
      introduction: texts.question(name),
      lines: [],
      note: texts.countdown,
      secondsLeft: powerQuestionSeconds,
      allow: texts.now,
      ...(choices.includes('hour') && { allowHour: strings.power.hour }),
      ...(choices.includes('tonight') && { allowToday: strings.power.tonight(tonight) }),
      ...(mayDecline && { decline: strings.power.decline }),
    }
    const cancel = clock.after(powerQuestionSeconds * 1000, () => decide('silent'))
    this.#cancels.set(id, () => decide('canceled'))
    let resumeInput = () => {}
    try {
      // Viewers would answer in place of the person (T05).
      resumeInput = await pauseInput()
      const window = await open(
        state,
        (answer) => decide(answerOf(answer)),
        () => {},
      )
      const answer = await decided
      window.update({ title: texts.title, introduction: strings.power.outcomes[answer], lines: [], note: '' })
      clock.after(lastMessageMs, () => window.close())
      return { answer: answer === 'canceled' ? 'silent' : answer, reason: '' }
    } finally {
      cancel()
      this.#cancels.delete(id)
      resumeInput()
    }
  }

  end(id: string): void {
    this.#cancels.get(id)?.()
  }
}
