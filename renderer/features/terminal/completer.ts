import type {
  PwshCompletionsRequestDto,
  PwshCompletionsResponseDto,
  PwshCompletionsResult,
} from '../../../shared/dtos/pwsh-completions.ts'
import { en as t } from '../../strings/en.ts'
import type { EditedLine } from './line-editor.ts'

export type CompletionMatch = PwshCompletionsResponseDto['completionMatches'][number]

/** Something that the line could become, or why there is nothing. */
export type Completions = { matches: readonly CompletionMatch[]; total: number } | { problem: string }

export type CompletionRequest = Pick<PwshCompletionsRequestDto, 'lastCompletionInput' | 'lastCursorIndex' | 'forward'>

interface CompleterOptions {
  line: { get(): EditedLine; set(line: EditedLine): void }
  ask: (request: CompletionRequest) => Promise<PwshCompletionsResult>
  show: (completions: Completions | undefined) => void
}

/** The device's text becomes part of a line that the person sends: it may hold no key. */
const asTyped = (text: string) => text.replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, '')

/** Completes a line by what PowerShell on the device knows: one after the other by Tab, all of them in a list. */
export function createCompleter({ line, ask, show }: CompleterOptions) {
  /** Counts questions and changes by hand: an answer that comes later is no use. */
  let turn = 0
  /** The line that stepping began with, and what it has made of it. */
  let stepping: { from: EditedLine; shown: string } | undefined
  /** What the list on screen would replace. */
  let listed: { from: EditedLine; index: number; length: number } | undefined

  function put(from: EditedLine, index: number, length: number, { completionText }: CompletionMatch) {
    const text = asTyped(completionText)
    const whole = from.text.slice(0, index) + text + from.text.slice(index + length)
    line.set({ text: whole, cursor: index + text.length })
    return whole
  }

  function forget() {
    turn++
    stepping = undefined
    listed = undefined
    show(undefined)
  }

  return {
    forget,
    /** Asks for the next one (true), the one before (false), or the list. */
    async complete(forward: boolean | null) {
      const now = line.get()
      const from = forward !== null && stepping?.shown === now.text ? stepping.from : now
      forget()
      const mine = turn
      const request = { lastCompletionInput: from.text, lastCursorIndex: from.cursor, forward }
      const answer = await ask(request).catch(() => undefined)
      if (mine !== turn) {
        return
      }
      if (!answer?.isSuccess || !answer.value) {
        show({ problem: answer?.reason ?? t.terminal.completionFailed })
        return
      }
      const { completionMatches: matches, totalCount } = answer.value
      const index = Math.max(0, answer.value.replacementIndex)
      const length = Math.max(0, answer.value.replacementLength)
      const [first] = matches
      if (!first) {
        show({ problem: totalCount > 0 ? t.terminal.completionsTooMany(totalCount) : t.terminal.completionsNone })
      } else if (forward === null && matches.length > 1) {
        listed = { from, index, length }
        show({ matches, total: Math.max(totalCount, matches.length) })
      } else {
        stepping = { from, shown: put(from, index, length, first) }
      }
    },
    /** Takes one of the list. */
    pick(match: CompletionMatch) {
      if (listed) {
        put(listed.from, listed.index, listed.length, match)
      }
      forget()
    },
  }
}
