import { expect, test } from 'vitest'
import { failureOf, successOf } from '../../../../shared/dtos/hub-result.ts'
import type { PwshCompletionsResult } from '../../../../shared/dtos/pwsh-completions.ts'
import {
  createCompleter,
  type CompletionRequest,
  type Completions,
} from '../../../../renderer/features/terminal/completer.ts'

const matchOf = (completionText: string) => ({ completionText, listItemText: '', matchType: 2 as const, toolTip: '' })
const answerOf = (texts: string[], totalCount = texts.length) =>
  successOf({
    replacementIndex: 4,
    replacementLength: 5,
    completionMatches: texts.map(matchOf),
    hasMorePages: false,
    totalCount,
    currentPage: 0,
  })

function start(...answers: (PwshCompletionsResult | Promise<PwshCompletionsResult>)[]) {
  const asked: CompletionRequest[] = []
  const shown: (Completions | undefined)[] = []
  let line = { text: 'one Get-P two', cursor: 9 }
  const completer = createCompleter({
    line: { get: () => line, set: (next) => (line = next) },
    ask: async (request) => (asked.push(request), answers.shift() ?? failureOf('too many questions')),
    show: (completions) => shown.push(completions),
  })
  return { completer, asked, shown, line: () => line, write: (text: string) => (line = { text, cursor: text.length }) }
}

test('Tab steps through the matches of the line that it began with', async () => {
  const { completer, asked, line } = start(answerOf(['Get-Process']), answerOf(['Get-PSDrive']))
  await completer.complete(true)
  expect(line()).toEqual({ text: 'one Get-Process two', cursor: 15 })
  await completer.complete(true)
  expect(line()).toEqual({ text: 'one Get-PSDrive two', cursor: 15 })
  const from = { lastCompletionInput: 'one Get-P two', lastCursorIndex: 9, forward: true }
  expect(asked).toEqual([from, from])
})

test('a line edited by hand is completed from its edited text', async () => {
  const { completer, asked, write } = start(answerOf(['Get-Process']), answerOf(['x']))
  await completer.complete(true)
  write('abc')
  completer.forget()
  await completer.complete(false)
  expect(asked[1]).toEqual({ lastCompletionInput: 'abc', lastCursorIndex: 3, forward: false })
})

test('the list is shown, and the chosen match replaces the completed text', async () => {
  const { completer, shown, line } = start(answerOf(['Get-Process', 'Get-PSDrive'], 7))
  await completer.complete(null)
  expect(shown.at(-1)).toMatchObject({ total: 7, matches: [{}, { completionText: 'Get-PSDrive' }] })
  completer.pick(matchOf('Get-PSDrive'))
  expect(line().text).toBe('one Get-PSDrive two')
  expect(shown.at(-1)).toBeUndefined()
})

test('an answer that arrives after more input changes nothing', async () => {
  let answer: (result: PwshCompletionsResult) => void = () => {}
  const { completer, line, shown } = start(new Promise((resolve) => (answer = resolve)))
  const completing = completer.complete(true)
  completer.forget()
  answer(answerOf(['Get-Process']))
  await completing
  expect(line().text).toBe('one Get-P two')
  expect(shown.at(-1)).toBeUndefined()
})

test.each([
  ['the reason of the device', failureOf('PowerShell is not installed.'), 'PowerShell is not installed.'],
  ['that there is nothing', answerOf([]), 'No completions.'],
  ['that there are too many', answerOf([], 612), '612 completions. Type more first.'],
])('says %s', async (_, answer, problem) => {
  const { completer, shown } = start(answer)
  await completer.complete(true)
  expect(shown.at(-1)).toEqual({ problem })
})

// T18: the device is untrusted.
test('a completion that holds keys is put into the line without them', async () => {
  const { completer, line } = start(answerOf(['ls\r\nrm -rf /\x1b[A\x85']))
  await completer.complete(true)
  expect(line().text).toBe('one lsrm -rf /[A two')
})
