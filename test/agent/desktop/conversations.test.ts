import { describe, expect, test } from 'vitest'
import { Conversations } from '../../../agent/desktop/conversations.ts'
import type { ConsentQuestion, PowerQuestion } from '../../../agent/desktop/messages.ts'
import type { PersonWindow } from '../../../agent/desktop/person-window.ts'
import type { WindowAnswer, WindowState } from '../../../agent/desktop/window-server.ts'
import { deferred } from '../../../shared/deferred.ts'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { until } from '../../support/until.ts'
import { manualClock } from '../support.ts'

interface ShownWindow {
  states: WindowState[]
  isClosed: boolean
  answer: (answer: WindowAnswer) => void
  /** Closes the window as the person. */
  dismiss: () => void
}

const question: ConsentQuestion = {
  subject: 'control',
  visitorId: '',
  visitorName: 'Ada',
  allowsSilence: false,
  asksAlways: false,
}

const once = { isAllowed: true, lasts: 'once' } as const
const no = { isAllowed: false, lasts: 'once' } as const
const declined = { answer: 'declined', asksAlways: false, reason: '' }
const notAsked = (reason: string) => ({ answer: 'not-asked', asksAlways: false, reason })

/** Creates conversations whose windows record their states. */
function converse({ problem, isHeard = true }: { problem?: string; isHeard?: boolean | Promise<boolean> } = {}) {
  const clock = manualClock()
  const windows: ShownWindow[] = []
  const answers: string[] = []
  const closedChats: string[] = []
  let pauses = 0
  const openWindow: typeof PersonWindow.open = (state, { onAnswer, onClosed }) => {
    if (problem) {
      return Promise.reject(new Error(problem))
    }
    const shown: ShownWindow = { states: [state], isClosed: false, answer: onAnswer, dismiss: onClosed }
    windows.push(shown)
    const window = {
      update: (changed: WindowState) => void shown.states.push(changed),
      close: () => void (shown.isClosed = true),
    }
    return Promise.resolve(window as PersonWindow)
  }
  const conversations = new Conversations({
    clock,
    openWindow,
    answerChat: (_, message) => {
      answers.push(message)
      return Promise.resolve(isHeard)
    },
    chatClosed: (sessionId) => void closedChats.push(sessionId),
    pauseInput: () => {
      pauses++
      return Promise.resolve(() => void pauses--)
    },
  })
  const say = (message: string, sessionId = 'chat-1') =>
    conversations.showChatMessage({ sessionId, senderName: 'Ada', message })
  return {
    clock,
    windows,
    answers,
    closedChats,
    conversations,
    say,
    isPaused: () => pauses > 0,
    last: () => windows.at(-1)!.states.at(-1)!,
  }
}

describe('consent', () => {
  test('is given by the person', async () => {
    const { conversations, windows, clock, isPaused } = converse()
    const asked = conversations.askConsent(question)
    const window = await until(() => windows[0])
    expect(isPaused()).toBe(true)
    expect(window.states[0]!.introduction).toBe('Ada asks to see this screen and to use your pointer and keyboard.')
    window.answer(once)
    expect(await asked).toEqual({ answer: 'once', asksAlways: false, reason: '' })
    expect(isPaused()).toBe(false)
    expect(window.isClosed).toBe(false)
    clock.advance(3000)
    expect(window.isClosed).toBe(true)
  })

  test.each([
    ['declines', (window: ShownWindow) => window.answer(no)],
    ['answers something else', (window: ShownWindow) => window.answer({ text: 'yes' })],
    ['closes the window', (window: ShownWindow) => window.dismiss()],
  ])('is denied when the person %s', async (_, act) => {
    const { conversations, windows } = converse()
    const asked = conversations.askConsent(question)
    act(await until(() => windows[0]))
    expect(await asked).toEqual(declined)
  })

  test('cannot be requested again by a declined principal for a minute', async () => {
    const { conversations, windows, clock } = converse()
    const asked = conversations.askConsent(question)
    const window = await until(() => windows[0])
    window.answer(no)
    await asked
    clock.advance(20_500)
    expect(await conversations.askConsent({ ...question, visitorName: 'Ada\n' })).toEqual(
      notAsked('The person at the device has just declined, or did not answer. You can ask again in 40 s.'),
    )
    void conversations.askConsent({ ...question, visitorName: 'Grace' })
    await until(() => windows.length === 2)
    clock.advance(39_500)
    void conversations.askConsent(question)
    await until(() => windows.length === 3)
  })

  test('stays blocked for a declined principal under another name, but not for another principal of the same name', async () => {
    const { conversations, windows } = converse()
    const asked = conversations.askConsent({ ...question, visitorId: 'principal-1' })
    const window = await until(() => windows[0])
    window.answer(no)
    await asked
    expect(await conversations.askConsent({ ...question, visitorName: 'Grace', visitorId: 'principal-1' })).toEqual(
      notAsked('The person at the device has just declined, or did not answer. You can ask again in 60 s.'),
    )
    void conversations.askConsent({ ...question, visitorId: 'principal-2' })
    await until(() => windows.length === 2)
  })

  test('stays blocked for another token of a declined account', async () => {
    const { conversations, windows } = converse()
    const of = (visitorId: string, visitorAccountId: string) =>
      conversations.askConsent({ ...question, visitorId, visitorAccountId })
    const asked = of('token-1', 'ada')
    const window = await until(() => windows[0])
    window.answer(no)
    await asked
    expect(await of('token-2', 'ada')).toEqual(
      notAsked('The person at the device has just declined, or did not answer. You can ask again in 60 s.'),
    )
    void of('token-3', 'grace')
    await until(() => windows.length === 2)
  })

  test('is given for longer, and with the wish to be asked each time', async () => {
    const { conversations, windows, last } = converse()
    const asked = conversations.askConsent({ ...question, subject: 'files', allowsSilence: true })
    const window = await until(() => windows[0])
    expect(window.states[0]).toMatchObject({
      introduction: 'Ada asks to read and change files on this device.',
      note: 'Allowed automatically in {seconds} s.',
      always: { label: 'Always ask me', isChecked: false },
    })
    window.answer({ isAllowed: true, lasts: 'hour', asksAlways: true })
    expect(await asked).toEqual({ answer: 'hour', asksAlways: true, reason: '' })
    expect(last().note).toBe('Allowed for an hour. You can close this window.')
  })

  test('is denied after 30 s without an answer, a later answer has no effect, and the person is not asked again for a minute', async () => {
    const { conversations, windows, clock, last } = converse()
    const viewing = { ...question, subject: 'viewing' } as const
    const asked = conversations.askConsent(viewing)
    const window = await until(() => windows[0])
    await Promise.resolve()
    clock.advance(29_000)
    clock.advance(1000)
    expect(await asked).toEqual({ answer: 'silent', asksAlways: false, reason: '' })
    window.answer(once)
    expect(last().note).toMatch(/^The request timed out and was declined/)
    expect(last().allow).toBeUndefined()
    expect(await conversations.askConsent(viewing)).toEqual(
      notAsked('The person at the device has just declined, or did not answer. You can ask again in 60 s.'),
    )
  })

  test('that silence gives is given again by the next silence', async () => {
    const { conversations, windows, clock } = converse()
    const lenient = { ...question, allowsSilence: true }
    for (const count of [1, 2]) {
      const asked = conversations.askConsent(lenient)
      await until(() => windows.length === count)
      await Promise.resolve()
      clock.advance(30_000)
      expect(await asked).toMatchObject({ answer: 'silent' })
    }
  })

  test('is denied with the reason where no window can be shown', async () => {
    const { conversations } = converse({ problem: 'There is no browser.' })
    expect(await conversations.askConsent(question)).toEqual(
      notAsked('The person at the device could not be asked: There is no browser.'),
    )
  })

  test('is requested in at most three windows at a time, so that they do not cover the screen', async () => {
    const { conversations, windows } = converse()
    const asked = [1, 2, 3].map(() => conversations.askConsent({ ...question, visitorName: null }))
    expect(await conversations.askConsent({ ...question, visitorName: 'Eve' })).toMatchObject({ answer: 'not-asked' })
    await until(() => windows.length === 3)
    windows[0]!.answer(once)
    expect(await asked[0]).toMatchObject({ answer: 'once' })
    void conversations.askConsent({ ...question, visitorName: 'Eve' })
    await until(() => windows.length === 4)
  })

  test('names the requester in one short line, whatever the name contains', async () => {
    const { conversations, windows } = converse()
    void conversations.askConsent({ ...question, visitorName: `Ada\n\u202Eevil ${'x'.repeat(500)}` })
    const { introduction } = (await until(() => windows[0])).states[0]!
    expect(introduction).toMatch(/^Ada evil x+ asks/)
    expect(introduction.length).toBeLessThan(200)
  })
})

describe('a chat', () => {
  test('shows all its lines in one window', async () => {
    const { windows, say, last } = converse()
    expect(await say('Hello')).toEqual(success)
    expect(await say('Are you there?')).toEqual(success)
    expect(windows).toHaveLength(1)
    expect(last().lines.map(({ text }) => text)).toEqual(['Hello', 'Are you there?'])
  })

  test('reports to the person that an answer was not delivered', async () => {
    const { windows, say, last, answers } = converse({ isHeard: false })
    await say('Hello')
    windows[0]!.answer({ text: 'Hi' })
    await until(() => last().lines[1]?.problem)
    expect(answers).toEqual(['Hi'])
    expect(last().lines[1]).toMatchObject({
      text: 'Hi',
      isOwn: true,
      problem: expect.stringContaining('Not delivered'),
    })
  })

  test('sends an answer only when the previous answer is delivered or lost', async () => {
    const first = deferred<boolean>()
    const { windows, say, last, answers } = converse({ isHeard: first.promise })
    await say('Hello')
    windows[0]!.answer({ text: 'one' })
    windows[0]!.answer({ text: 'two' })
    await until(() => last().lines.length === 3 && answers.length > 0)
    expect(answers).toEqual(['one'])
    first.resolve(false)
    await until(() => last().lines[2]?.problem)
    expect(answers).toEqual(['one', 'two'])
  })

  test('whose window the person closed reopens with its lines', async () => {
    const { windows, say, closedChats, last } = converse()
    await say('Hello')
    windows[0]!.dismiss()
    expect(closedChats).toEqual(['chat-1'])
    await say('Once more')
    expect(windows).toHaveLength(2)
    expect(last().lines.map(({ text }) => text)).toEqual(['Hello', 'Once more'])
  })

  test('that is closed accepts no more answers, and closes its window', async () => {
    const { windows, say, conversations, clock, answers, last } = converse()
    await say('Hello')
    await conversations.closeChat('chat-1')
    expect(last().send).toBeUndefined()
    windows[0]!.answer({ text: 'Wait' })
    clock.advance(3000)
    expect(windows[0]!.isClosed).toBe(true)
    expect(answers).toEqual([])
  })

  test('that cannot be shown is rejected with the reason, and retried with the next message', async () => {
    const { say } = converse({ problem: 'There is no browser.' })
    const refused = failure('The message could not be shown: There is no browser.')
    expect(await say('Hello')).toEqual(refused)
    expect(await say('Hello')).toEqual(refused)
  })
})

test('the person sees the organization beside the name, in questions and in chats', async () => {
  const { conversations, windows, last } = converse()
  void conversations.askConsent({ ...question, subject: 'viewing', organizationName: 'Acme\u202E\nWorks' })
  expect((await until(() => windows[0])).states[0]!.introduction).toBe('Ada of Acme Works asks to see this screen.')
  const chat = { sessionId: 'chat-1', senderName: 'Ada', organizationName: 'Acme', message: 'Hello' }
  await conversations.showChatMessage(chat)
  expect(last()).toMatchObject({ title: 'Message from Ada of Acme', lines: [{ name: 'Ada', text: 'Hello' }] })
})

describe('a question about an ordered restart', () => {
  const restart = {
    id: 'order-1',
    change: 'restart',
    visitorName: 'Ada',
    organizationName: 'Contoso',
    choices: ['hour'],
    mayDecline: false,
    tonight: new Date(2026, 5, 15, 22).getTime(),
  } satisfies PowerQuestion

  test('offers what the order allows, and stays open for two minutes when its window is closed', async () => {
    const { conversations, windows, clock, isPaused } = converse()
    const asked = conversations.askPower(restart)
    const window = await until(() => windows[0])
    const [state] = window.states
    expect(state).toMatchObject({ allow: 'Restart now', allowHour: 'In an hour', secondsLeft: 120 })
    expect(state!.introduction).toContain('Ada of Contoso wants to restart this device.')
    expect(state).not.toHaveProperty('decline')
    expect(state).not.toHaveProperty('allowToday')
    expect(isPaused()).toBe(true)
    window.dismiss()
    clock.advance(119_000)
    expect(isPaused()).toBe(true)
    clock.advance(1_000)
    expect(await asked).toEqual({ answer: 'silent', reason: '' })
    expect(isPaused()).toBe(false)
  })

  test('returns the choice of the person', async () => {
    const { conversations, windows } = converse()
    const asked = conversations.askPower({ ...restart, choices: ['hour', 'tonight'], mayDecline: true })
    const window = await until(() => windows[0])
    expect(window.states[0]).toMatchObject({ allowToday: 'Tonight, 22:00', decline: 'Not today' })
    window.answer({ isAllowed: true, lasts: 'today' })
    expect((await asked).answer).toBe('tonight')
  })

  test('closes when the order is canceled', async () => {
    const { conversations, windows, last } = converse()
    const asked = conversations.askPower(restart)
    await until(() => windows[0])
    conversations.endPowerQuestion('order-1')
    expect((await asked).answer).toBe('silent')
    expect(last().introduction).toBe('It was canceled. You can close this window.')
  })
})
